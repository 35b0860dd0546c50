"""Claims of a stream counted in cells along their log odds, and exact 0 and 1 read by the past alone."""

from functools import cache

import numpy as np

from ..fitting.types import Array, Bools

# Beyond these log odds a claim is 0 or 1 for all that outcomes could tell.
LIMIT = 30.0
CELLS = 161
# No claim in float64 is nearer to 1 than this, and none is read as nearer to 0.
_LEAST = 2.0**-54
_FARTHEST = 300.0


@cache
def centres() -> Array:
    """Log odds of the cells: closest around one half, where most claims differ."""
    ends = np.arcsinh(LIMIT)
    return np.sinh(np.linspace(-ends, ends, CELLS))


def tally(z: Array, y: Array | Bools, w: Array) -> Array:
    """Rows and events by cell, (2, cells): each row's are shared by the two cells beside it."""
    ends = np.arcsinh(LIMIT)
    along = np.arcsinh(np.clip(z, -LIMIT, LIMIT))
    along += ends
    along *= (CELLS - 1) / (2 * ends)
    below = np.minimum(along.astype(np.intp), CELLS - 2)
    above = along - below
    rows = w * above
    at = np.concatenate([below, below + 1])
    parts = np.concatenate([w - rows, rows])
    happened = parts * np.concatenate([y, y])
    return np.stack([np.bincount(at, parts, CELLS), np.bincount(at, happened, CELLS)])


def read_claims(p: Array, nearest: float, before: float) -> tuple[Array, float]:
    """Log odds of claims; each exact 0 or 1 read by the claims up to it, never by later ones.

    It is half the smallest distance from 0 or 1 so far, or 1 / (rows + 2). `nearest` is that of
    the rows `before`; what it has become is returned beside the log odds.
    """
    p = p.astype(np.float64, copy=False)
    distance = np.minimum(p, 1 - p)
    distance = np.where(distance > 0, distance, np.inf)
    so_far = np.minimum(np.minimum.accumulate(distance), nearest)
    floor = np.maximum(so_far / 2, _LEAST)
    unknown = so_far == np.inf
    if unknown.any():
        rows = before + np.arange(1, len(p) + 1)
        floor = np.where(unknown, 1 / (rows + 2), floor)
    with np.errstate(divide="ignore"):
        z = np.log(p) - np.log1p(-p)
    edge = np.log(floor) - np.log1p(-floor)
    z = np.where(p <= 0, edge, np.where(p >= 1, -edge, z))
    return z, float(so_far[-1])


def bounded(z: Array) -> Array:
    """Log odds that no exponential takes out of range."""
    return np.clip(z, -_FARTHEST, _FARTHEST)
