"""What is written is read back, and a table keeps its other columns."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shared_files import predictions, refusal, text

from calibrant import Predictions, View, binary, from_logits, from_probs, read, write
from calibrant.inputs.column_names import ColumnNames
from calibrant.inputs.files import read_contents
from calibrant.inputs.unpacking import decompressed
from calibrant.inputs.writing import WRITERS

SUFFIXES = list(WRITERS)
RNG = np.random.default_rng(0)
PROBS = RNG.dirichlet([1.0, 1.0, 1.0], 40)
PLACES = RNG.integers(0, 3, 40)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "classes",
    [
        None,
        ("cat", "dog", "owl"),
        (7, 3, 5),
        ("true", "false", "1"),
        ("1", "2", "other"),
        ("a b", 'c"d', "e,f"),
    ],
    ids=str,
)
def test_predictions_come_back_as_they_were_written(
    tmp_path: Path,
    suffix: str,
    classes: Any,  # noqa: ANN401
) -> None:
    labels = PLACES if classes is None else np.array(classes, object)[PLACES]
    pred = from_probs(PROBS, labels, classes=classes, weights=RNG.integers(0, 4, 40))
    write(tmp_path / f"x{suffix}", pred)
    back = predictions(tmp_path / f"x{suffix}")
    assert np.array_equal(back.probs, pred.probs)
    assert np.array_equal(back.labels, pred.labels)
    assert back.classes == pred.classes
    assert back.weights is not None
    assert pred.weights is not None
    assert np.array_equal(back.weights, pred.weights)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_narrow_floats_and_logits_come_back_as_probabilities(
    tmp_path: Path, suffix: str, kind: type
) -> None:
    pred = from_logits(np.log(PROBS).astype(kind), PLACES)
    write(tmp_path / f"x{suffix}", pred)
    back = predictions(tmp_path / f"x{suffix}")
    assert back.kind == "probs"
    assert np.allclose(back.probs, pred.probs, atol=1e-7)
    assert back.weights is None


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("weights", [None, np.arange(40.0)], ids=["plain", "weighted"])
def test_a_view_comes_back_as_it_was_written(tmp_path: Path, suffix: str, weights: Any) -> None:  # noqa: ANN401
    view = binary(PROBS[:, 0], PLACES == 0, weights=weights)
    write(tmp_path / f"x{suffix}", view)
    back = read(tmp_path / f"x{suffix}")
    assert isinstance(back, View)
    assert np.array_equal(back.p, view.p)
    assert np.array_equal(back.y, view.y)
    assert (None if back.w is None else back.w.tolist()) == (
        None if weights is None else weights.tolist()
    )


@pytest.mark.parametrize("target", ["out.csv", "out.parquet", "out.jsonl", "out.npz"])
@pytest.mark.parametrize("labelled", [True, False])
def test_a_table_keeps_its_other_columns_when_it_is_written_again(
    tmp_path: Path, target: str, *, labelled: bool
) -> None:
    lines = ["id,target,logit_a,logit_b,note", "7,a,1,0,x", "8,b,0,2,y"]
    path = text(
        tmp_path,
        "x.csv",
        *(lines if labelled else [re.sub(r"^([^,]*),[^,]*", r"\1", each) for each in lines]),
    )
    source = read_contents(path, ColumnNames(), None, "test", needs_outcomes=False)
    assert source.has_outcomes == labelled
    assert isinstance(source.x, Predictions)
    write(
        tmp_path / target,
        from_probs(source.x.probs, source.x.known_labels, classes=["a", "b"]),
        source=source,
    )
    back = read_contents(tmp_path / target, ColumnNames(), None, "test", needs_outcomes=False)
    assert isinstance(back.x, Predictions)
    assert np.allclose(back.x.probs, source.x.probs)
    assert (back.has_outcomes, back.x.classes) == (labelled, ("a", "b"))
    assert not labelled or back.x.labels.tolist() == [0, 1]
    if back.table is not None:
        assert back.table.columns == [
            "id",
            *(["target"] if labelled else []),
            "note",
            "prob_a",
            "prob_b",
        ]
        assert back.table["id"].to_list() == [7, 8]


def test_a_confidence_is_written_again_under_its_own_name(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "id,score,hit,times", "7,0.9,1,2", "8,0.4,0,1")
    source = read_contents(path, ColumnNames(weight="times"), None, "test")
    assert isinstance(source.x, View)
    write(
        tmp_path / "out.jsonl",
        binary(source.x.p / 2, source.x.y, weights=source.x.w),
        source=source,
    )
    first = (tmp_path / "out.jsonl").read_text().splitlines()[0]
    assert first == '{"id":7,"score":0.45,"hit":1,"times":2}'
    bare = text(tmp_path, "y.csv", "score", "0.9", "0.4")
    source = read_contents(bare, ColumnNames(), None, "test", needs_outcomes=False)
    assert not source.has_outcomes
    for target in ("out.csv", "out.npz"):
        write(tmp_path / target, source.x, source=source)
        assert "found no column of whether each claim was right" in refusal(tmp_path / target)


def test_probabilities_are_written_again_under_their_own_names(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "id,t,ham,spam,prob_ham,prob_spam", "7,ham,0.9,0.1,0.5,0.5")
    source = read_contents(path, ColumnNames(label="t", probs="ham,spam"), None, "test")
    mended = from_probs([[0.75, 0.25]], [0], classes=["ham", "spam"])
    write(tmp_path / "out.csv", mended, source=source)
    assert (tmp_path / "out.csv").read_text() == "id,t,ham,spam\n7,ham,0.75,0.25\n"
    source = read_contents(
        text(tmp_path, "y.csv", "t,p_ham,p_spam", "ham,0.9,0.1"),
        ColumnNames(label="t"),
        None,
        "test",
    )
    write(tmp_path / "out.csv", mended, source=source)
    assert (tmp_path / "out.csv").read_text() == "t,p_ham,p_spam\nham,0.75,0.25\n"


def test_vectors_that_speak_against_the_new_ones_are_left_out(tmp_path: Path) -> None:
    path = text(
        tmp_path,
        "x.jsonl",
        '{"label": 1, "probs": [0.4, 0.6], "logits": [1.0, 2.0], "meta": {"id": 7}}',
    )
    source = read_contents(path, ColumnNames(logits="logits"), None, "test")
    write(tmp_path / "out.parquet", source.x, source=source)
    pred = predictions(tmp_path / "out.parquet")
    assert isinstance(source.x, Predictions)
    assert np.allclose(pred.probs, source.x.probs)
    with pytest.raises(ValueError, match=r"this table cannot be a \.csv .* write another format"):
        write(tmp_path / "out.csv", source.x, source=source)


FORMULAS = [
    "=1+1",
    "@SUM(A1)",
    "-cmd|' /C calc'!A0",
    "+A1",
    "'=1",
    "''-x",
    "\tx",
    "-1",
    "+1.5e3",
    "-",
]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz"])
def test_no_cell_of_text_is_a_formula_and_all_come_back(tmp_path: Path, suffix: str) -> None:
    labels = np.array(FORMULAS, object)[np.arange(40) % 10]
    pred = from_probs(np.full((40, 10), 0.1), labels, classes=FORMULAS)
    path = tmp_path / f"x{suffix}"
    write(path, pred)
    content = decompressed(path.read_bytes()) if suffix.endswith("gz") else path.read_bytes()
    cells = re.split(r"[,\n]" if "csv" in suffix else r"[\t\n]", content.decode())
    beginnings = {cell.strip('"')[:2] for cell in cells if not re.fullmatch(r"[-+]?[\d.e]*", cell)}
    assert not beginnings & {"=1", "@S", "-c", "+A"}
    back = predictions(path)
    assert back.classes == pred.classes
    assert np.array_equal(back.labels, pred.labels)


def test_columns_kept_from_a_table_are_no_formulas(tmp_path: Path) -> None:
    source = text(tmp_path, "x.csv", "=name,p,correct", "=A1,0.5,1", "-x,0.25,0")
    contents = read_contents(source, ColumnNames(), None, "test")
    write(tmp_path / "y.csv", contents.x, source=contents)
    lines = (tmp_path / "y.csv").read_text().splitlines()
    assert lines == ["'=name,p,correct", "'=A1,0.5,1", "'-x,0.25,0"]
    again = read_contents(tmp_path / "y.csv", ColumnNames(), None, "test")
    assert again.column("=name").tolist() == ["=A1", "-x"]
