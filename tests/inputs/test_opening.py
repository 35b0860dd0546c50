"""Files are opened by their suffix, standard input by how its bytes begin."""

import gzip
import json
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from shared_files import predictions, refusal, text

from calibrant import from_probs, read, write

P = np.random.default_rng(0).dirichlet([1, 1], 30)
PRED = from_probs(P, (P[:, 1] > 0.4).astype(int), classes=["no", "yes"])


class _Stdin:
    def __init__(self, content: bytes) -> None:
        self.buffer = BytesIO(content)


@pytest.mark.parametrize(
    "suffix", [".csv", ".tsv", ".jsonl", ".json", ".csv.gz", ".tsv.gz", ".jsonl.gz", ".json.gz"]
)
def test_texts_are_written_and_read_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    write(path, PRED)
    first = path.read_bytes()
    back = predictions(path)
    assert np.array_equal(back.probs, PRED.probs)
    assert back.labels.tolist() == PRED.labels.tolist()
    write(path, PRED)
    assert path.read_bytes() == first
    assert predictions(tmp_path).n == 30


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow", ".jsonl", ".json", ".npz"])
@pytest.mark.parametrize("is_gzipped", [False, True])
def test_standard_input_is_read_by_how_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, *, is_gzipped: bool
) -> None:
    write(tmp_path / f"x{suffix}", PRED)
    content = (tmp_path / f"x{suffix}").read_bytes()
    monkeypatch.setattr(sys, "stdin", _Stdin(gzip.compress(content) if is_gzipped else content))
    assert np.array_equal(predictions(Path("-")).probs, PRED.probs)


def test_errors_of_standard_input_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for content, said in (
        (b"", "standard input: nothing came in"),
        (b"a,b\n1,2\n", "standard input: found no column of probabilities"),
        (b"\x1f\x8bnonsense", "standard input: "),
    ):
        monkeypatch.setattr(sys, "stdin", _Stdin(content))
        with pytest.raises(ValueError, match=r".") as caught:
            read("-")
        assert str(caught.value).startswith(said)


@pytest.mark.parametrize("orient", ["records", "list", "dict", "split"])
def test_json_as_pandas_writes_it(tmp_path: Path, orient: str) -> None:
    columns: dict[str, list[object]] = {
        "label": ["a", "b"],
        "prob_a": [0.9, 1],
        "prob_b": [0.1, 0],
    }
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    by_row = {name: dict(enumerate(values)) for name, values in columns.items()}
    written = {"records": rows, "list": columns, "dict": by_row, "split": 3}[orient]
    path = text(tmp_path, "x.json", json.dumps(written))
    if orient == "split":
        assert "the file is not what its suffix says" in refusal(path)
        return
    assert predictions(path).probs.tolist() == [[0.9, 0.1], [1, 0]]


@pytest.mark.parametrize("content", [b"[{", b"[1, 2]", b"{", b"[[1, 2], [3]]", b"\xff\xff"])
def test_broken_json_is_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    refusal(tmp_path / "x.json")


@pytest.mark.parametrize(
    "content", [b"label,p", b"\x1f\x8b", gzip.compress(b"p,correct\n", mtime=0)[:-9]]
)
def test_what_is_not_compressed_is_said_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.csv.gz").write_bytes(content)
    assert "not compressed by gzip, or it was damaged" in refusal(tmp_path / "x.csv.gz")


def test_maps_are_no_predictions(tmp_path: Path) -> None:
    (tmp_path / "m.safetensors").write_bytes(b"x")
    assert "this is a map, as calibrant show tells of" in refusal(tmp_path / "m.safetensors")
    assert "not '.txt.gz'" in refusal(text(tmp_path, "x.txt.gz", "x"))


def test_percents_and_decimal_commas_are_numbers(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "label,prob_a,prob_b", "a,90%,10 %", "b,12.5%,87.5%")
    assert predictions(path).probs.tolist() == [[0.9, 0.1], [0.125, 0.875]]
    for name, sign in (("y.csv", ";"), ("y.tsv", "\t")):
        lines = ["label;prob_a;prob_b;note", "a;0,9;1e-1;1,2,3", "b;0;1;x", "b;12,5%;87,5 %;"]
        with_commas = [line.replace(";", sign).replace("1e-1", "0,1") for line in lines]
        path = text(tmp_path, name, *with_commas)
        assert predictions(path).probs.tolist() == [[0.9, 0.1], [0, 1], [0.125, 0.875]]
    path = text(tmp_path, "z.csv", "p;correct;weight", "0,9;1;1,5", "0,4;0;2")
    view = read(path)
    assert (view.p.tolist(), view.w.tolist()) == ([0.9, 0.4], [1.5, 2])  # type: ignore[union-attr]


def test_logits_that_are_probabilities_are_questioned(tmp_path: Path) -> None:
    write(tmp_path / "x.csv", PRED)
    said = refusal(tmp_path / "x.csv", logits="prob_")
    assert "these logits are probabilities, it seems" in said
    assert said.endswith("name their columns with probs")
    few = text(tmp_path, "y.csv", "label,logit_a,logit_b", "a,0,1", "b,1,0")
    assert predictions(few).kind == "logits"
