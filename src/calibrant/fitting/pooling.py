"""Equal values as one: sorted, with what belongs to them added up."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .types import Array, Ints, Outcomes
from .weights import Weights, counts

_ROUNDINGS = 4
_TINY = float(np.finfo(np.float64).tiny)


class Pool(NamedTuple):
    """Claims sorted and made distinct: each with its weight and the weight of events among it."""

    p: Array
    w: Array
    happened: Array


def pool(p: Array, y: Outcomes, w: Weights) -> Pool:
    """Chances `p`, none negative, as one where they are equal; rows without weight are left out."""
    p = _without_signs(p)
    if w is None and y.dtype == np.bool_:
        return _pool_by_bits(p, y)
    w = counts(w, len(p))
    kept = np.flatnonzero(w)
    by_value = np.argsort(p[kept])
    order = kept[by_value]
    w = w[order]
    happened = w * y[order]
    return runs(p[order], [w, happened])


def runs(p: Array, sums: list[Array]) -> Pool:
    """Sorted claims made distinct, what belongs to equal ones added up."""
    starts = run_starts(p)
    if len(starts) < len(p):
        p = p[starts]
        sums = [np.add.reduceat(each, starts) for each in sums]
    p = p.astype(np.float64)
    return Pool(p, *sums)


def nearly_equal(pool: Pool, dtype: DTypeLike) -> Pool:
    """Claims that differ by a type's rounding alone made one, at their mean.

    >>> apart = Pool(np.array([0.3, 0.1 + 0.2]), np.ones(2), np.array([0.0, 1.0]))
    >>> nearly_equal(apart, np.float64).w.tolist()
    [2.0]
    """
    p, w, _ = pool
    width = _ROUNDINGS * float(np.finfo(dtype).eps) * p
    # A chain of neighbours, each near the next, is cut into parts no wider than rounding is.
    is_near = np.diff(p, prepend=-np.inf) <= width
    first = p[~is_near]
    chain = np.cumsum(~is_near) - 1
    part = np.floor((p - first[chain]) / np.maximum(width, _TINY))
    is_first = ~is_near
    is_first[1:] |= part[1:] != part[:-1]
    starts = np.flatnonzero(is_first)
    if len(starts) == len(p):
        return pool
    weight = np.add.reduceat(w, starts)
    mean = np.add.reduceat(w * p, starts) / weight
    return Pool(mean, weight, np.add.reduceat(pool.happened, starts))


def run_starts(x: NDArray[Any]) -> Ints:
    """Where each run of equal values begins.

    >>> run_starts(np.array([3, 3, 5, 3])).tolist()
    [0, 2, 3]
    """
    differs = x[1:] != x[:-1]
    return np.flatnonzero(np.append(True, differs))


def _without_signs(p: Array) -> Array:
    """Chances in float32 at least; adding 0 makes -0.0 a plain zero."""
    if p.dtype.itemsize <= 2:
        return p.astype(np.float32)
    return p + p.dtype.type(0)


def _pool_by_bits(p: Array, y: Outcomes) -> Pool:
    """Rows of weight one: one sort of integers orders chances and outcomes together.

    A chance's bits order as its value does and leave the sign bit free, where the outcome rides.
    """
    size = p.dtype.itemsize
    keys = p.view(f"u{size}") << 1
    keys |= y
    keys.sort()
    outcomes = keys & 1
    happened = outcomes.astype(np.float64)
    keys >>= 1
    ordered = keys.view(p.dtype)
    w = np.ones(len(keys))
    return runs(ordered, [w, happened])
