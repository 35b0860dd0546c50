"""Three classes at once: vectors of chances lie in a simplex, which is cut into triangles.

The diagrams are those of Popordanoska et al. 2022, fig. 2.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..families.binary.kernel import Bandwidth, check_bandwidth
from ..fitting.dirichlet_kernel import shares_at
from ..fitting.types import Array, Ints
from ..fitting.weights import counts, present, some
from ..inference.levels import null_level
from ..inputs.checks import check_count
from ..inputs.labels import Labels, are_shares, label_shares
from ..inputs.predictions import Predictions
from ..inputs.questions import canonical
from ..measures.kde import kde_error, vector_bandwidth, vectors_of
from ..measures.simplex import simplex_error, triangles
from .drawn import Drawn

# Rows shown one by one, at most.
_POINTS = 1000
# The level hardly differs from draw to draw.
_DRAWS = 5


@dataclass(frozen=True, eq=False)
class Simplex(Drawn):
    """Triangular bins that hold claims: three `corners` each, as vectors of chances, (bins, 3, 3).

    Of each bin `count` rows, their mean claim and the share of each class among them, (bins, 3).
    `gap` is the mean distance of the rows' claims from these shares, summed over classes; its mean
    over all rows is `error`, the `simplex_error`, and `level` what that would be of right claims.
    `points` are some of the rows, and `labels` their classes.
    """

    drawn_by = "simplex"

    classes: tuple[str, str, str]
    corners: Array
    count: Array
    mean_claim: Array
    share: Array
    gap: Array
    error: float
    level: float
    total: float
    points: Array
    labels: Ints


@dataclass(frozen=True, eq=False)
class Surface(Drawn):
    """Triangles all over the simplex: the `claim` at the middle of each, and each class's `share`.

    `gap` is the distance between them, summed over classes, and `reached` how many rows, all told,
    lie within the kernel's reach: where it is below 1 nobody is near. `error` is the `kde_error` of
    the rows, and `level` what that would be of right claims.
    """

    drawn_by = "surface"

    classes: tuple[str, str, str]
    corners: Array
    claim: Array
    share: Array
    gap: Array
    reached: Array
    bandwidth: float
    error: float
    level: float
    total: float


def simplex(pred: Predictions, per_side: int = 5) -> Simplex:
    """Vectors of three chances binned into triangles, `per_side` along each side of the simplex.

    >>> from calibrant import from_probs
    >>> pred = from_probs([[0.6, 0.3, 0.1]] * 10, [0] * 6 + [1] * 2 + [2] * 2)
    >>> round(simplex(pred).error, 3)
    0.2
    """
    names = _three(pred)
    simplex_at = partial(simplex_error, per_side=per_side)
    error = simplex_at(pred)
    rows = present(pred.weights, pred.n)
    p = pred.probs[rows].astype(np.float64)
    outcomes = pred.labels[rows]
    labels = _commonest(outcomes)
    numbers, triangle = np.unique(triangles(p, per_side), return_inverse=True)
    bins = _Bins(triangle, counts(some(pred.weights, rows), len(rows)))
    share = bins.mean(label_shares(outcomes, 3))
    shown = _some_rows(p, labels)
    return Simplex(
        classes=names,
        corners=_corners(numbers, per_side),
        count=bins.count,
        mean_claim=bins.mean(p),
        share=share,
        gap=bins.mean(np.abs(share[triangle] - p)).sum(1),
        error=error,
        level=null_level(simplex_at, pred, n_draws=_DRAWS).mean,
        total=pred.total,
        points=p[shown],
        labels=labels[shown],
    )


def surface(pred: Predictions, *, bandwidth: Bandwidth = "rule", per_side: int = 32) -> Surface:
    """What happens about every vector of three chances, by kernels at the rows.

    There are as many triangles as bins would be.

    >>> from calibrant import from_probs
    >>> pred = from_probs([[0.6, 0.3, 0.1]] * 10, [0] * 6 + [1] * 2 + [2] * 2)
    >>> found = surface(pred, bandwidth=0.01)
    >>> found.share[found.reached.argmax()].round(3).tolist()
    [0.6, 0.2, 0.2]
    """
    names = _three(pred)
    check_bandwidth(bandwidth)
    check_count("per_side", per_side, 1000)
    rows = vectors_of(pred)
    h = vector_bandwidth(rows, bandwidth)
    error_at = partial(kde_error, bandwidth=h)
    corners = _corners(_all_triangles(per_side), per_side)
    claim = corners.mean(1)
    share, reached = shares_at(rows, h, claim)
    return Surface(
        classes=names,
        corners=corners,
        claim=claim,
        share=share,
        gap=np.abs(share - claim).sum(1),
        reached=reached,
        bandwidth=h,
        error=error_at(canonical(pred)),
        level=null_level(error_at, canonical(pred), n_draws=_DRAWS).mean,
        total=pred.total,
    )


@dataclass(frozen=True, eq=False)
class _Bins:
    """The bin of each row and its weight."""

    bin_of_row: Ints
    w: Array

    @property
    def count(self) -> Array:
        return np.bincount(self.bin_of_row, self.w).astype(np.float64)

    def mean(self, x: Array) -> Array:
        """The mean row of each bin."""
        sums = [np.bincount(self.bin_of_row, self.w * column) for column in x.T]
        return np.stack(sums, axis=1) / self.count[:, None]


def _three(pred: Predictions) -> tuple[str, str, str]:
    """The names of three classes, which there must be."""
    if not isinstance(pred, Predictions) or pred.k != 3:
        got = f"{pred.k} classes" if isinstance(pred, Predictions) else type(pred).__name__
        raise ValueError(
            f"a triangle shows Predictions of three classes, got {got}; use classwise for others"
        )
    first, second, third = map(str, pred.classes)
    return first, second, third


def _commonest(labels: Labels) -> Ints:
    """The class of each row, that of the largest share where there are several."""
    return labels.argmax(1) if are_shares(labels) else labels


def _some_rows(p: Array, labels: Ints) -> Ints:
    """Places of rows to show, the same whatever their order."""
    order = np.lexsort((labels, p[:, 1], p[:, 0]))
    even = np.linspace(0, len(order) - 1, _POINTS).round().astype(np.intp)
    return order[np.unique(even)]


def _all_triangles(per_side: int) -> Ints:
    """The numbers of the triangles that lie in the simplex."""
    numbers = np.arange(2 * per_side**2)
    first, second = np.divmod(numbers // 2, per_side)
    upside_down = numbers % 2
    return np.flatnonzero(first + second + upside_down < per_side)


def _corners(numbers: Ints, per_side: int) -> Array:
    """The three corners of numbered triangles.

    A number tells a rhombus, by its first two chances, and which half of it.
    """
    i, j = np.divmod(numbers // 2, per_side)
    upside_down = numbers[:, None] % 2 == 1
    first = i[:, None] + np.where(upside_down, [1, 1, 0], [0, 1, 0])
    second = j[:, None] + np.where(upside_down, [1, 0, 1], [0, 0, 1])
    return np.stack([first, second, per_side - first - second], axis=2) / per_side
