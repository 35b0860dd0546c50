"""What users hand over, checked: arrays of numbers, chances, outcomes, weights, settings."""

import sys
from collections.abc import Callable, Sequence
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike

from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.types import Array, Bools, Outcomes, Values
from .frames import in_memory

Kinds = tuple[Any, ...]

# Beyond 2^53 a float64 no longer tells single counts apart.
MOST_OBSERVATIONS = 2.0**53
FEWEST_OBSERVATIONS = 1e-9

MOST_BINS = 100_000

MAKE_THEM = "make them with from_probs(probs, labels), from_logits(logits, labels) or binary(p, y)"

IN_ONE = "claims and outcomes are one argument: binary(p, y), or from_probs(probs, labels)"


class Undefined(ValueError):
    """A measure has no value for such data; `reason` says why in a few words."""

    def __init__(self, rule: str, reason: str) -> None:
        self.reason = reason
        super().__init__(f"{rule}: {reason}")


class InputError(ValueError):
    """A rule that was broken, and the way out of it.

    Where the way out says {logits}, {classes} or {skip}, arrays and files have different words: of a
    file one names columns, and rows may be left out.
    """

    def __init__(self, broken: str, way_out: str = "") -> None:
        self.broken = broken
        self.way_out = way_out
        super().__init__(self.told(logits="use from_logits", classes="classes=[...]"))

    def told(self, *, logits: str, classes: str, skip: str = "") -> str:
        """The rule and the way out, in the words for logits, for classes and to skip rows."""
        return self.broken + self.way_out.format(logits=logits, classes=classes, skip=skip)


def check_argument(name: str, value: object, kind: Any) -> None:  # noqa: ANN401 - any annotation
    """Refuse a value that its annotation does not allow: a word, a whole number, a family."""
    kinds = _alternatives(kind)
    words = _words(kinds)
    types = _types(kinds)
    says_nothing = not words and not types
    if says_nothing or _is_word(value, words) or _is_of_type(value, types):
        return
    allowed = [repr(word) for word in words]
    allowed += [f"of type {each.__name__}" for each in types]
    either = " or ".join(allowed)
    if isinstance(value, np.ndarray) and value.ndim:
        # The habit of other libraries, ece(y, p), puts an array where a setting stands.
        raise ValueError(f"{name} must be {either}, got {briefly(value)}; {IN_ONE}")
    raise ValueError(f"{name} must be {either}, got {value!r}")


def check_count(name: str, count: int, most: int = MOST_BINS) -> None:
    """Refuse a number of bins that is none, or so large that empty ones would fill the memory."""
    if count < 1:
        raise ValueError(f"{name} must be at least 1, got {count}")
    if count > most:
        raise ValueError(f"{name} must be at most {most:,}, got {briefly(count)}")


def floats(x: ArrayLike, name: str) -> Array:
    """`x` as a floating array, in its own float type and without a copy where it has one."""
    check_unmasked(x, name)
    try:
        return _as_floats(host(x))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must be an array of numbers, none missing, got {briefly(x)}"
        ) from error


def checked_chances(p: ArrayLike, name: str = "p") -> Array:
    """One chance a row: the very array, or a copy where rounding took a chance out of range."""
    array = floats(p, name)
    if array.ndim != 1 or not array.size:
        raise ValueError(
            f"{name} must be one chance a row with at least one row, got shape {array.shape}"
        )
    rounding = rounding_of(p, array)

    def is_outside(block: Array) -> Bools:
        is_inside = (block >= -rounding) & (block <= 1 + rounding)
        return ~is_inside

    row = first_row(is_outside, array)
    if row is not None:
        raise InputError(
            f"{name} must lie in [0, 1] (row {row} is {briefly(array[row])})",
            "; for logits {logits}, divide percents by 100",
        )
    if array.min() >= 0 and array.max() <= 1:
        return array
    return np.clip(array, 0, 1)


def checked_outcomes(y: ArrayLike, n: int) -> Outcomes:
    """Whether the event happened, a row each; where it happened in part, to what share."""
    check_unmasked(y, "y")
    array = host(y)
    if array.dtype.kind != "b":
        array = floats(array, "y")
    if array.shape != (n,):
        raise ValueError(
            f"y must have one outcome for each of the {n} claims, got shape {array.shape}"
        )

    if array.dtype.kind == "b":
        return array

    def is_no_share(block: Values) -> Bools:
        is_share = (block >= 0) & (block <= 1)
        return ~is_share

    row = first_row(is_no_share, array)
    if row is not None:
        raise ValueError(
            "y must be 0 or 1, whether the event happened, or a share between "
            f"(row {row} is {briefly(array[row])})"
        )
    is_certain = (array == 0) | (array == 1)
    if is_certain.all():
        return array.astype(np.bool_)
    return array.astype(np.float64)


def checked_weights(weights: ArrayLike | None, n: int) -> Array | None:
    """Weights as float64 counts; None stays None."""
    if weights is None:
        return None
    w = floats(weights, "weights").astype(np.float64, copy=False)
    if w.shape != (n,):
        raise ValueError(
            f"weights must be one number for each of the {n} rows, got shape {w.shape}"
        )

    def is_no_count(block: Array) -> Bools:
        is_count = (block >= 0) & (block < np.inf)
        return ~is_count

    row = first_row(is_no_count, w)
    if row is not None:
        raise ValueError(
            f"weights must be counts, finite and not negative (row {row} is {briefly(w[row])})"
        )
    if not w.any():
        raise ValueError("weights must not all be 0: no observation would be left")
    with np.errstate(over="ignore"):
        _check_total(float(w.sum()))
    return w


def check_unmasked(x: object, name: str) -> None:
    """Refuse a masked array that hides a value: numpy would give what lies below the mask."""
    if isinstance(x, np.ma.MaskedArray) and np.ma.getmaskarray(x).any():
        rows = np.nonzero(np.ma.getmaskarray(x))[0]
        raise ValueError(
            f"{name} must have every value, and {len(rows):,} are masked (the first in row {rows[0]}); "
            "leave such rows out, or fill them"
        )


def host(x: ArrayLike) -> Values:
    """An array in the memory of this machine, of whatever was given."""
    if not _is_tensor(x):
        return np.asarray(in_memory(x))
    tensor: Any = x
    tensor = tensor.detach().cpu()
    if _is_bfloat16(tensor):
        tensor = tensor.float()
    return np.asarray(tensor)


def rounding_of(given: ArrayLike, array: Array) -> float:
    """How far a probability may leave its range by rounding alone, in the type it was given in."""
    if _is_bfloat16(given):
        return 4 * 2.0**-7
    return 4 * float(np.finfo(array.dtype).eps)


def first_row(is_wrong: Callable[[Values], Bools], x: Values) -> int | None:
    """The first row of x that is wrong, if any is."""

    def first(rows: slice) -> int | None:
        wrong = is_wrong(x[rows])
        if not wrong.any():
            return None
        return rows.start + int(wrong.argmax())

    blocks = row_blocks(len(x), x[0].size)
    with np.errstate(invalid="ignore", over="ignore"):
        found = on_all_cores(first, blocks)
    return next((row for row in found if row is not None), None)


def briefly(x: object) -> str:
    """A value in at most one line."""
    if isinstance(x, np.ndarray):
        return np.array2string(x, precision=6, threshold=6, edgeitems=3)
    if isinstance(x, np.generic):
        x = x.item()
    text = " ".join(repr(x).split())
    if len(text) <= 60:
        return text
    return text[:57] + "..."


def _as_floats(array: Values) -> Array:
    if array.dtype.kind == "O":
        # A column of lists, as data frames have them.
        rows = [np.asarray(row, np.float64) for row in array]
        array = np.array(rows)
    if array.dtype.kind == "c":
        raise TypeError("complex numbers have no order")
    is_float = array.dtype.kind == "f"
    is_wide = array.dtype.itemsize > 8
    if is_wide or not is_float:
        array = array.astype(np.float64)
    return array


def _check_total(total: float) -> None:
    if not FEWEST_OBSERVATIONS <= total <= MOST_OBSERVATIONS:
        raise ValueError(
            f"weights are counts and must sum to {FEWEST_OBSERVATIONS:g} at least and "
            f"{MOST_OBSERVATIONS:g} at most, got {total:g}; multiply them by one number"
        )


def _is_tensor(x: object) -> bool:
    """Whether x is one of torch, which is not loaded to find out."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def _is_bfloat16(x: object) -> bool:
    tensor: Any = x
    return _is_tensor(x) and tensor.dtype == sys.modules["torch"].bfloat16


def _alternatives(kind: Any) -> Kinds:  # noqa: ANN401 - any annotation
    is_union = get_origin(kind) in (Union, UnionType)
    return get_args(kind) if is_union else (kind,)


def _words(kinds: Kinds) -> list[object]:
    words: list[object] = []
    for kind in kinds:
        origin: Any = get_origin(kind)
        if origin is Literal:
            words += get_args(kind)
    return words


def _types(kinds: Kinds) -> tuple[type, ...]:
    types: list[type] = []
    for kind in kinds:
        plain = get_origin(kind) or kind
        if isinstance(plain, type):
            types.append(plain)
    return tuple(types)


def _is_word(value: object, words: Sequence[object]) -> bool:
    """Whether a value is one of the words; 1 and True are two, and numpy's numbers are numbers."""
    if isinstance(value, np.generic):
        value = value.item()
    return any(type(value) is type(word) and value == word for word in words)


def _is_of_type(value: object, types: tuple[type, ...]) -> bool:
    """Whether a value is of a type; True is no whole number."""
    if isinstance(value, bool) and bool not in types:
        return False
    return isinstance(value, types)
