"""Kernel estimates of whole vectors as dense sums in float64, obviously right."""

from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, log_softmax, logsumexp

Floats = NDArray[np.float64]


def drawn(n: int, k: int, scale: float = 2.0, seed: int = 0) -> tuple[Floats, NDArray[np.int64]]:
    """Logits and labels that know nothing of each other."""
    random = np.random.default_rng([seed, n, k])
    return random.normal(0, scale, (n, k)), random.integers(0, k, n)


def kernels_of_others(logits: Floats, h: float) -> Floats:
    """Log density of Dirichlet(z_i / h + 1) at z_j, row j and column i; the diagonal is left out."""
    log_z = log_softmax(logits, axis=1)
    alpha = np.exp(log_z) / h + 1
    constants = gammaln(alpha.sum(1)) - gammaln(alpha).sum(1)
    found = np.maximum(log_z, -87.0) @ (alpha - 1).T + constants
    np.fill_diagonal(found, -inf)
    return found


def dense(logits: Floats, y: NDArray[np.int64], h: float) -> Floats:
    """The share of each class among the others of a row, weighed by kernels."""
    found = kernels_of_others(logits, h)
    weights = np.exp(found - logsumexp(found, axis=1, keepdims=True))
    return weights @ np.eye(logits.shape[1])[y]
