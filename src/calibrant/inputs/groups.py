"""Which group each row is of, by names that numbers, texts and gaps of any column have in common."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..fitting.types import Ints
from .checks import host

MISSING = "missing"


class Grouping(NamedTuple):
    """The names of the groups, and the place of each row's among them."""

    names: tuple[str, ...]
    place: Ints

    def rows(self) -> list[Ints]:
        """The rows of each group."""
        order = np.argsort(self.place, kind="stable")
        size = np.bincount(self.place, minlength=len(self.names))
        return np.split(order, np.cumsum(size)[:-1])


def grouped(values: ArrayLike, n: int, name: str = "groups") -> Grouping:
    """The group of each of n rows; groups in the order of their values, missing ones last.

    A whole number has no point, so that 3, 3.0 and "3" are one group.

    >>> grouped([2.0, 10.0, None, 2.0], 4).names
    ('2', '10', 'missing')
    """
    array = host(values)
    _check_values(array, n, name)
    names, place = _places(array)
    return Grouping(tuple(names), place)


def _check_values(array: NDArray[Any], n: int, name: str) -> None:
    if _holds_lists(array):
        raise ValueError(f"{name} must have one value a row and holds lists; name another column")
    if array.shape != (n,):
        raise ValueError(
            f"{name} must have one value for each of the {n:,} rows, got shape {array.shape}"
        )


def _holds_lists(array: NDArray[Any]) -> bool:
    if array.dtype != object or array.ndim != 1:
        return False
    return any(isinstance(each, list | np.ndarray) for each in array)


def _places(array: NDArray[Any]) -> tuple[list[str], Ints]:
    """Distinct values in words, ascending, missing ones last, and which of them each row has."""
    if array.dtype.kind in "biuf":
        distinct, place = np.unique(array, return_inverse=True, equal_nan=True)
        return [in_words(value) for value in distinct], place
    values = [None if _is_missing(value) else value for value in array.tolist()]
    word_of = {value: in_words(value) for value in sorted(set(values), key=_sort_key)}
    names = list(dict.fromkeys(word_of.values()))
    place_of_word = {word: place for place, word in enumerate(names)}
    place_of = {value: place_of_word[word] for value, word in word_of.items()}
    return names, np.array([place_of[value] for value in values], np.intp)


def in_words(value: Any) -> str:  # noqa: ANN401 - whatever a column holds
    """A value as it is shown: a whole number without its point, as columns with gaps have it."""
    if _is_missing(value):
        return MISSING
    if isinstance(value, float | np.floating) and value == np.rint(value):
        return f"{value:.0f}"
    return str(value)


def _sort_key(value: Any) -> tuple[bool, bool, Any]:  # noqa: ANN401
    """Numbers by value, then text, then what is missing."""
    comparable = value if isinstance(value, float | int) else str(value)
    return value is None, isinstance(value, str), comparable


def _is_missing(value: Any) -> bool:  # noqa: ANN401
    """Whether it is None, nan, or the NA of pandas, whose equality is neither true nor false."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return bool(value != value)
