"""Penalised logistic regression under many penalties at once, each with the evidence for it."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from .newton import DidNotConverge, Vector

_TOLERANCE = 1e-7
_MOST_STEPS = 100


class Fits(NamedTuple):
    """For each penalty: the coefficients, their covariance inverted, and the log of the (Laplace) evidence."""

    coefficients: Vector
    precision: Vector
    log_evidence: Vector


def penalised_logistic(x: Vector, offset: Vector, w: Vector, happened: Vector, penalties: Vector) -> Fits:
    """Fit log odds offset + x @ a to events `happened` of `w` trials, under each penalty a @ P @ a / 2.

    The columns of x must be local, as cubic B-splines are: only those up to three places apart overlap.
    """
    k = x.shape[1]
    i, j = np.nonzero(np.abs(np.subtract.outer(np.arange(k), np.arange(k))) <= 3)
    products = x[:, i] * x[:, j]

    def losses(a: Vector) -> tuple[Vector, Vector]:
        eta = offset + a @ x.T
        return np.logaddexp(0, eta) @ w - eta @ happened + (a * _times(penalties, a)).sum(1) / 2, eta

    def precisions(bend: Vector) -> Vector:
        precision = penalties.copy()
        precision[:, i, j] += bend @ products
        return precision

    a = np.zeros(penalties.shape[:2])
    # From far off, one weighted least squares to the raw shares lands nearer than many steps would.
    share = (happened + 0.5) / (w + 1)
    bend = w * share * (1 - share)
    rough = _solve(precisions(bend), a + (bend * (np.log(share / (1 - share)) - offset)) @ x)
    a = np.where((losses(rough)[0] < losses(a)[0])[:, None], rough, a)
    value, eta = losses(a)
    for _ in range(_MOST_STEPS):
        q = expit(eta)
        gradient = (w * q - happened) @ x + _times(penalties, a)
        precision = precisions(w * q * (1 - q))
        move = _solve(precision, gradient)
        if ((gradient * move).sum(1) <= _TOLERANCE).all():
            evidence = -value + (np.linalg.slogdet(penalties)[1] - np.linalg.slogdet(precision)[1]) / 2
            return Fits(a, precision, evidence)
        ahead = a - move
        found, eta_ahead = losses(ahead)
        if (worse := found > value + 1e-9 * (1 + np.abs(value))).any():
            # Far off, Newton's steps are wild. The curvature of a parabola above the loss is safe, if slower.
            ahead[worse] = (a - _solve(precisions(w * _steepest(eta)), gradient))[worse]
            found, eta_ahead = losses(ahead)
        a, value, eta = ahead, found, eta_ahead
    raise DidNotConverge(f"the penalised fit did not converge in {_MOST_STEPS} steps")


def _steepest(eta: Vector) -> Vector:
    """Curvature of the parabola that touches log(1 + e^eta) at eta and -eta, and is nowhere below it."""
    return np.divide(np.tanh(eta / 2), 2 * eta, out=np.full_like(eta, 0.25), where=eta != 0)


def _times(matrices: Vector, rows: Vector) -> Vector:
    return (matrices @ rows[..., None])[..., 0]


def _solve(matrices: Vector, rows: Vector) -> Vector:
    return np.linalg.solve(matrices, rows[..., None])[..., 0]
