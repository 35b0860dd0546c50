"""The least losses that there are, in float64, by a solver run to the end of its digits."""

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, logit, softmax, xlogy

from .strengths import PER_ENTRY, PER_SHIFT

Array = NDArray[Any]


def nll_of(q: Array, labels: Array) -> float:
    """Mean negative log likelihood of whole vectors."""
    return float(-np.log(q[np.arange(len(q)), labels].astype(np.float64)).mean())


def chance_nll_of(q: Array, y: Array) -> float:
    """Mean negative log likelihood of one chance."""
    q = q.astype(np.float64)
    return float(-(xlogy(y, q) + xlogy(1 - y, 1 - q)).mean())


def _least(loss: Any, start: Array) -> float:  # noqa: ANN401 - a function with its gradient
    exact = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 0.0, "gtol": 1e-9, "maxcor": 40}
    return float(minimize(loss, start, jac=True, method="L-BFGS-B", options=exact).fun)


def _softmax_loss(z: Array, labels: Array) -> tuple[float, Array]:
    rows = np.arange(len(z))
    slope = softmax(z, axis=1)
    slope[rows, labels] -= 1
    return float(-log_softmax(z, axis=1)[rows, labels].mean()), slope / len(z)


def temperature(data: SimpleNamespace) -> float:
    """Of logits times one factor."""
    x = data.logits.astype(np.float64)

    def loss(at: Array) -> tuple[float, Array]:
        value, slope = _softmax_loss(x * at[0], data.labels)
        return value, np.array([(slope * x).sum()])

    return _least(loss, np.ones(1))


def vector(data: SimpleNamespace) -> float:
    """Of logits times a factor a class plus a shift a class."""
    x = data.logits.astype(np.float64)
    k = x.shape[1]

    def loss(at: Array) -> tuple[float, Array]:
        value, slope = _softmax_loss(x * at[:k] + at[k:], data.labels)
        return value, np.append((slope * x).sum(0), slope.sum(0))

    return _least(loss, np.append(np.ones(k), np.zeros(k)))


def matrix(data: SimpleNamespace) -> float:
    """Of a matrix times the logits plus shifts."""
    return _matrix(data.logits.astype(np.float64), data.labels)


def dirichlet(data: SimpleNamespace) -> float:
    """Of Dirichlet-ODIR with its penalties."""
    return _matrix(np.log(data.probs), data.labels, PER_ENTRY, PER_SHIFT)


def dirichlet_loss(weights: Array, data: SimpleNamespace) -> float:
    """The same of given weights: a matrix and, in its last column, shifts."""
    return _penalised(weights, np.log(data.probs), data.labels, PER_ENTRY, PER_SHIFT)[0]


def _matrix(x: Array, labels: Array, per_entry: float = 0.0, per_shift: float = 0.0) -> float:
    k = x.shape[1]

    def loss(at: Array) -> tuple[float, Array]:
        value, slope = _penalised(at.reshape(k, k + 1), x, labels, per_entry, per_shift)
        return value, slope.ravel()

    return _least(loss, np.eye(k, k + 1).ravel())


def _penalised(
    weights: Array, x: Array, labels: Array, per_entry: float, per_shift: float
) -> tuple[float, Array]:
    value, slope = _softmax_loss(x @ weights[:, :-1].T + weights[:, -1], labels)
    penalty = np.full_like(weights, per_entry)
    np.fill_diagonal(penalty, 0.0)
    penalty[:, -1] = per_shift
    gradient = np.column_stack([slope.T @ x, slope.sum(0)]) + 2 * penalty * weights
    return value + float((penalty * weights**2).sum()), gradient


def platt(data: SimpleNamespace) -> float:
    """Of a line in the log odds."""
    return _logistic(np.stack([logit(data.p), np.ones_like(data.p)]), data.y)


def beta(data: SimpleNamespace) -> float:
    """Of ln p and ln(1 - p), Kull et al. 2017; its bounds are far away here."""
    return _logistic(np.stack([np.log(data.p), -np.log1p(-data.p), np.ones_like(data.p)]), data.y)


def _logistic(features: Array, y: Array) -> float:
    def loss(at: Array) -> tuple[float, Array]:
        z = at @ features
        value = np.logaddexp(0, z) - y * z
        slope = 1 / (1 + np.exp(-z)) - y
        return float(value.mean()), features @ slope / len(y)

    return _least(loss, np.zeros(len(features)))
