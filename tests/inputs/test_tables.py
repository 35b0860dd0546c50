"""Tables: what spoils a file is mended where it is plain, and else refused in one line."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from shared_files import predictions, refusal, text

from calibrant import View, from_probs, read, write
from calibrant.inputs.tables import header


@pytest.mark.parametrize(
    ("name", "line"), [("x.jsonl", '{"p": 0.9, "correct": 1}'), ("x.csv", "p,correct\n0.9,1")]
)
def test_a_byte_order_mark_is_no_content(tmp_path: Path, name: str, line: str) -> None:
    (tmp_path / name).write_text("\ufeff" + line + "\n", encoding="utf-8")
    assert isinstance(read(tmp_path / name), View)


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
        said = refusal(tmp_path / "*.csv")
        assert "parts of a table must have the same columns: " in said
        assert f": {first}.csv has {column!r}, {second}.csv has not" in said
    text(tmp_path, "b.csv", "label,p_0,p_1", "0,1,0,7")
    assert "b.csv: the file is not what its suffix says" in refusal(tmp_path / "*.csv")
    pl.DataFrame({"label": [0], "p_0": [0.0], "p_1": [1.0]}).write_parquet(tmp_path / "c.parquet")
    assert "there are files of several kinds, .csv, .parquet" in refusal(tmp_path)
    pl.DataFrame({"label": [0], "p_0": [[0.0]], "p_1": [1.0]}).write_parquet(tmp_path / "d.parquet")
    assert "columns of the same types" in refusal(tmp_path / "*.parquet")


def test_the_header_is_read_without_the_rows(tmp_path: Path) -> None:
    frame = pl.DataFrame({"label": [0, 1], "p 0": [0.5, 0.5]})
    frame.write_csv(tmp_path / "x.csv")
    frame.write_parquet(tmp_path / "x.parquet")
    frame.write_ipc(tmp_path / "x.arrow")
    frame.write_ndjson(tmp_path / "x.jsonl")
    assert all(header(path) == ["label", "p 0"] for path in tmp_path.iterdir())
