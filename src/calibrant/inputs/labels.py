"""Labels: the class of each row, given as a place or a name, checked and made a place."""

from collections.abc import Hashable
from difflib import get_close_matches

import numpy as np
from numpy.typing import ArrayLike

from ..fitting.types import Array, Bools, Ints, Values
from ..fitting.weights import Weights, weighted_sum
from .checks import InputError, briefly, check_unmasked, first_row, floats, host

Classes = tuple[Hashable, ...]
Labels = Values  # the place of each row's class, (n,); or the share of each class, (n, k)

_SUM_TOLERANCE = 1e-3


def checked_labels(labels: ArrayLike, n: int, classes: Classes) -> Labels:
    """The places of the classes of n rows, or the shares that classes have of them."""
    array = _hosted(labels, n)
    if array.shape == (n, len(classes)):
        return _checked_shares(array)
    return _checked_places(_one_a_row(array, n), classes)


def are_shares(labels: Labels) -> bool:
    """Whether labels are the share of each class, (n, k)."""
    return labels.ndim == 2


def label_shares(labels: Labels, k: int) -> Array:
    """The share of each class, (n, k): 1 and 0 where a row has one class."""
    if are_shares(labels):
        return labels
    return np.eye(k)[labels]


def class_totals(labels: Labels, w: Weights, k: int) -> Array:
    """How many observations each class has."""
    if are_shares(labels):
        return np.asarray(weighted_sum(labels, w), np.float64)
    return np.bincount(labels, w, k).astype(np.float64)


def _checked_places(labels: Values, classes: Classes) -> Ints:
    """The very array where it has the places of classes already."""
    array = _whole_numbers(labels)
    kind = array.dtype.kind
    numbered = tuple(range(len(classes)))
    # Numbers beside names in text are the places of the classes.
    if kind in "iuf" and all(isinstance(name, str) for name in classes):
        classes = numbered
    if kind not in "iu" or classes != numbered:
        return _places(array, classes)
    _check_range(array, len(classes))
    return array


def _hosted(labels: ArrayLike, n: int) -> Values:
    check_unmasked(labels, "labels")
    try:
        return host(labels)
    except ValueError as error:
        raise ValueError(f"{_rule(n)}, got {briefly(labels)}") from error


def _one_a_row(array: Values, n: int) -> Values:
    if array.shape == (n,):
        return array
    hint = ""
    if array.ndim == 2:
        hint = "; shares of classes need a column for each of them"
    raise ValueError(f"{_rule(n)}, got shape {array.shape}{hint}")


def _rule(n: int) -> str:
    return f"labels must be one class for each of the {n} rows"


def _checked_shares(labels: Values) -> Labels:
    """Shares of classes, rows of sum one; as places where every row has one class."""
    shares = floats(labels, "labels").astype(np.float64)

    def is_wrong(block: Array) -> Bools:
        is_sum = np.abs(block.sum(1) - 1) <= _SUM_TOLERANCE
        # A nan fails the comparisons too.
        is_share = (block >= 0).all(1)
        return ~(is_sum & is_share)

    row = first_row(is_wrong, shares)
    if row is not None:
        raise ValueError(
            "labels given as shares of classes must not be negative and must sum to one "
            f"(row {row} is {briefly(shares[row])}, sum {shares[row].sum():.6g}); "
            "divide counts of votes by their sum"
        )
    if np.isin(shares, (0.0, 1.0)).all():
        return shares.argmax(1)
    shares /= shares.sum(1, keepdims=True)
    return shares


def _whole_numbers(labels: Values) -> Values:
    """Labels that are whole numbers in another type as such; others as they are."""
    if labels.dtype.kind == "O" and _are_whole_objects(labels):
        labels = np.array(labels.tolist())
    if labels.dtype.kind == "b":
        return labels.view(np.uint8)
    if labels.dtype.kind == "f" and _are_whole_floats(labels):
        return labels.astype(np.int64)
    return labels


def _are_whole_objects(labels: Values) -> bool:
    return all(isinstance(label, int | np.integer) for label in labels)


def _are_whole_floats(labels: Values) -> bool:
    is_whole = labels == np.floor(labels)
    # Beyond 2^53 floats are whole by themselves, and no longer the numbers that were meant.
    is_exact = np.abs(labels) < 2**53
    return bool(is_whole.all() and is_exact.all())


def _check_range(labels: Ints, k: int) -> None:
    def is_outside(block: Ints) -> Bools:
        return (block < 0) | (block >= k)

    row = first_row(is_outside, labels)
    if row is not None:
        counts_from_one = labels.min() == 1 and labels.max() == k
        way_out = "subtract 1" if counts_from_one else "they are places of columns, from 0 on"
        raise ValueError(
            f"labels must lie in 0..{k - 1}, as there are {k} classes "
            f"(row {row} is {briefly(labels[row])}); {way_out}"
        )


def _places(labels: Values, classes: Classes) -> Ints:
    place = {name: i for i, name in enumerate(classes)}
    found = (place.get(name, -1) for name in labels.tolist())
    places = np.fromiter(found, np.intp, len(labels))
    is_unknown = places < 0
    if is_unknown.any():
        row = int(is_unknown.argmax())
        raise _unknown(labels[row], row, classes)
    return places


def _unknown(label: object, row: int, classes: Classes) -> InputError:
    near = get_close_matches(str(label), [str(name) for name in classes], 1)
    way_out = "; did you mean {!r}?".format(*near) if near else "; each needs a column of its own"
    if isinstance(label, float | np.floating):
        way_out = "; shares of classes need a column for each of them"
    elif classes == tuple(range(len(classes))):
        way_out = "; name them with {classes}"
    return InputError(
        f"labels must be among the classes {briefly(classes)} (row {row} is {briefly(label)})",
        way_out,
    )
