"""Whether arrays are what they are said to be: logits, or probabilities that sum to one."""

from typing import Any

import numpy as np

from ..fitting.types import Array, Bools
from .checks import InputError, briefly, first_row

SUM_TOLERANCE = 1e-3
# Of larger ones squares overflow; masks are float32's least number, -3.4e38, at most.
MOST_LOGIT = 1e100
# Fewer rows of logits may sum to one by accident.
FEWEST_TO_QUESTION = 10


def check_logits(z: Array) -> None:
    """Refuse what is not finite, or no matrix."""
    _check_shape(z, "logits")
    row = first_row(_is_not_finite, z)
    if row is not None:
        raise ValueError(f"logits must be finite (row {row} is {briefly(z[row])})")
    row = first_row(_is_beyond, z) if z.dtype == np.float64 else None
    if row is not None:
        raise ValueError(
            f"logits must lie within ±{MOST_LOGIT:g} (row {row} is {briefly(z[row])}); "
            "mask a class with -1e9"
        )


def question_logits(z: Array, option: str) -> None:
    """Refuse logits of a file that are probabilities by all appearances; `option` names those."""
    if z.ndim != 2 or len(z) < FEWEST_TO_QUESTION or z.min() < 0:
        return
    off = np.abs(z.sum(axis=1, dtype=np.float64) - 1)
    if off.max() <= SUM_TOLERANCE:
        raise ValueError(
            "these logits are probabilities, it seems: in every row none is below 0 and they sum "
            f"to one; name their columns with {option}"
        )


def checked_vectors(p: Array, rounding: float) -> Array:
    """Rows that sum to one: the very array, or a copy where rounding took a chance below 0."""
    _check_shape(p, "probs")
    tolerance = max(SUM_TOLERANCE, rounding)
    working = np.promote_types(p.dtype, np.float32)
    negative: list[bool] = []

    def is_wrong(block: Array) -> Bools:
        # Classes go first, as numpy adds fast along rows that lie side by side.
        columns = np.ascontiguousarray(block.T, working)
        off = np.abs(columns.sum(0) - 1)
        # A nan fails the comparison too.
        is_fine: Bools = off <= tolerance
        if columns.min() < 0:
            negative.append(True)
            is_fine &= (columns >= -rounding).all(0)
        return ~is_fine

    row = first_row(is_wrong, p)
    if row is not None:
        raise _no_vector(p[row], row, rounding)
    return np.maximum(p, 0) if negative else p


def _no_vector(p: Array, row: int, rounding: float) -> ValueError:
    if not np.isfinite(p).all():
        return ValueError(f"probs must be finite (row {row} is {briefly(p)})")
    way_out = "; for logits {logits}"
    if (p < -rounding).any():
        return InputError(
            f"probs must not be negative (row {row} is {briefly(p)})",
            way_out,
        )
    broken = f"probs rows must sum to one (row {row} sums to {p.sum():.6g})"
    if abs(p.sum() - 100) < 2:
        return InputError(broken, "; divide percents by 100")
    return InputError(broken, f"{way_out}, else divide rows by their sums")


def _check_shape(x: Array, name: str) -> None:
    is_empty = 0 in x.shape
    if x.ndim != 2 or is_empty or x.shape[1] < 2:
        raise ValueError(
            f"{name} must be (rows, classes) with at least one row and two classes, "
            f"or (rows,) for class 1; got shape {x.shape}"
        )


def _is_beyond(block: Array) -> Bools:
    is_beyond: Any = (np.abs(block) > MOST_LOGIT).any(1)
    return is_beyond


def _is_not_finite(block: Array) -> Bools:
    is_finite: Any = np.isfinite(block).all(1)
    return ~is_finite
