"""What users hand over, checked: arrays of numbers, chances, outcomes, weights, settings."""

import sys
from collections.abc import Callable
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.types import Array, Bools

MAKE_THEM = "make them with from_probs(probs, labels), from_logits(logits, labels) or binary(p, y)"


def check_argument(name: str, value: object, kind: Any) -> None:  # noqa: ANN401 - any type, as annotations are
    """A value that is not what its annotation allows: one of some words, a whole number, a family."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    words = [word for each in kinds if get_origin(each) is Literal for word in get_args(each)]
    types = tuple(plain for each in kinds if isinstance(plain := get_origin(each) or each, type))
    fits = not (words or types) or (
        isinstance(value, types) and (bool in types or not isinstance(value, bool))
    )
    if not fits and not any(value == word and type(value) is type(word) for word in words):
        allowed = [repr(word) for word in words] + [f"of type {each.__name__}" for each in types]
        raise ValueError(f"{name} must be {' or '.join(allowed)}, got {value!r}")


def floats(x: ArrayLike, name: str) -> Array:
    """`x` as a floating array, in its own float type and without a copy where it has one."""
    try:
        array = host(x)
        if array.dtype.kind == "O":
            # A column of lists, as data frames have them.
            array = np.array([np.asarray(row, np.float64) for row in array])
        if array.dtype.kind == "c":
            raise TypeError("complex")
        if array.dtype.kind != "f" or array.dtype.itemsize > 8:
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must be an array of numbers, none missing, got {briefly(x)}"
        ) from error
    return array


def chances(p: ArrayLike, name: str = "p") -> Array:
    """One chance a row, checked."""
    array = floats(p, name)
    if array.ndim != 1 or not array.size:
        raise ValueError(
            f"{name} must be one chance a row with at least one row, got shape {array.shape}"
        )
    rounding = rounding_of(p, array)
    refuse_rows(
        array,
        lambda block: ~((block >= -rounding) & (block <= 1 + rounding)),
        f"{name} must lie in [0, 1] (row {{row}} is {{value}}); for logits use from_logits, divide percents by 100",
    )
    # The very array, or where rounding took a chance out of range, a copy put right.
    return array if array.min() >= 0 and array.max() <= 1 else np.clip(array, 0, 1)


def outcomes(y: ArrayLike, n: int) -> Bools:
    """Whether the event happened, a row each, checked."""
    array = host(y)
    if array.dtype.kind != "b":
        array = floats(array, "y")
    if array.shape != (n,):
        raise ValueError(
            f"y must have one outcome for each of the {n} claims, got shape {array.shape}"
        )
    refuse_rows(
        array,
        lambda block: (block != 0) & (block != 1),
        "y must be 0 or 1, whether the event happened (row {row} is {value})",
    )
    return array.astype(np.bool_, copy=False)


def counts(weights: ArrayLike | None, n: int) -> Array | None:
    """Weights as float64 counts, checked; None stays None."""
    if weights is None:
        return None
    w = floats(weights, "weights").astype(np.float64, copy=False)
    if w.shape != (n,):
        raise ValueError(
            f"weights must be one number for each of the {n} rows, got shape {w.shape}"
        )
    refuse_rows(
        w,
        lambda block: ~((block >= 0) & (block < np.inf)),
        "weights must be counts, finite and not negative (row {row} is {value})",
    )
    if not w.any():
        raise ValueError("weights must not all be 0: no observation would be left")
    return w


def host(x: ArrayLike) -> NDArray[Any]:
    """An array in the memory of this machine, of whatever was given."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        tensor = x.detach().cpu()
        return np.asarray(tensor.float() if tensor.dtype == torch.bfloat16 else tensor)
    return np.asarray(x)


def rounding_of(given: ArrayLike, array: Array) -> float:
    """How far a probability may miss its range by rounding alone, in the type it was handed over in."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(given, torch.Tensor) and given.dtype == torch.bfloat16:
        return 4 * 2.0**-7
    return 4 * float(np.finfo(array.dtype).eps)


def refuse_rows(
    x: NDArray[Any],
    wrong: Callable[[NDArray[Any]], Bools],
    reason: str | Callable[[NDArray[Any]], str],
) -> None:
    """Raise for the first row that is wrong, with its place and value in the reason."""

    def first(rows: slice) -> int | None:
        bad = wrong(x[rows])
        return rows.start + int(bad.argmax()) if bad.any() else None

    with np.errstate(invalid="ignore", over="ignore"):
        found = on_all_cores(first, row_blocks(len(x), x[0].size))
    for row in found:
        if row is not None:
            text = reason if isinstance(reason, str) else reason(x[row])
            raise ValueError(text.format(row=row, value=briefly(x[row])))


def briefly(x: object) -> str:
    """A value in at most one line."""
    if isinstance(x, np.ndarray):
        return np.array2string(x, precision=6, threshold=6, edgeitems=3)
    text = " ".join(repr(x.item() if isinstance(x, np.generic) else x).split())
    return text if len(text) <= 60 else text[:57] + "..."
