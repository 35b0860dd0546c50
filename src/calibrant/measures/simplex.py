"""The simplex of three classes cut into triangles: a canonical error by bins."""

import numpy as np

from ..fitting.types import Array, Ints
from ..inputs.checks import check_argument
from ..inputs.predictions import Predictions
from ..inputs.questions import canonical
from ..inputs.views import Canonical
from .errors import Norm, distance


def simplex_error(x: Predictions | Canonical, per_side: int = 5, *, norm: Norm = 1) -> float:
    """Canonical error of three classes by bins: distance of each vector from the mean outcome of its triangle.

    The simplex is cut into `per_side` squared triangles of one size (paper 001, eq. 21).

    >>> from calibrant import from_probs
    >>> round(simplex_error(from_probs([[0.8, 0.1, 0.1]] * 10, [0] * 6 + [1] * 4)), 3)
    0.6
    """
    check_argument("per_side", per_side, int)
    check_argument("norm", norm, Norm)
    view = x if isinstance(x, Canonical) else canonical(x)
    if view.pred.k != 3:
        raise ValueError(
            f"triangles divide vectors of 3 classes, got {view.pred.k}; use kde_error(canonical(pred))"
        )
    if per_side < 1:
        raise ValueError(f"per_side must be at least 1, got {per_side}")
    p, w = view.p.astype(np.float64), np.ones(view.n) if view.w is None else view.w
    kept = w > 0
    place = triangles(p, per_side)
    outcomes = np.stack(
        [np.bincount(place, w * (view.y == k), 2 * per_side**2) for k in range(3)], axis=1
    )
    mean = outcomes[place[kept]] / outcomes.sum(1)[place[kept], None]
    order = np.inf if norm == "max" else norm
    return distance(np.linalg.norm(mean - p[kept], order, axis=1), w[kept], norm)


def triangles(p: Array, per_side: int) -> Ints:
    """The triangle of each vector, as a number below 2 per_side^2; an edge belongs to the lower chances.

    A rhombus of first and second chances is two triangles: beyond its diagonal lies the one upside down.
    """
    scaled = p[:, :2] * per_side
    first = np.clip(np.floor(scaled[:, 0]), 0, per_side - 1)
    second = np.clip(np.floor(scaled[:, 1]), 0, per_side - 1 - first)
    # Beyond the last diagonal lies nothing, though a sum above one by rounding would.
    beyond = (scaled.sum(1) - first - second > 1) & (first + second < per_side - 1)
    return ((first * per_side + second) * 2 + beyond).astype(np.intp)
