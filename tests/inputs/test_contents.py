"""What a file holds beside its predictions."""

from pathlib import Path

import numpy as np
import pytest
from shared_files import text

from calibrant.inputs.column_names import ColumnNames
from calibrant.inputs.files import read_contents


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


def test_a_column_of_an_archive_is_its_array(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, probs=[[0.4, 0.6]], labels=[1], site=["a"])
    contents = read_contents(path, ColumnNames(), None, "test")
    assert contents.column("Site").tolist() == ["a"]
    assert not contents.has_chance_columns


@pytest.mark.parametrize(
    ("header", "row", "has_columns"),
    [
        ("label,p_0,p_1", "1,0.4,0.6", True),
        ("label,logit_0,logit_1", "1,0.4,0.6", False),
        ("label,probs", "1,0.6", False),
        ("confidence,correct", "0.6,1", False),
    ],
)
def test_a_table_may_have_a_column_of_probabilities_for_each_class(
    tmp_path: Path, header: str, row: str, *, has_columns: bool
) -> None:
    path = text(tmp_path, "x.csv", header, row)
    contents = read_contents(path, ColumnNames(), None, "test")
    assert contents.has_chance_columns == has_columns


def test_the_columns_that_were_read_are_known(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "id,p_cat,p_dog,label,weight", "7,0.4,0.6,dog,2")
    contents = read_contents(path, ColumnNames(), None, "test")
    assert sorted(contents.used) == ["label", "p_cat", "p_dog", "weight"]
    assert contents.skipped == 0
    path = text(tmp_path, "y.csv", "id,p,correct", "7,0.4,1")
    assert sorted(read_contents(path, ColumnNames(), None, "test").used) == ["correct", "p"]
