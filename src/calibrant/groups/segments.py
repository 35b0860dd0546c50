"""Columns cut into segments: the values of names, ranges of numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..inputs.checks import briefly, host
from ..inputs.groups import MISSING, Grouping, grouped

Columns = Mapping[str, ArrayLike]
# Numbers of more different values are cut into ranges of as many rows.
_MOST_VALUES = 30
_RANGES = 10


def named_columns(columns: object) -> dict[str, ArrayLike]:
    """Columns by their names, of which there must be some."""
    if not isinstance(columns, Mapping) or not columns:
        raise ValueError(
            f'columns must be named, as in {{"site": sites, "age": ages}}; got {briefly(columns)}'
        )
    return {str(name): values for name, values in columns.items()}


def segments(columns: object, n: int) -> dict[str, Grouping]:
    """For each column the segment of each row, by names such as "site = north".

    >>> segments({"age": range(40)}, 40)["age"].names[:2]
    ('age 0 to 3', 'age 4 to 7')
    """
    return {name: _cut(name, values, n) for name, values in named_columns(columns).items()}


def _cut(name: str, values: ArrayLike, n: int) -> Grouping:
    array = host(values)
    if array.shape == (n,) and _are_many_numbers(array):
        return _ranges(name, array.astype(np.float64))
    found = grouped(array, n, repr(name))
    return Grouping(tuple(f"{name} = {value}" for value in found.names), found.place)


def _are_many_numbers(array: np.ndarray[Any, Any]) -> bool:
    return array.dtype.kind in "iuf" and len(np.unique(array)) > _MOST_VALUES


def _ranges(name: str, x: np.ndarray[Any, Any]) -> Grouping:
    """Ranges between quantiles; equal numbers stay together, and missing ones are a segment."""
    known = np.flatnonzero(~np.isnan(x))
    inner = np.quantile(x[known], np.linspace(0, 1, _RANGES + 1)[1:-1], method="lower")
    place = np.searchsorted(np.unique(inner), x)
    place[np.isnan(x)] = _RANGES
    kept, place = np.unique(place, return_inverse=True)
    names = []
    for at, range_place in enumerate(kept):
        if range_place == _RANGES:
            names.append(f"{name} = {MISSING}")
            continue
        part = x[place == at]
        names.append(f"{name} {part.min():.6g} to {part.max():.6g}")
    return Grouping(tuple(names), place)
