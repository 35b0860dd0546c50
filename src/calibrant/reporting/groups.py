"""Subgroups: the same question asked of each part of the rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..fitting.types import Ints
from ..inputs.checks import host
from ..inputs.views import View
from ..measures.ks import ks_error
from ..progress import progress, quiet
from .intervals import of_measure, summarised
from .verdict import Finding, chance_limit, judge, mean_claim, share

MOST_SHOWN = 30
MISSING = "missing"
TOO_MANY = (
    "{} has {:,} different values: the {} with the most rows are shown. Of numbers, ranges say more: cut them first, "
    "as numpy.digitize does."
)
BY_CHANCE = "Of {} groups about {:.0f} would look off by chance alone."


@dataclass(frozen=True)
class Group:
    """One part of the rows: what it claims, what happened, its KS error, and what chance alone stays below."""

    by: str
    name: str
    n: int
    total: float
    claimed: float
    happened: float
    ks: float
    limit: float
    low: float | None
    high: float | None
    finding: Finding
    words: str


def groups(
    view: View,
    by: ArrayLike | Mapping[str, ArrayLike],
    *,
    has_classes: bool,
    intervals: bool = False,
) -> tuple[tuple[Group, ...], tuple[str, ...]]:
    """Every group of every way to part the rows, and what to mind about them."""
    parted = {name: _parts(name, values, view) for name, values in _named(by).items()}
    shown = {name: _largest(parts, view) for name, parts in parted.items()}
    found: list[Group] = []
    with progress("measuring groups", sum(map(len, shown.values()))) as tick, quiet():
        for name, parts in shown.items():
            for value, rows in parts.items():
                found.append(
                    _group(name, value, view[rows], has_classes=has_classes, intervals=intervals)
                )
                tick()
    return tuple(found), tuple(_notes(parted, found))


def _group(by: str, name: str, view: View, *, has_classes: bool, intervals: bool) -> Group:
    low, high = of_measure(ks_error, summarised(view)) if intervals else (None, None)
    finding, words, _ = judge(view, has_classes=has_classes)
    claimed, happened = mean_claim(view), share(view)
    ks, limit = ks_error(view), chance_limit(view)
    return Group(
        by, name, view.n, view.total, claimed, happened, ks, limit, low, high, finding, words
    )


def _named(by: ArrayLike | Mapping[str, ArrayLike]) -> dict[str, ArrayLike]:
    if isinstance(by, Mapping):
        if not by:
            raise ValueError(
                "by must name at least one way to part the rows, got an empty dict; leave it out instead"
            )
        return {str(name): values for name, values in by.items()}
    return {"group": by}


def _parts(by: str, values: ArrayLike, view: View) -> dict[str, Ints]:
    """Rows of each value, in the order of the values; rows of no weight are left out."""
    array = host(values)
    if (
        array.dtype == object
        and array.ndim == 1
        and any(isinstance(each, list | np.ndarray) for each in array)
    ):
        raise ValueError(f"by must have one value a row; {by!r} holds lists; name another column")
    if array.shape != (view.n,):
        raise ValueError(
            f"by must have one value for each of the {view.n:,} rows; {by!r} has shape {array.shape}"
        )
    distinct, place = _places(array)
    kept = np.arange(view.n) if view.w is None else np.flatnonzero(view.w)
    order = kept[np.argsort(place[kept], kind="stable")]
    starts = np.flatnonzero(np.append(True, np.diff(place[order]) != 0))
    rows = np.split(order, starts[1:])
    return {distinct[place[each[0]]]: each for each in rows}


def _places(array: NDArray[Any]) -> tuple[list[str], Ints]:
    """Distinct values in words, in ascending order, missing ones last, and which of them each row has."""
    if array.dtype.kind in "biuf":
        found, place = np.unique(array, return_inverse=True, equal_nan=True)
        return [MISSING if value != value else _told(value) for value in found], place
    values = [None if _is_missing(value) else value for value in array.tolist()]
    # Numbers by value, then text, then what is missing.
    distinct = sorted(
        set(values), key=lambda value: (value is None, isinstance(value, str), _ordered(value))
    )
    at = {value: k for k, value in enumerate(distinct)}
    return [MISSING if value is None else _told(value) for value in distinct], np.array(
        [at[value] for value in values]
    )


def _told(value: Any) -> str:  # noqa: ANN401 - whatever a column holds
    """A whole number without its point, as columns with gaps have it."""
    return (
        f"{value:.0f}"
        if isinstance(value, float | np.floating) and value == np.rint(value)
        else str(value)
    )


def _ordered(value: Any) -> Any:  # noqa: ANN401
    return value if isinstance(value, float | int) else str(value)


def _is_missing(value: Any) -> bool:  # noqa: ANN401
    """None, nan, or the NA of pandas, which is not even equal to itself in a way that is true or false."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _largest(parts: dict[str, Ints], view: View) -> dict[str, Ints]:
    def weight(rows: Ints) -> float:
        return float(len(rows) if view.w is None else view.w[rows].sum())

    kept = set(sorted(parts, key=lambda name: -weight(parts[name]))[:MOST_SHOWN])
    return {name: rows for name, rows in parts.items() if name in kept}


def _notes(parted: dict[str, dict[str, Ints]], found: list[Group]) -> Iterator[str]:
    for name, parts in parted.items():
        if len(parts) > MOST_SHOWN:
            yield TOO_MANY.format(name, len(parts), MOST_SHOWN)
    if len(found) >= 20:
        yield BY_CHANCE.format(len(found), len(found) / 20)
