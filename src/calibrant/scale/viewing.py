"""The view that a summary gives: weighted points, two a cell, that read 0 and 1 as rows do."""

from functools import partial

import numpy as np

from ..fitting.logspace import NO_SHARE
from ..fitting.types import Array, Ints, Rows
from ..inputs.rounded import LateReading
from ..inputs.views import View, places
from .tally import Points


def view_of_points(points: Points, event: str, reading: LateReading, *, is_single: bool) -> View:
    """Each cell's mean claim, as often as its event happened and as often as it did not.

    `is_single`: claims are of one chance, and of no vector.
    """
    missed = points.rows - points.events
    p = np.repeat(points.p, 2)
    w = np.stack([missed, points.events], axis=1).ravel().astype(np.float64)
    y = np.tile([False, True], len(points.p))
    kept = np.flatnonzero(w > 0)
    odds = partial(_log_odds, points, kept // 2, is_single=is_single)
    return View(p[kept], y[kept], w[kept], event, exact_log_odds=odds, reading=reading)


def _log_odds(points: Points, cell: Ints, rows: Rows, floor: float, *, is_single: bool) -> Array:
    """Log odds of points under a floor, as `View.log_odds` has them of single rows."""
    at = cell[places(len(cell), rows)]
    p, rest, zeros = points.p[at], points.rest[at], points.zeros[at]
    if floor > NO_SHARE and is_single:
        p = np.clip(p, floor, 1 - floor)
        return np.log(p) - np.log1p(-p)
    if floor > NO_SHARE:
        # Zeros take from the rest of their vectors.
        taken = zeros * floor
        least = np.maximum(p, floor) / (1 + taken)
        unlikely = np.log(least) - np.log1p(-np.minimum(least, 0.5))
        likely = np.log(np.maximum(p, floor)) - np.log(np.maximum(rest + taken, floor))
        return np.where(p > 0.5, likely, unlikely)
    return np.log(np.maximum(p, floor)) - np.log(np.maximum(rest, floor))
