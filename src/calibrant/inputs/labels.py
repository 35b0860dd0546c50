"""Labels: the class of each row, given as a place or a name, checked and made a place."""

from collections.abc import Hashable

import numpy as np
from numpy.typing import ArrayLike

from ..fitting.types import Bools, Ints, Values
from .checks import InputError, briefly, first_row, host

Classes = tuple[Hashable, ...]


def checked_labels(labels: ArrayLike, n: int, classes: Classes) -> Ints:
    """The places of the classes of n rows: the very array where it has them already."""
    array = _whole_numbers(_one_a_row(labels, n))
    kind = array.dtype.kind
    numbered = tuple(range(len(classes)))
    # Numbers beside names in text are the places of the classes.
    if kind in "iuf" and all(isinstance(name, str) for name in classes):
        classes = numbered
    if kind not in "iu" or classes != numbered:
        return _places(array, classes)
    _check_range(array, len(classes))
    return array


def _one_a_row(labels: ArrayLike, n: int) -> Values:
    rule = f"labels must be one class for each of the {n} rows"
    try:
        array = host(labels)
    except ValueError as error:
        raise ValueError(f"{rule}, got {briefly(labels)}") from error
    if array.shape == (n,):
        return array
    hint = ""
    if array.ndim == 2:
        hint = "; for one-hot rows give labels.argmax(1)"
    raise ValueError(f"{rule}, got shape {array.shape}{hint}")


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
        raise ValueError(
            f"labels must lie in 0..{k - 1}, as there are {k} classes "
            f"(row {row} is {briefly(labels[row])})"
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
    way_out = ""
    if classes == tuple(range(len(classes))):
        way_out = "; name them with {classes}"
    return InputError(
        f"labels must be among the classes {briefly(classes)} (row {row} is {briefly(label)})",
        way_out,
    )
