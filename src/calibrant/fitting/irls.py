"""Logistic regression on a few features, by Newton steps over all rows."""

import numpy as np

from .blocks import row_blocks
from .newton import Certificate, Derivatives, minimise
from .types import Array, Bools
from .weights import Weights, some, total, weighted

LEAST_CURVATURE = 1e-14


def logistic(
    features: Array,
    y: Array | Bools,
    w: Weights,
    *,
    start: Array | None = None,
    lower: float | Array = -np.inf,
) -> tuple[Array, Certificate]:
    """Coefficients, each at or above `lower`, of the least mean log loss.

    `y` may lie between 0 and 1. Where the loss falls without end, as outcomes are separable, the
    coefficients are steep but finite: the fit stops once the loss is within 1e-14 or so of its
    infimum.

    >>> logistic(np.ones((4, 1)), np.array([1.0, 1.0, 1.0, 0.0]), None)[0].round(6).tolist()
    [1.098612]
    """
    n, d = features.shape
    weight = total(w, n)
    blocks = row_blocks(n, 8 * d)
    # Features go first: numpy is fast along long rows, and slow along few features.
    columns = np.ascontiguousarray(features.T)

    def derivatives(coefficients: Array) -> Derivatives:
        means = np.zeros(1 + d + d * d)
        for rows in blocks:
            x = columns[:, rows]
            means += logistic_sums(coefficients, x, y[rows], some(w, rows))
        means /= weight
        loss = float(means[0])
        gradient = means[1 : d + 1]
        hessian = means[d + 1 :]
        return loss, gradient, hessian.reshape(d, d)

    if start is None:
        start = np.zeros(d)
    return minimise(derivatives, start, lower=lower)


def logistic_sums(
    coefficients: Array,
    x: Array,
    y: Array | Bools,
    w: Weights,
) -> Array:
    """Loss, gradient and Hessian of some rows, summed and side by side."""
    # einsum, as matrix products this thin lose more to threads than they gain.
    eta = np.einsum("i,in->n", coefficients, x)
    # log(1 + e^eta) and its derivatives from one exponential that cannot overflow.
    decay = np.exp(-np.abs(eta))
    losses = np.maximum(eta, 0)
    losses += np.log1p(decay)
    losses -= y * eta
    loss = weighted(losses, w).sum()
    q = np.where(eta > 0, 1.0, decay)
    q /= 1 + decay
    error = q - y
    gradient = np.einsum("in,n->i", x, weighted(error, w))
    curvature = decay / (1 + decay) ** 2
    # Without this a row wrong with certainty would have no curvature, and so no say.
    curvature += LEAST_CURVATURE * np.abs(error)
    curved = x * weighted(curvature, w)
    hessian = np.einsum("in,jn->ij", curved, x)
    return np.concatenate([[loss], gradient, hessian.ravel()])
