"""Subgroups of any number of rows: the largest each by itself, all others together."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from shared_parts import N, files, table

import calibrant
from calibrant import Predictions, ks_error, top_label
from calibrant.scale import by_group, groups

FRAME = table().with_columns(site=pl.Series(np.arange(N) % 50 // np.arange(1, N + 1).clip(max=7)))


def test_each_group_is_summed_up_and_the_others_as_one(tmp_path: Path) -> None:
    files(tmp_path, FRAME)
    whole = calibrant.read(tmp_path)
    assert isinstance(whole, Predictions)
    site = FRAME["site"].to_numpy()
    values, counts = np.unique(site, return_counts=True)
    kept = sorted(values, key=lambda value: (-counts[values == value][0], str(value)))[:4]
    found = by_group(tmp_path, "site", most=4)
    rest = f"{len(values) - 4} other values"
    assert set(found) == {*(str(value) for value in kept), rest}
    assert sum(sketch.n for sketch in found.values()) == N
    for name, sketch in found.items():
        is_in = ~np.isin(site, kept) if name == rest else site == int(name)
        expected = ks_error(top_label(whole[is_in]))
        assert ks_error(sketch.view()) == pytest.approx(expected, abs=1e-5)


def test_missing_values_are_a_group_and_numbers_are_told_as_words(tmp_path: Path) -> None:
    sites = pl.Series([None, 1.0, 2.5] * (N // 3))
    files(tmp_path, FRAME.with_columns(site=sites))
    assert set(by_group(tmp_path, "site")) == {"missing", "1", "2.5"}


def test_too_many_groups_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files(tmp_path, FRAME)
    monkeypatch.setattr(groups, "_MOST_VALUES", 100)
    with pytest.raises(ValueError, match="at most 100 different values, and 'id' has more"):
        by_group(tmp_path, "id")
