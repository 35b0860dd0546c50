"""Penalised logistic regression under many penalties at once, each with the evidence for it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .newton import DidNotConverge, Vector

# Of the squared slope, in the fit's own curvature: about twice what the loss still lies above its optimum.
_TOLERANCE = 1e-7
# Where outcomes are parted, each step gains about one unit of log odds.
_MOST_STEPS = 1000

Places = NDArray[np.intp]


class Local(NamedTuple):
    """Columns x of a design, in parts the products of those that overlap, and the place of each pair among them."""

    x: Vector
    products: list[Vector]
    place: Places


class Fits(NamedTuple):
    """For each penalty: the coefficients, their covariance inverted, and the log of the (Laplace) evidence."""

    coefficients: Vector
    precision: Vector
    log_evidence: Vector


def local(x: Vector) -> Local:
    """A design whose columns are local, as cubic B-splines are: only those up to three places apart overlap."""
    k = x.shape[1]
    i, j = np.nonzero(np.subtract.outer(np.arange(k), np.arange(k)) // 4 == 0)
    place = np.full((k, k), len(i))
    place[i, j] = place[j, i] = np.arange(len(i))
    # The last product, of columns further apart, is nothing.
    products = np.append(x[:, i] * x[:, j], np.zeros((len(x), 1)), axis=1)
    # Parts so small that BLAS takes one thread: more of them cost more to wake than they save.
    return Local(x, [part.copy() for part in np.array_split(products, 4, axis=1)], place)


def penalised_logistic(
    design: Local, offset: Vector, w: Vector, happened: Vector, penalties: Vector
) -> Fits:
    """Fit log odds offset + x @ a to events `happened` of `w` trials, under each penalty a @ P @ a / 2."""
    x, products, place = design

    def losses(a: Vector) -> tuple[Vector, Vector, Vector]:
        eta = offset + a @ x.T
        # One exponential gives both log(1 + e^eta) and its slope, however large eta is.
        shrunk = np.exp(-np.abs(eta))
        loss = np.maximum(eta, 0) + np.log(1 + shrunk)
        value = loss @ w - eta @ happened + (a * _times(penalties, a)).sum(1) / 2
        return value, eta, np.where(eta > 0, 1, shrunk) / (1 + shrunk)

    def precisions(bend: Vector) -> Vector:
        return penalties + np.concatenate([bend @ part for part in products], axis=-1)[..., place]

    a = _start(x, offset, w, happened, precisions)
    a[losses(a)[0] > losses(np.zeros_like(a))[0]] = 0
    value, eta, q = losses(a)
    caution, still = np.zeros(len(a)), np.zeros(len(a), np.bool_)
    for _ in range(_MOST_STEPS):
        gradient = (w * q - happened) @ x + _times(penalties, a)
        precision = precisions(w * q * (1 - q))
        move = _solve(precision, gradient)
        if (((gradient * move).sum(1) <= _TOLERANCE) | still).all():
            evidence = (
                -value + (np.linalg.slogdet(penalties)[1] - np.linalg.slogdet(precision)[1]) / 2
            )
            return Fits(a, precision, evidence)
        if caution.any():
            # Far off, Newton's steps are wild. Some of the curvature of a parabola above the loss tames them: all of
            # it can do no harm but is slow, so each penalty takes as little as still lets its loss fall.
            move = _solve(precisions(w * (q * (1 - q) + caution[:, None] * _above(eta))), gradient)
        found, eta_ahead, q_ahead = losses(a - move)
        fell = found <= value + 1e-9 + 1e-13 * np.abs(value)
        # A step that can do no harm and does no good is lost in rounding: there is nothing left to gain.
        still = ~fell & (caution >= 1)
        caution = np.where(
            fell, np.where(caution > 1e-4, caution / 8, 0), np.clip(8 * caution, 1e-3, 1)
        )
        a[fell] -= move[fell]
        value[fell], eta[fell], q[fell] = found[fell], eta_ahead[fell], q_ahead[fell]
    raise DidNotConverge(
        f"the fit did not converge in {_MOST_STEPS} steps; look for extreme scores or weights"
    )


def _start(
    x: Vector, offset: Vector, w: Vector, happened: Vector, precisions: Callable[[Vector], Vector]
) -> Vector:
    """One weighted least squares to the raw shares: from far off it lands nearer than many steps would."""
    share = (happened + 0.5) / (w + 1)
    bend = w * share * (1 - share)
    precision = precisions(bend)
    target = (bend * (np.log(share / (1 - share)) - offset)) @ x
    return _solve(precision, np.broadcast_to(target, precision.shape[:2]))


def _above(eta: Vector) -> Vector:
    """Curvature of the parabola that touches log(1 + e^eta) at eta and -eta, and is nowhere below it."""
    return np.divide(np.tanh(eta / 2), 2 * eta, out=np.full_like(eta, 0.25), where=eta != 0)


def _times(matrices: Vector, rows: Vector) -> Vector:
    return (matrices @ rows[..., None])[..., 0]


def _solve(matrices: Vector, rows: Vector) -> Vector:
    return np.linalg.solve(matrices, rows[..., None])[..., 0]
