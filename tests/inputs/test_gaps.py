"""Missing values are refused with their count, or left out where that is asked for."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from shared_files import predictions, refusal, text

from calibrant import read, write
from calibrant.inputs.column_names import ColumnNames
from calibrant.inputs.files import read_contents

LINES = ["label,prob_a,prob_b", "a,0.9,0.1", "b,,0.6", ",0.5,0.5", "b,0.2,0.8", "a,NaN,0.3"]


def test_the_count_is_told_and_the_way_out(tmp_path: Path) -> None:
    said = refusal(text(tmp_path, "x.csv", *LINES))
    assert "column 'prob_a' must have a value in every row (2 of 5 have none" in said
    assert said.endswith("the first is row 1); fill them, or leave such rows out with "
                         "skip_missing=True")  # fmt: skip


def test_rows_that_lack_a_value_are_left_out_and_counted(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", *LINES)
    found = read_contents(path, ColumnNames(), None, "test", skip_missing=True)
    assert (found.x.n, found.skipped) == (2, 3)
    assert found.lacking == {"prob_a": 2, "label": 1}
    pred = predictions(path, skip_missing=True)
    assert pred.probs.tolist() == [[0.9, 0.1], [0.2, 0.8]]
    assert pred.labels.tolist() == [0, 1]
    write(tmp_path / "out.csv", pred, source=found)
    assert pl.read_csv(tmp_path / "out.csv").height == 2


@pytest.mark.parametrize("word", ["NA", "n/a", "", "null", "-"])
def test_words_for_nothing_are_no_numbers(tmp_path: Path, word: str) -> None:
    path = text(tmp_path, "x.csv", "p,correct", "0.9,yes", f"{word},no", f"0.3,{word}", "0.5,no")
    assert "column 'p' must have a value in every row (1 of 4 have none" in refusal(path)
    view = read(path, skip_missing=True)
    assert (view.n, view.p.tolist()) == (2, [0.9, 0.5])  # type: ignore[union-attr]


def test_a_class_may_have_such_a_name(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "label,prob_NA,prob_None", "NA,0.9,0.1", "None,0.2,0.8")
    assert predictions(path).classes == ("NA", "None")


def test_gaps_of_columns_that_are_not_read_do_not_matter(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "note,p,correct", ",0.9,1", "x,0.2,0")
    assert read(path).n == 2


@pytest.mark.parametrize("gap", [None, [0.2, None], [0.2, np.nan]])
def test_lists_may_lack_values(tmp_path: Path, gap: object) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({"label": [1, 0], "probs": [[0.2, 0.8], gap]}).write_parquet(path)
    assert "column 'probs' must have a value in every row (1 of 2" in refusal(path)
    assert predictions(path, skip_missing=True).probs.tolist() == [[0.2, 0.8]]


def test_arrays_may_lack_values(tmp_path: Path) -> None:
    probs = np.array([[0.9, 0.1], [np.nan, 0.5], [0.2, 0.8], [0.4, 0.6]])
    labels = np.array([0, 1, np.nan, 1])
    np.savez(tmp_path / "x.npz", probs=probs, labels=labels, classes=["no", "yes"])
    assert "column 'probs' must have a value in every row (1 of 4" in refusal(tmp_path / "x.npz")
    found = read_contents(tmp_path / "x.npz", ColumnNames(), None, "test", skip_missing=True)
    assert (found.x.n, found.lacking) == (2, {"probs": 1, "labels": 1})
    assert predictions(tmp_path / "x.npz", skip_missing=True).classes == ("no", "yes")


def test_a_column_without_any_value_is_refused_all_the_same(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "p,correct", ",1", ",0")
    for options in ({}, {"skip_missing": True}):
        said = refusal(path, **options)
        assert said.endswith("(2 of 2 have none, the first is row 0); fill them")
