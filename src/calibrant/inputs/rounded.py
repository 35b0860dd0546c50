"""Claims of exactly 0 and 1: rounded claims, not certainties, and what they are read as."""

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.logspace import TINY
from ..fitting.types import Array, Bools
from ..fitting.weights import Weights, present, total, weighted_sum

# Where nothing was rounded: the half step of float32 at 1, beyond which no format tells much.
HALF_STEP = 2.0**-25


class Reading(NamedTuple):
    """What a claim of exactly 0 is read as, and how many observations claim 0 or 1 exactly."""

    floor: float
    rows: float


class LateReading:
    """A reading that is found when it is first asked for, and shared by parts of the rows."""

    def __init__(self, find: Callable[[], Reading]) -> None:
        self._find = find

    @cached_property
    def found(self) -> Reading:
        """The reading."""
        return self._find()


def fixed(floor: float) -> LateReading:
    """A floor that was found elsewhere."""
    return LateReading(lambda: Reading(floor, 0.0))


def read_claims(p: Array, w: Weights) -> Reading:
    """Exact 0 and 1 among chances, (n,), or among the entries of vectors, (n, k).

    They are read as half the smallest positive distance of any other claim from 0 or 1, one chance
    and its complement never nearer to 1 than the half step of their type; if there is no other
    claim, as 1 / (n + 2). Where no claim is 0 or 1, the floor is for later ones.
    """
    if w is not None and not w.all():
        kept = present(w, len(p))
        return read_claims(p[kept], w[kept])
    nearest, is_exact, has_one = _distances(p)
    if not is_exact.any():
        least = min(nearest / 2, HALF_STEP)
        return Reading(max(least, TINY), 0.0)
    rows = float(weighted_sum(is_exact, w))
    if nearest == np.inf:
        return Reading(1 / (total(w, len(p)) + 2), rows)
    least = _eps(p) / 4 if has_one and _is_one_chance(p) else TINY
    return Reading(max(nearest / 2, least), rows)


def _is_one_chance(p: Array) -> bool:
    """Whether claims are of one chance, or pairs of a chance and its complement.

    A complement is as coarse as the chance is near 1: below half an eps, it is 0.
    """
    if p.ndim == 1:
        return True
    if p.shape[1] > 2:
        return False
    coarsest = _eps(p) / 2
    with_zeros = [column for column in p.T if column.min() <= 0]
    return any(column.min(where=column > 0, initial=1) >= coarsest for column in with_zeros)


def rounded_rows(p: Array, w: Weights, reading: Reading) -> float:
    """How many observations of some rows claim 0 or 1 exactly, of all that a reading is of."""
    if not reading.rows:
        return 0.0
    return float(weighted_sum(exact_rows(p), w))


def exact_rows(p: Array) -> Bools:
    """Which chances, or which vectors in any entry, are exactly 0 or 1."""
    columns = p.reshape(len(p), -1)

    def is_exact(rows: slice) -> Bools:
        block = columns[rows]
        found: Bools = (block <= 0) | (block >= 1)
        return np.asarray(found.any(1))

    return np.concatenate(on_all_cores(is_exact, row_blocks(*columns.shape)))


def _eps(p: Array) -> float:
    """That of the narrowest type that holds the claims: float32 numbers stay such in float64."""
    for kind in (np.float16, np.float32):
        if np.array_equal(p.astype(kind), p):
            return float(np.finfo(kind).eps)
    return float(np.finfo(np.float64).eps)


def _distances(p: Array) -> tuple[float, Bools, bool]:
    """The smallest positive distance from 0 and 1; which rows have an exact one; any exact 1."""
    is_exact = np.zeros(len(p), np.bool_)

    def look(rows: slice) -> tuple[float, bool]:
        block = p[rows]
        least, most = float(block.min(initial=1)), float(block.max(initial=0))
        if least > 0 and most < 1:
            return min(least, 1 - most), False
        is_zero = block <= 0
        is_one = block >= 1
        either = is_zero | is_one
        is_exact[rows] = either if p.ndim == 1 else either.any(1)
        is_other = ~either
        least = float(block.min(where=is_other, initial=np.inf))
        most = float(block.max(where=is_other, initial=-np.inf))
        return min(least, 1 - most), bool(is_one.any())

    k = 1 if p.ndim == 1 else p.shape[1]
    found = on_all_cores(look, row_blocks(len(p), k))
    nearest = min(distance for distance, _ in found)
    return nearest, is_exact, any(has_one for _, has_one in found)
