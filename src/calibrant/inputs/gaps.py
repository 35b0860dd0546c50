"""Missing values: rows of a column that have none are counted and refused, or left out if asked."""

from collections.abc import Sequence

import numpy as np

from ..fitting.types import Bools, Values
from .checks import InputError

# What a column of numbers holds as text where a number is missing; in labels these may be classes.
MISSING_WORDS = ("", "na", "n/a", "nan", "null", "none", "-", "?")


class MissingValues(InputError):
    """Rows of a column have no value: `gaps` says which."""

    def __init__(self, name: str, gaps: Bools) -> None:
        self.name = name
        self.gaps = gaps
        first = int(gaps.argmax())
        broken = (
            f"column {name!r} must have a value in every row "
            f"({int(gaps.sum()):,} of {len(gaps):,} have none, the first is row {first})"
        )
        way_out = "; fill them, or leave such rows out{skip}"
        super().__init__(broken, "; fill them" if gaps.all() else way_out)


def complete(name: str, array: Values) -> Values:
    """The array, if it holds no nan."""
    # The least of some numbers is nan if one is, and costs no second array.
    if array.dtype.kind != "f" or not array.size or not np.isnan(array.min()):
        return array
    gaps = np.isnan(array).reshape(len(array), -1)
    raise MissingValues(name, np.asarray(gaps.any(axis=1)))


def refuse_missing_words(name: str, texts: Sequence[object]) -> None:
    """Refuse a column of numbers or truths that has a word for nothing in some rows."""
    gaps = np.array([str(text).strip().lower() in MISSING_WORDS for text in texts])
    if gaps.any() and not gaps.all():
        raise MissingValues(name, gaps)
