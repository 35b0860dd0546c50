"""Logistic regression on a few features, by Newton steps over all rows."""

import numpy as np
from numpy.typing import NDArray

from .blocks import row_blocks
from .newton import Certificate, Derivatives, Vector, minimise

LEAST_CURVATURE = 1e-14


def logistic(
    features: Vector,
    y: Vector | NDArray[np.bool_],
    w: Vector | None,
    *,
    start: Vector | None = None,
    lower: float | Vector = -np.inf,
) -> tuple[Vector, Certificate]:
    """Coefficients, each at or above `lower`, of the least mean log loss; `y` may lie between 0 and 1.

    Where the loss falls without end, as between outcomes that a score parts perfectly, they are steep but finite:
    the fit stops once the loss is within 1e-14 or so of its infimum.

    >>> logistic(np.ones((4, 1)), np.array([1.0, 1.0, 1.0, 0.0]), None)[0].round(6).tolist()
    [1.098612]
    """
    n, d = features.shape
    total = float(n if w is None else w.sum())
    # Features go first: numpy is fast along rows that lie side by side, and slow along few features.
    columns = np.ascontiguousarray(features.T)

    def derivatives(coefficients: Vector) -> Derivatives:
        def part(rows: slice) -> Vector:
            x, target = columns[:, rows], y[rows]
            # einsum, as matrix products this thin lose more to threads than they gain.
            eta = np.einsum("i,in->n", coefficients, x)
            # log(1 + e^eta) and its derivative from one exponential that cannot overflow.
            small = np.exp(-np.abs(eta))
            q = np.where(eta > 0, 1.0, small) / (1 + small)
            weight = np.ones_like(q) if w is None else w[rows]
            loss = (weight * (np.maximum(eta, 0) + np.log1p(small) - target * eta)).sum()
            gradient = np.einsum("in,n->i", x, weight * (q - target))
            # Without the last term a row wrong with certainty would have no curvature, and so no say.
            bend = weight * (small / (1 + small) ** 2 + LEAST_CURVATURE * np.abs(q - target))
            return np.concatenate([[loss], gradient, np.einsum("in,jn->ij", x * bend, x).ravel()])

        sums = np.sum([part(rows) for rows in row_blocks(n, 8 * d)], axis=0) / total
        return float(sums[0]), sums[1 : d + 1], sums[d + 1 :].reshape(d, d)

    return minimise(derivatives, np.zeros(d) if start is None else start, lower=lower)
