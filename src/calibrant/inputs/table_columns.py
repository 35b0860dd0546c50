"""Columns of a table: each becomes an array when asked for; new ones take their place in it."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from ..fitting.types import Ints, Values
from .columns import Arrays, Columns
from .gaps import MissingValues
from .tables import BROKEN, reason


def columns_of(frame: pl.DataFrame) -> Columns:
    """The columns of a table by name, each an array once it is asked for."""
    columns: Columns = {}
    for name, series in _all_fields(frame).items():
        columns[name] = partial(_array, name, series)
    return columns


def column(frame: pl.DataFrame, name: str) -> Values:
    """A column, or a field of one by both names, its gaps left as they are."""
    return _all_fields(frame)[name].to_numpy()


def joined(frame: pl.DataFrame | None, stale: Iterable[str], new: Arrays) -> pl.DataFrame:
    """New columns in a table: in place of those of their name, without those that are stale."""
    if frame is None:
        return pl.DataFrame(dict(new))
    gone = set(stale) - set(new)
    kept = [column for column in frame.get_columns() if not _has_field(column, gone)]
    added = [pl.Series(name, array) for name, array in new.items()]
    return frame.select(kept).with_columns(added)


def _all_fields(frame: pl.DataFrame) -> dict[str, pl.Series]:
    found: dict[str, pl.Series] = {}
    for column in frame.get_columns():
        found |= _fields(column)
    return found


def _fields(series: pl.Series) -> dict[str, pl.Series]:
    """A column by its name, or those within it by its name and theirs."""
    if not isinstance(series.dtype, pl.Struct):
        return {series.name: series}
    found = {}
    for field in series.struct.fields:
        found[f"{series.name}_{field}"] = series.struct.field(field)
    return found


def _has_field(series: pl.Series, names: set[str]) -> bool:
    return not names.isdisjoint(_fields(series))


def _array(name: str, series: pl.Series) -> Values:
    try:
        whole = _whole(series)
        if whole is not None:
            return whole
        gaps = series.is_null()
        if series.dtype.is_float():
            gaps |= series.is_nan().fill_null(value=False)
        _refuse_gaps(name, gaps)
        if isinstance(series.dtype, pl.Array | pl.List):
            return _lists(name, series, series.dtype.inner)
        if isinstance(series.dtype, pl.Decimal):
            series = series.cast(pl.Float64)
        return series.to_numpy()
    except BROKEN as error:
        raise ValueError(
            f"column {name!r} cannot be read ({reason(error)}); write it as other numbers"
        ) from error


def _whole(series: pl.Series) -> Values | None:
    """A column of plain numbers without gaps, which is quickly seen; None where it is another."""
    is_plain = series.dtype.is_float() or series.dtype.is_integer()
    if not is_plain or series.null_count():
        return None
    array = series.to_numpy()
    # The least of some numbers is nan if any of them is.
    return None if np.isnan(array.min(initial=0)) else array


def _lists(name: str, series: pl.Series, inner: Any) -> Values:  # noqa: ANN401 - a polars type
    kind = pl.Float64 if isinstance(inner, pl.Decimal) else inner
    lists = series.cast(pl.List(kind))
    _check_lengths(name, lists.list.len().to_numpy())
    numbers = lists.explode()
    if numbers.null_count():
        has_gap = lists.list.eval(pl.element().is_null()).list.any()
        _refuse_gaps(name, has_gap)
    return numbers.to_numpy().reshape(len(series), -1)


def _check_lengths(name: str, lengths: Ints) -> None:
    is_odd = lengths != lengths[0]
    if is_odd.any():
        row = int(is_odd.argmax())
        raise ValueError(
            f"column {name!r} must have as many numbers in every row "
            f"(row 0 has {lengths[0]}, row {row} has {lengths[row]})"
        )


def _refuse_gaps(name: str, gaps: pl.Series) -> None:
    if gaps.any():
        raise MissingValues(name, gaps.to_numpy())
