"""Columns of a table: numbers of every kind are read, and a gap is told by its column."""

from decimal import Decimal
from pathlib import Path

import polars as pl
from shared_files import predictions, refusal, text


def test_labels_beyond_64_bits_are_one_line(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "label,p_0,p_1", "10000000000000000001,0.4,0.6")
    assert "column 'label'" in refusal(path)


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
    assert (
        "column 'probs_a' must have a value in every row (1 of 2 have none, the first is row 1"
        in refusal(text(tmp_path, "x.jsonl", *lines))
    )
