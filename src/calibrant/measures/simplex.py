"""Three classes at once, in triangles: a canonical error by bins."""

import numpy as np

from ..fitting.types import Array, Ints
from ..fitting.weights import present
from ..inputs.checks import check_argument, check_count
from ..inputs.labels import Labels, label_shares
from ..inputs.predictions import Predictions
from ..inputs.questions import canonical
from ..inputs.views import Canonical
from .averages import Norm
from .errors import distance, gap_lengths
from .rows import counts_at


def simplex_error(
    x: Predictions | Canonical,
    per_side: int = 5,
    *,
    norm: Norm = 1,
) -> float:
    """Canonical error of three classes: distance of vectors from their triangle's mean outcome.

    The simplex is cut into `per_side` squared triangles of one size (Popordanoska et al. 2022,
    eq. 21).

    >>> from calibrant import from_probs
    >>> round(simplex_error(from_probs([[0.8, 0.1, 0.1]] * 10, [0] * 6 + [1] * 4)), 3)
    0.6
    """
    check_argument("per_side", per_side, int)
    check_argument("norm", norm, Norm)
    view = x if isinstance(x, Canonical) else canonical(x)
    _check_three(view, per_side)
    kept = present(view.w, view.n)
    p = view.p[kept]
    p = p.astype(np.float64)
    w = counts_at(view.w, kept)
    # Those that hold no row are left out: there may be more of them than rows.
    _, triangle = np.unique(triangles(p, per_side), return_inverse=True)
    mean = _mean_outcomes(triangle, view.y[kept], w)
    gap = gap_lengths(mean - p, norm)
    return distance(gap, w, norm)


def triangles(p: Array, per_side: int) -> Ints:
    """The triangle of each vector, as a number below 2 per_side^2.

    An edge belongs to the lower chances. A rhombus of first and second chances is two triangles:
    beyond its diagonal lies the one upside down.
    """
    scaled = p[:, :2] * per_side
    whole = np.floor(scaled)
    last = per_side - 1
    first = np.clip(whole[:, 0], 0, last)
    second = np.clip(whole[:, 1], 0, last - first)
    rest = scaled.sum(1) - first - second
    is_beyond = rest > 1
    # Beyond the last diagonal lies nothing, though a sum above one by rounding would.
    is_beyond &= first + second < last
    rhombus = first * per_side + second
    place = 2 * rhombus + is_beyond
    return place.astype(np.intp)


def _mean_outcomes(triangle: Ints, y: Labels, w: Array) -> Array:
    """The share of each class in each row's triangle."""
    shares = label_shares(y, 3)
    happened = [np.bincount(triangle, w * share) for share in shares.T]
    outcomes = np.stack(happened, axis=1)
    total = outcomes.sum(1, keepdims=True)
    return outcomes[triangle] / total[triangle]


def _check_three(view: Canonical, per_side: int) -> None:
    k = view.pred.k
    if k != 3:
        rule = f"triangles divide vectors of 3 classes, got {k}"
        raise ValueError(f"{rule}; use kde_error(canonical(pred))")
    check_count("per_side", per_side)
