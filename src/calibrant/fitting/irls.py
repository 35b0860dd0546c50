"""Logistic regression on a few features, by Newton steps over all rows."""

import numpy as np
from numpy.typing import NDArray

from .blocks import on_all_cores, row_blocks
from .newton import Certificate, Derivatives, Vector, minimise


def logistic(
    features: Vector,
    y: Vector | NDArray[np.bool_],
    w: Vector | None,
    *,
    start: Vector | None = None,
    lower: float = -np.inf,
) -> tuple[Vector, Certificate]:
    """Coefficients, each at or above `lower`, of the least mean log loss; `y` may lie between 0 and 1.

    >>> logistic(np.ones((4, 1)), np.array([1.0, 1.0, 1.0, 0.0]), None)[0].round(6).tolist()
    [1.098612]
    """
    n, d = features.shape
    total = float(n if w is None else w.sum())

    def derivatives(coefficients: Vector) -> Derivatives:
        def part(rows: slice) -> Vector:
            x, target = features[rows], y[rows]
            eta = x @ coefficients
            # log(1 + e^eta) and its derivative from one exponential that cannot overflow.
            small = np.exp(-np.abs(eta))
            q = np.where(eta > 0, 1.0, small) / (1 + small)
            weight = np.ones_like(q) if w is None else w[rows]
            loss = weight @ (np.maximum(eta, 0) + np.log1p(small) - target * eta)
            curvature = (x * (weight * small / (1 + small) ** 2)[:, None]).T @ x
            return np.concatenate([[loss], x.T @ (weight * (q - target)), curvature.ravel()])

        sums = np.sum(on_all_cores(part, row_blocks(n, 8 * d)), axis=0) / total
        return float(sums[0]), sums[1 : d + 1], sums[d + 1 :].reshape(d, d)

    return minimise(derivatives, np.zeros(d) if start is None else start, lower=lower)
