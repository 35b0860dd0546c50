"""Dense kernel sums, obviously right: every row against every other, one by one."""

from itertools import combinations
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Array = NDArray[Any]
FLOOR = -87.0


def log_kernels(at: Array, about: Array, h: float) -> Array:
    """Log density at vectors `at`, a row each, of the Dirichlet distribution about each vector, a column each."""
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(at), FLOOR)
    found = np.empty((len(at), len(about)))
    for j, z in enumerate(about):
        found[:, j] = logs @ (z / h) + gammaln((z / h + 1).sum()) - gammaln(z / h + 1).sum()
    return found


def left_out(p: Array, y: Array, h: float) -> Array:
    """Share of every class about each row of vectors `p`, the row itself left out."""
    logs = log_kernels(p, p, h)
    np.fill_diagonal(logs, -np.inf)
    weights = np.exp(logs - logs.max(1, keepdims=True))
    return (weights @ np.eye(p.shape[1])[y]) / weights.sum(1, keepdims=True)


def log_density(p: Array, h: float) -> Array:
    """Log of the sum, at each row, of the kernels about all rows that are different from it."""
    logs = log_kernels(p, p, h)
    for i, row in enumerate(p):
        logs[i, (p == row).all(1)] = -np.inf
    top = logs.max(1)
    return top + np.log(np.exp(logs - top[:, None]).sum(1))


def pairs_left_out(p: Array, y: Array, h: float) -> Array:
    """Of pairs of other rows the share that both have a class: eq. 14 of Popordanoska et al. 2022.

    Row by row, in exact arithmetic.
    """
    n, k = p.shape
    logs = log_kernels(p, p, h)
    found = np.empty((n, k))
    with mpmath.workdps(60):
        for i in range(n):
            kernel = {j: mpmath.exp(mpmath.mpf(logs[i, j])) for j in range(n) if j != i}
            pairs = [(j, m, kernel[j] * kernel[m]) for j, m in combinations(kernel, 2)]
            total = sum(product for _, _, product in pairs)
            for c in range(k):
                found[i, c] = float(
                    sum(product for j, m, product in pairs if y[j] == y[m] == c) / total
                )
    return found


def two(p: Array) -> Array:
    """One chance as a vector of two."""
    return np.stack([1 - p, p], axis=1)
