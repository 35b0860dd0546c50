"""Three classes at once: vectors of chances lie in a triangle, which is cut into triangles (paper 001, fig. 2)."""

from dataclasses import dataclass

import numpy as np

from ..families.binary.kernel import Bandwidth, refuse_bandwidth
from ..fitting.dirichlet_kernel import shares_at
from ..fitting.types import Array, Ints
from ..inputs.predictions import Predictions
from ..inputs.questions import canonical
from ..measures.kde import kde_error, vector_bandwidth, vectors_of
from ..measures.simplex import simplex_error, triangles

# Rows shown one by one, at most.
_POINTS = 1000


@dataclass(frozen=True, eq=False)
class Simplex:
    """Triangular bins that hold claims: three `corners` each, as vectors of three chances, (bins, 3, 3).

    Of each bin `count` rows, their mean claim and the share of each class among them, (bins, 3). `gap` is the mean
    distance of the rows' claims from these shares, summed over classes; its mean over all rows is `error`, the
    `simplex_error`. `points` are some of the rows, and `labels` their classes.
    """

    classes: tuple[str, str, str]
    corners: Array
    count: Array
    mean_claim: Array
    share: Array
    gap: Array
    error: float
    total: float
    points: Array
    labels: Ints


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles all over the simplex: at the middle of each the `claim`, and the `share` of each class about it.

    `gap` is the distance between them, summed over classes, and `reached` how many rows, all told, lie within the
    kernel's reach: where it is below 1 nobody is near. `error` is the `kde_error` of the rows.
    """

    classes: tuple[str, str, str]
    corners: Array
    claim: Array
    share: Array
    gap: Array
    reached: Array
    bandwidth: float
    error: float
    total: float


def simplex(pred: Predictions, per_side: int = 5) -> Simplex:
    """Vectors of three chances binned into triangles, `per_side` along each side, and what happened in each.

    >>> from calibrant import from_probs
    >>> round(simplex(from_probs([[0.6, 0.3, 0.1]] * 10, [0] * 6 + [1] * 2 + [2] * 2)).error, 3)
    0.2
    """
    first, second, third = _three(pred)
    error = simplex_error(pred, per_side)
    kept = np.arange(pred.n) if pred.weights is None else np.flatnonzero(pred.weights)
    w = np.ones(len(kept)) if pred.weights is None else pred.weights[kept]
    p, labels = pred.probs[kept].astype(np.float64), pred.labels[kept]
    cells, place = np.unique(triangles(p, per_side), return_inverse=True)
    count = np.bincount(place, w).astype(np.float64)

    def mean(rows: Array) -> Array:
        return (
            np.stack([np.bincount(place, w * column) for column in rows.T], axis=1) / count[:, None]
        )

    share = mean(np.eye(3)[labels])
    # Some rows of all, whatever their order.
    order = np.lexsort((labels, p[:, 1], p[:, 0]))
    some = order[np.unique(np.linspace(0, len(order) - 1, _POINTS).round().astype(np.intp))]
    return Simplex(
        (first, second, third),
        _corners(cells, per_side),
        count,
        mean(p),
        share,
        mean(np.abs(share[place] - p)).sum(1),
        error,
        pred.total,
        p[some],
        labels[some],
    )


def surface(pred: Predictions, *, bandwidth: Bandwidth = "rule", per_side: int = 32) -> Surface:
    """What happens about every vector of three chances, by kernels at the rows; as many triangles as bins would be.

    >>> from calibrant import from_probs
    >>> found = surface(from_probs([[0.6, 0.3, 0.1]] * 10, [0] * 6 + [1] * 2 + [2] * 2), bandwidth=0.01)
    >>> found.share[found.reached.argmax()].round(3).tolist()
    [0.6, 0.2, 0.2]
    """
    names = _three(pred)
    refuse_bandwidth(bandwidth)
    if per_side < 1:
        raise ValueError(f"per_side must be at least 1, got {per_side}")
    rows = vectors_of(pred)
    h = vector_bandwidth(rows, bandwidth)
    first, second = np.divmod(np.arange(2 * per_side**2) // 2, per_side)
    down = np.arange(2 * per_side**2) % 2
    corners = _corners(np.flatnonzero(first + second + down < per_side), per_side)
    claim = corners.mean(1)
    share, reached = shares_at(rows, h, claim)
    return Surface(
        names,
        corners,
        claim,
        share,
        np.abs(share - claim).sum(1),
        reached,
        h,
        kde_error(canonical(pred), bandwidth=h),
        pred.total,
    )


def _three(pred: Predictions) -> tuple[str, str, str]:
    """The names of three classes, which there must be."""
    if not isinstance(pred, Predictions) or pred.k != 3:
        got = f"{pred.k} classes" if isinstance(pred, Predictions) else type(pred).__name__
        raise ValueError(
            f"a triangle shows Predictions of three classes, got {got}; use classwise for others"
        )
    first, second, third = map(str, pred.classes)
    return first, second, third


def _corners(cells: Ints, per_side: int) -> Array:
    """Of triangles as numbered, the three corners: a rhombus by its first two chances, and which half of it."""
    i, j = np.divmod(cells // 2, per_side)
    down = cells[:, None] % 2 == 1
    first = i[:, None] + np.where(down, [1, 1, 0], [0, 1, 0])
    second = j[:, None] + np.where(down, [1, 0, 1], [0, 0, 1])
    return np.stack([first, second, per_side - first - second], axis=2) / per_side
