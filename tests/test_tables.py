"""Tables: what spoils a file is mended where it is plain, and else refused in one line."""

from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from shared_files import predictions, refusal, text

from calibrant import View, read


def test_labels_beyond_64_bits_are_one_line(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "label,p_0,p_1", "10000000000000000001,0.4,0.6")
    assert "column 'label' cannot be read (cannot convert i128 to NumPy" in refusal(path)


def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    for header in ("label,prob_a,prob_a", "label,prob_a, prob_a"):
        assert "there are two columns 'prob_a'; rename one" in refusal(text(tmp_path, "x.csv", header, "a,0.4,0.6"))
    pl.DataFrame({"label": [0], "p_0": [0.4], " p_0": [0.6]}).write_parquet(tmp_path / "x.parquet")
    assert "there are two columns 'p_0'" in refusal(tmp_path / "x.parquet")


@pytest.mark.parametrize("end", ["\n\n", ",,\n,,", "\r\n\r\n"])
def test_blank_lines_at_the_end_are_no_rows(tmp_path: Path, end: str) -> None:
    assert predictions(text(tmp_path, "x.csv", "label,p_0,p_1", "0,1,0", "1,0.4,0.6" + "\n" + end)).n == 2
    assert predictions(text(tmp_path, "x.csv", "", "label,p_0,p_1", "0,1,0")).n == 1
    assert "(row 1 has none)" in refusal(text(tmp_path, "x.csv", "label,p_0,p_1", "0,1,0", "", "1,0.4,0.6"))


@pytest.mark.parametrize(("name", "line"), [("x.jsonl", '{"p": 0.9, "correct": 1}'), ("x.csv", "p,correct\n0.9,1")])
def test_a_byte_order_mark_is_no_content(tmp_path: Path, name: str, line: str) -> None:
    (tmp_path / name).write_text("\ufeff" + line + "\n", encoding="utf-8")
    assert isinstance(read(tmp_path / name), View)


def test_decimals_are_numbers(tmp_path: Path) -> None:
    row = [Decimal("0.4"), Decimal("0.6")]
    pl.DataFrame({"label": [1], "probs": [row]}).write_parquet(tmp_path / "x.parquet")
    assert predictions(tmp_path / "x.parquet").probs.tolist() == [[0.4, 0.6]]
    pl.DataFrame({"label": [1], "p_0": row[:1], "p_1": row[1:]}).write_parquet(tmp_path / "x.parquet")
    assert predictions(tmp_path / "x.parquet").probs.tolist() == [[0.4, 0.6]]


def test_a_gap_in_a_field_is_told_by_its_whole_name(tmp_path: Path) -> None:
    lines = ['{"label": "a", "probs": {"a": 0.4, "b": 0.6}}', '{"label": "a", "probs": {"b": 1.0}}']
    assert "column 'probs_a' must have a value in every row (row 1" in refusal(text(tmp_path, "x.jsonl", *lines))
