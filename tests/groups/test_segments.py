"""Columns cut into segments: names by value, numbers by range, and what is missing apart."""

import numpy as np

from calibrant.groups.segments import segments


def test_numbers_of_many_values_are_cut_where_rows_are_as_many() -> None:
    x = np.random.default_rng(0).normal(size=1000)
    found = segments({"x": x}, 1000)["x"]
    assert len(found.names) == 10
    assert (np.bincount(found.place) == 100).all()
    for name, rows in zip(found.names, found.rows(), strict=True):
        assert name == f"x {x[rows].min():.6g} to {x[rows].max():.6g}"


def test_equal_numbers_stay_together_and_missing_ones_are_a_segment() -> None:
    x = np.where(np.arange(1000) < 700, 0.0, np.arange(1000.0))
    x[-5:] = np.nan
    found = segments({"x": x}, 1000)["x"]
    assert found.names[0] == "x 0 to 0"
    assert found.names[-1] == "x = missing"
    assert len(found.rows()[0]) == 700
    assert found.rows()[-1].tolist() == list(range(995, 1000))


def test_few_values_are_names() -> None:
    found = segments({"a": [1, 2, 2], "b": ["x", None, "x"]}, 3)
    assert found["a"].names == ("a = 1", "a = 2")
    assert found["b"].names == ("b = x", "b = missing")
