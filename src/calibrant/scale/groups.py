"""Subgroups of any number of rows: a sketch of each of the largest, and one of all others."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import add
from typing import Unpack

import numpy as np
import polars as pl

from ..inputs.predictions import Predictions
from ..inputs.views import View
from .asking import QUESTIONS, Question
from .parts import Part, Rows, Task
from .sketch import Sketch
from .sources import Named, rows

MOST_GROUPS = 30
# Beyond so many values a column names rows rather than groups.
_MOST_VALUES = 100_000
MISSING = "missing"
OTHERS = "{:,} other values"
Sketches = dict[str, Sketch]


def by_group(
    x: object,
    by: str,
    *,
    most: int = MOST_GROUPS,
    views: Sequence[Question] = ("top_label",),
    split: str | None = None,
    skip_bad: bool = False,
    **columns: Unpack[Named],
) -> Sketches:
    """A sketch for each value of a column: of the `most` with most rows, and of all others as one.

    Rows are read twice, once to count values, so that which are shown does not depend on order.
    """
    found = rows(x, split=split, skip_bad=skip_bad, beside=[by], **columns)
    return grouped(found, by, most, views)


def grouped(found: Rows, by: str, most: int, views: Sequence[Question]) -> Sketches:
    """As `by_group`, of rows whose reader keeps the column."""
    counted = found.sum(Task(Counter, partial(_count, by), add)).value
    if len(counted) > _MOST_VALUES:
        raise ValueError(
            f"groups are of columns with at most {_MOST_VALUES:,} different values, and {by!r} "
            "has more: cut numbers into ranges first"
        )
    kept = sorted(counted, key=lambda name: (-counted[name], name))[:most]
    rest = OTHERS.format(len(counted) - len(kept))
    work = partial(_update, by, frozenset(kept), rest, tuple(views))
    sketches = found.sum(Task(dict, work, _merged)).value
    names = [*sorted(kept), *([rest] if rest in sketches else [])]
    return {name: sketches[name] for name in names}


def group_views(
    found: Rows, by: Sequence[str], most: int = MOST_GROUPS
) -> dict[str, dict[str, View]]:
    """The first question of each group, by column and by value: as `report` takes groups."""
    reader = replace(found.reader, beside=tuple(dict.fromkeys([*found.reader.beside, *by])))
    kept = found.reading(reader)
    asked: tuple[Question, ...] = ("top_label", "classwise")
    return {
        name: {value: _first(each) for value, each in grouped(kept, name, most, asked).items()}
        for name in by
    }


def _first(sketch: Sketch) -> View:
    assert sketch.shape is not None
    return sketch.view("class_1" if sketch.shape.k == 2 else "top_label")


def _count(by: str, so_far: "Counter[str]", part: Part) -> "Counter[str]":
    names, each = _names(part, by)
    counts = np.bincount(each, minlength=len(names))
    if len(so_far) > _MOST_VALUES:  # no part is to blame: the sum is refused
        return so_far
    return so_far + Counter(dict(zip(names, counts.tolist(), strict=True)))


def _update(
    by: str,
    kept: frozenset[str],
    rest: str,
    views: tuple[Question, ...],
    so_far: Sketches,
    part: Part,
) -> Sketches:
    names, each = _names(part, by)
    shown = [name if name in kept else rest for name in names]
    for group in dict.fromkeys(shown):
        codes = [code for code, name in enumerate(shown) if name == group]
        at = np.flatnonzero(np.isin(each, codes))
        if len(at):
            sketch = so_far.setdefault(group, _empty(part.x, views))
            sketch.update(part.x[at])
    return so_far


def _empty(x: Predictions | View, views: tuple[Question, ...]) -> Sketch:
    # Of two classes the second is asked, of more the top label.
    if isinstance(x, Predictions) and set(views) == {"top_label", "classwise"}:
        views = ("classwise",) if x.k == 2 else ("top_label",)
    return Sketch(views=[view for view in QUESTIONS if view in views], sample=0)


def _merged(mine: Sketches, other: Sketches) -> Sketches:
    both = dict(mine)
    for name, sketch in other.items():
        both[name] = both[name].merge(sketch) if name in both else sketch
    return both


def _names(part: Part, by: str) -> tuple[list[str], np.ndarray]:
    """Values in words, and which of them each row has."""
    if by not in part.frame.columns:
        raise ValueError(f"parts of a table must have the same columns: there is no column {by!r}")
    series = part.frame[by]
    distinct = series.unique()
    places = pl.int_range(len(distinct), eager=True)
    each = series.replace_strict(distinct, places).to_numpy()
    return [_in_words(value) for value in distinct.to_list()], each


def _in_words(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return MISSING
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return str(value)
