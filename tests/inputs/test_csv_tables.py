"""Tables in .csv files: what parts columns, and what spoils names."""

from pathlib import Path

import polars as pl
import pytest
from shared_files import predictions, refusal, text


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
    assert "(1 of 3 have none, the first is row 1)" in refusal(
        text(tmp_path, "x.csv", "label,p_0,p_1", "0,1,0", "", "1,0.4,0.6")
    )


def test_semicolons_and_tabs_part_columns_too(tmp_path: Path) -> None:
    for sign in (";", "\t"):
        lines = [line.replace(",", sign) for line in ("label,p_0, p_1", "1,0.4, 0.6")]
        assert predictions(text(tmp_path, "x.csv", *lines)).probs.tolist() == [[0.4, 0.6]]
