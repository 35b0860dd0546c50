"""The temperature, and the mixture of tempered, claimed and uniform vectors, of least Brier score."""

from collections.abc import Callable

import numpy as np

from ...fitting.blocks import on_all_cores, row_blocks
from ...fitting.logspace import softmax
from ...fitting.mixture import least_on_simplex
from ...fitting.newton import Certificate, Derivatives, minimise
from ...fitting.types import Array, Ints
from ...fitting.weights import some, weighted_sum
from ...inputs.views import Canonical
from .temperature import TemperedVector

# The Brier score may have several dips: descent begins at the best of these times a first guess.
_TRIED = np.append(0.0, 2.0 ** np.arange(-4, 5))
# Half its square is what the Brier score may lie above its dip.
_TOLERANCE = 1e-6


def tempered_by_squares(view: Canonical, guess: float) -> TemperedVector:
    """The temperature whose Brier score is least, found from a guess of one over it."""

    def derivatives(inverse: Array) -> Derivatives:
        return _derivatives(view, float(inverse[0]))

    tried = _TRIED * (guess or 1.0)
    scores = [_derivatives(view, inverse)[0] for inverse in tried]
    best = int(np.argmin(scores))
    found, certificate = minimise(
        derivatives,
        tried[[best]],
        lower=0.0,
        tolerance=_TOLERANCE,
    )
    return TemperedVector(float(found[0]), certificate)


def shares_by_squares(view: Canonical, inverse: float) -> tuple[Array, Certificate]:
    """The mixture of the tempered, the claimed and the uniform vector whose Brier score is least."""
    gram, pull = _normal_equations(view, inverse)
    shares = least_on_simplex(gram, pull)
    slopes = gram @ shares - pull
    # By convexity no mixture's score lies further below than twice this.
    gap = float(slopes @ shares - slopes.min())
    slope = float(np.sqrt(4 * max(0.0, gap)))
    return shares, Certificate(slope, _TOLERANCE, 1)


# Of the logits of some rows, less each row's largest, and of where the right ones stand: a few
# numbers a row, as columns.
_Work = Callable[[Array, tuple[Ints, Ints]], list[Array]]


def _means(view: Canonical, work: _Work) -> Array:
    """Means over rows of the numbers that `work` gives."""

    def summed(rows: slice) -> Array:
        z = view.scores[rows].astype(np.float64)
        z -= z.max(1, keepdims=True)
        right = np.arange(len(z)), view.y[rows]
        of_rows = np.stack(work(z, right), axis=1)
        return weighted_sum(of_rows, some(view.w, rows))

    n, k = view.scores.shape
    parts = on_all_cores(summed, row_blocks(n, 4 * k))
    means: Array = np.sum(parts, axis=0) / view.total
    return means


def _derivatives(view: Canonical, inverse: float) -> Derivatives:
    """The Brier score at `inverse`, its slope, and its curvature by Gauss and Newton."""

    def work(z: Array, right: tuple[Ints, Ints]) -> list[Array]:
        p = softmax(z * inverse)
        mean = (p * z).sum(1, keepdims=True)
        change = p * (z - mean)
        gap = p.copy()
        gap[right] -= 1
        score = (gap**2).sum(1)
        slope = 2 * (gap * change).sum(1)
        return [score, slope, 2 * (change**2).sum(1)]

    score, slope, curvature = _means(view, work)
    return float(score), np.array([slope]), np.array([[curvature]])


def _normal_equations(view: Canonical, inverse: float) -> tuple[Array, Array]:
    """Products of the three vectors with one another, and with what happened."""
    k = view.pred.k

    def work(z: Array, right: tuple[Ints, Ints]) -> list[Array]:
        sharp = softmax(z * inverse)
        claimed = softmax(z)
        return [
            (sharp**2).sum(1),
            (sharp * claimed).sum(1),
            (claimed**2).sum(1),
            sharp[right],
            claimed[right],
        ]

    sharp, both, claimed, sharp_right, claimed_right = _means(view, work)
    even = 1 / k
    gram = np.array([[sharp, both, even], [both, claimed, even], [even, even, even]])
    return gram, np.array([sharp_right, claimed_right, even])
