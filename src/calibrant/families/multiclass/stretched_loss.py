"""Log loss of stretched logits, with its gradient and Hessian, and priors on their coefficients."""

import numpy as np

from ...fitting.blocks import on_all_cores, row_blocks
from ...fitting.newton import Derivatives
from ...fitting.types import Array, Ints
from ...fitting.weights import counts
from ...inputs.views import Canonical
from ..numpy_operations import NUMPY
from .depths import BENDS, SURENESS, steps

# Of the steps; the last has no end, and no step after it.
_WIDTHS = np.append(np.diff(BENDS), 0)


class StretchedLoss:
    """Mean log loss of the logits -(curve of depth) - (shares @ factors) * depth.

    Coefficients are the slopes of the curve between bends, then the factors.
    """

    def __init__(self, view: Canonical, depth: Array, shares: Array) -> None:
        self._labels = view.y
        self._w = counts(view.w, view.n)
        self.total = view.total
        self._depth = depth
        self._shares = shares
        rows = np.arange(view.n)
        right = depth[rows, view.y]
        self._right_depth = right
        self._right_steps = np.stack(steps(right, BENDS, NUMPY), axis=1)

    def __call__(self, x: Array) -> Derivatives:
        """The loss, its gradient and its Hessian."""
        loss, mean, square = self._moments(x)
        total = self.total
        value = float(self._w @ loss)
        gradient = self._gradient(mean)
        hessian = self._hessian(mean, square)
        return value / total, gradient / total, hessian / total

    def _moments(self, x: Array) -> tuple[Array, Array, Array]:
        """Of each row the loss, and the mean and mean square of each step over its chances."""
        n, k = self._depth.shape
        size = len(BENDS)
        working = self._depth.dtype
        bends = BENDS.astype(working)
        slopes = x[:size]
        factors = x[size:].astype(self._shares.dtype)
        factor = self._shares @ factors
        loss = np.empty(n)
        mean = np.empty((n, size))
        square = np.empty((n, size))

        def fill(rows: slice) -> None:
            depth = self._depth[rows]
            of_steps = steps(depth, bends, NUMPY)
            logits = -factor[rows, None] * depth
            logits -= _curve(of_steps, slopes)
            loss[rows] = _to_chances(logits, self._labels[rows])
            chances = logits
            for place, step in enumerate(of_steps):
                part = chances * step
                mean[rows, place] = part.sum(1)
                square[rows, place] = np.einsum("ij,ij->i", part, step)

        on_all_cores(fill, row_blocks(n, size * k))
        return loss, mean, square

    def _gradient(self, mean: Array) -> Array:
        of_slopes = self._w @ (self._right_steps - mean)
        excess = self._right_depth - mean.sum(1)
        of_factors = (self._w * excess) @ self._shares
        return np.append(of_slopes, of_factors)

    def _hessian(self, mean: Array, square: Array) -> Array:
        # Whatever has begun a step has all earlier ones behind it, so that first moments give the
        # mixed second moments.
        of_slopes = self._hessian_of_slopes(mean, square)
        covariance = _covariance_with_depth(mean, square)
        weighted = self._w[:, None] * covariance
        of_both = weighted.T @ self._shares
        variance = np.maximum(covariance.sum(1), 0)
        sd = np.sqrt(self._w * variance).astype(self._shares.dtype)
        spread = sd[:, None] * self._shares
        of_factors = spread.T @ spread
        return np.block([[of_slopes, of_both], [of_both.T, of_factors]])

    def _hessian_of_slopes(self, mean: Array, square: Array) -> Array:
        w = self._w
        products = np.outer(_WIDTHS, w @ mean)
        mixed = np.triu(products, 1)
        own = np.diag(w @ square)
        hessian = own + mixed + mixed.T
        weighted = w[:, None] * mean
        return hessian - mean.T @ weighted


def _covariance_with_depth(mean: Array, square: Array) -> Array:
    """Of each row the covariance of each step with the depth, over the row's chances."""
    backwards = mean[:, ::-1]
    from_right = np.cumsum(backwards, axis=1)
    later = from_right[:, ::-1] - mean
    whole = mean.sum(1, keepdims=True)
    covariance = square + _WIDTHS * later
    covariance += (BENDS - whole) * mean
    return covariance


def precision_matrix(k: int, *, by_row: bool, by_class: bool) -> tuple[Array, Array]:
    """Coefficients that leave the best temperature as it is, and their prior precision.

    There are factors `by_row`, and more `by_class`, or none.
    """
    from scipy.linalg import block_diag

    # Factors scale a whole row, and so are trusted less than a curve. Classes have no neighbours.
    parts = [_chain(len(BENDS), 1, 4)]
    if by_row:
        parts.append(_chain(len(SURENESS), 4, 16))
    if by_class:
        parts.append(_chain(k, 4, 0))
    precision = block_diag(*parts)
    share = 1 / len(parts)
    centre = np.full(len(precision), share)
    return centre, precision


def _chain(size: int, alone: float, neighbours: float) -> Array:
    """Precision of coefficients that are each near their centre and near their neighbours."""
    identity = np.eye(size)
    gaps = np.diff(identity, axis=0)
    return alone * identity + neighbours * gaps.T @ gaps


def _curve(of_steps: list[Array], slopes: Array) -> Array:
    curve = np.zeros_like(of_steps[0])
    for step, slope in zip(of_steps, slopes, strict=True):
        curve += step * step.dtype.type(slope)
    return curve


def _to_chances(logits: Array, labels: Ints) -> Array:
    """Logits become chances where they lie; the log loss of each row is returned."""
    logits -= logits.max(1, keepdims=True)
    rows = np.arange(len(logits))
    right = logits[rows, labels].astype(np.float64)
    np.exp(logits, out=logits)
    total = logits.sum(1)
    logits /= total[:, None]
    return np.log(total.astype(np.float64)) - right
