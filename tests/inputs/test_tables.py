"""Tables: what spoils a file is mended where it is plain, and else refused in one line."""

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from shared_files import predictions, refusal, text

from calibrant import View, from_probs, read, write
from calibrant.inputs.columns import ColumnNames
from calibrant.inputs.files import read_contents
from calibrant.inputs.tables import header


def test_labels_beyond_64_bits_are_one_line(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "label,p_0,p_1", "10000000000000000001,0.4,0.6")
    assert "column 'label' cannot be read (cannot convert i128 to NumPy" in refusal(path)


def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    for line in ("label,prob_a,prob_a", "label,prob_a, prob_a"):
        assert "there are two columns 'prob_a'; rename one" in refusal(
            text(tmp_path, "x.csv", line, "a,0.4,0.6")
        )
    pl.DataFrame({"label": [0], "p_0": [0.4], " p_0": [0.6]}).write_parquet(tmp_path / "x.parquet")
    assert "there are two columns 'p_0'" in refusal(tmp_path / "x.parquet")


@pytest.mark.parametrize("end", ["\n\n", ",,\n,,", "\r\n\r\n"])
def test_blank_lines_at_the_end_are_no_rows(tmp_path: Path, end: str) -> None:
    assert (
        predictions(text(tmp_path, "x.csv", "label,p_0,p_1", "0,1,0", "1,0.4,0.6" + "\n" + end)).n
        == 2
    )
    assert predictions(text(tmp_path, "x.csv", "", "label,p_0,p_1", "0,1,0")).n == 1
    assert "(row 1 has none)" in refusal(
        text(tmp_path, "x.csv", "label,p_0,p_1", "0,1,0", "", "1,0.4,0.6")
    )


@pytest.mark.parametrize(
    ("name", "line"), [("x.jsonl", '{"p": 0.9, "correct": 1}'), ("x.csv", "p,correct\n0.9,1")]
)
def test_a_byte_order_mark_is_no_content(tmp_path: Path, name: str, line: str) -> None:
    (tmp_path / name).write_text("\ufeff" + line + "\n", encoding="utf-8")
    assert isinstance(read(tmp_path / name), View)


def test_decimals_are_numbers(tmp_path: Path) -> None:
    row = [Decimal("0.4"), Decimal("0.6")]
    pl.DataFrame({"label": [1], "probs": [row]}).write_parquet(tmp_path / "x.parquet")
    assert predictions(tmp_path / "x.parquet").probs.tolist() == [[0.4, 0.6]]
    pl.DataFrame({"label": [1], "p_0": row[:1], "p_1": row[1:]}).write_parquet(
        tmp_path / "x.parquet"
    )
    assert predictions(tmp_path / "x.parquet").probs.tolist() == [[0.4, 0.6]]


def test_a_gap_in_a_field_is_told_by_its_whole_name(tmp_path: Path) -> None:
    lines = ['{"label": "a", "probs": {"a": 0.4, "b": 0.6}}', '{"label": "a", "probs": {"b": 1.0}}']
    assert "column 'probs_a' must have a value in every row (row 1" in refusal(
        text(tmp_path, "x.jsonl", *lines)
    )


@pytest.mark.parametrize("kind", ["file", "stream"])
@pytest.mark.parametrize("suffix", [".arrow", ".feather"])
def test_arrow_is_read_as_a_file_and_as_a_stream(tmp_path: Path, kind: str, suffix: str) -> None:
    frame = pl.DataFrame({"label": [1, 0], "probs": [[0.4, 0.6], [1.0, 0.0]]})
    path = tmp_path / f"x{suffix}"
    frame.write_ipc(path) if kind == "file" else frame.write_ipc_stream(path)
    assert predictions(path).probs.tolist() == [[0.4, 0.6], [1.0, 0.0]]
    path.write_bytes(path.read_bytes()[:40])
    assert "the file is not what its suffix says, or it was damaged" in refusal(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow", ".jsonl"])
def test_parts_are_one_table(tmp_path: Path, suffix: str) -> None:
    whole = from_probs([[0.4, 0.6], [1.0, 0.0], [0.5, 0.5]], [1, 0, 1])
    for place, rows in enumerate((slice(0, 1), slice(1, 3))):
        write(tmp_path / f"part-{place}{suffix}", whole[rows])
    for path in (tmp_path / f"part-*{suffix}", tmp_path):
        pred = predictions(path)
        assert np.array_equal(pred.probs, whole.probs)
        assert pred.labels.tolist() == [1, 0, 1]


def test_parts_must_have_the_same_columns_in_any_order(tmp_path: Path) -> None:
    text(tmp_path, "a.csv", "label,p_0,p_1", "0,1,0")
    text(tmp_path, "b.csv", "p_1,p_0,label", "0.6,0.4,1")
    assert predictions(tmp_path / "*.csv").probs.tolist() == [[1, 0], [0.4, 0.6]]
    for line, first, second, column in (
        ("p_1,p_0", "a", "b", "label"),
        ("p_1,p_0,label,id", "b", "a", "id"),
    ):
        text(tmp_path, "b.csv", line, ",".join("0" for _ in line.split(",")))
        rule = f"parts of a table must have the same columns: {first}.csv has {column!r}, {second}.csv has not"
        assert rule in refusal(tmp_path / "*.csv")
    text(tmp_path, "b.csv", "label,p_0,p_1", "0,1,0,7")
    assert "b.csv: the file is not what its suffix says" in refusal(tmp_path / "*.csv")
    pl.DataFrame({"label": [0], "p_0": [0.0], "p_1": [1.0]}).write_parquet(tmp_path / "c.parquet")
    assert "there are files of several kinds, .csv, .parquet" in refusal(tmp_path)
    pl.DataFrame({"label": [0], "p_0": [[0.0]], "p_1": [1.0]}).write_parquet(tmp_path / "d.parquet")
    assert "columns of the same types" in refusal(tmp_path / "*.parquet")


def test_semicolons_and_tabs_part_columns_too(tmp_path: Path) -> None:
    for sign in (";", "\t"):
        lines = [line.replace(",", sign) for line in ("label,p_0, p_1", "1,0.4, 0.6")]
        assert predictions(text(tmp_path, "x.csv", *lines)).probs.tolist() == [[0.4, 0.6]]


def sample(likelihoods: list[float], target: object, *, as_text: bool) -> str:
    """A line as lm-evaluation-harness logs a question with choices; newer versions write numbers as text."""
    pairs = [
        [str(x), str(x == max(likelihoods))] if as_text else [x, x == max(likelihoods)]
        for x in likelihoods
    ]
    right = float(str(target) == str(likelihoods.index(max(likelihoods))))
    return json.dumps(
        {
            "doc": {"q": "?"},
            "target": target,
            "resps": [pairs],
            "filtered_resps": pairs,
            "acc": right,
        }
    )


@pytest.mark.parametrize("as_text", [True, False])
def test_choices_of_a_language_model_are_logits(tmp_path: Path, *, as_text: bool) -> None:
    rows = [[-1.5, -0.5, -3.0], [-2.0, -9.0, -1.0]]
    targets = ["1", "0"] if as_text else [1, 0]
    lines = [
        sample(row, target, as_text=as_text) for row, target in zip(rows, targets, strict=True)
    ]
    pred = predictions(text(tmp_path, "samples.jsonl", *lines))
    assert (pred.scores.tolist(), pred.labels.tolist(), pred.kind) == (rows, [1, 0], "logits")
    write(
        tmp_path / "out.jsonl",
        pred,
        source=read_contents(tmp_path / "samples.jsonl", ColumnNames(), None, "test"),
    )
    assert np.allclose(predictions(tmp_path / "out.jsonl").probs, pred.probs)


@pytest.mark.parametrize("targets", [(1, 0), ("b", "a")])
def test_choices_of_which_the_number_varies_are_a_confidence(
    tmp_path: Path, targets: tuple[object, ...]
) -> None:
    rows = [[-1.5, -0.5], [-800.0, -802.0, -801.0]]
    if targets == ("b", "a"):
        rows[1] = rows[1][:2]
    lines = [sample(row, target, as_text=True) for row, target in zip(rows, targets, strict=True)]
    view = read(text(tmp_path, "samples.jsonl", *lines))
    assert isinstance(view, View)
    assert np.allclose(
        view.p, [np.max(np.exp(row) / np.sum(np.exp(row))) for row in map(_lifted, rows)]
    )
    assert view.y.tolist() == ([True, True] if targets == (1, 0) else [False, False])


@pytest.mark.parametrize("answer", [[["Paris"]], [["-1.5", "False"]]])
def test_answers_that_are_no_choices_are_left_as_they_are(tmp_path: Path, answer: object) -> None:
    line = json.dumps({"target": "Paris", "filtered_resps": answer, "confidence": 0.9, "acc": 1.0})
    assert "found no column of whether" not in refusal(text(tmp_path, "x.jsonl", line))
    assert read(tmp_path / "x.jsonl", correct="acc").n == 1


def test_the_header_is_read_without_the_rows(tmp_path: Path) -> None:
    frame = pl.DataFrame({"label": [0, 1], "p 0": [0.5, 0.5]})
    frame.write_csv(tmp_path / "x.csv")
    frame.write_parquet(tmp_path / "x.parquet")
    frame.write_ipc(tmp_path / "x.arrow")
    frame.write_ndjson(tmp_path / "x.jsonl")
    assert all(header(path) == ["label", "p 0"] for path in tmp_path.iterdir())


def test_a_column_is_had_with_its_gaps(tmp_path: Path) -> None:
    lines = [
        '{"p": 0.9, "correct": 1, "doc": {"site": "a"}}',
        '{"p": 0.4, "correct": 0, "doc": {"site": null}}',
    ]
    source = read_contents(text(tmp_path, "x.jsonl", *lines), ColumnNames(), None, "test")
    assert source.column("doc_site").tolist() == ["a", None]
    with pytest.raises(
        ValueError, match=r"x\.jsonl: there is no column 'doc_sit'; did you mean 'doc_site'\?"
    ):
        source.column("doc_sit")


def _lifted(row: list[float]) -> NDArray[np.float64]:
    return np.array(row) - max(row)
