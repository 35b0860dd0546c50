"""Probabilities and their logarithms, a row each, exact however far from one half."""

import numpy as np

from .types import Array

# An exact 0 among probabilities is read as float32's smallest normal number, whatever its type: finite in log
# space, below any probability a float32 softmax can give, and the same for float32 and float64.
TINY = float(np.finfo(np.float32).tiny)
LOG_TINY = float(np.log(TINY))


def softmax(z: Array) -> Array:
    """Probabilities from logits, a row each."""
    e = np.exp(z - z.max(1, keepdims=True))
    e /= e.sum(1, keepdims=True)
    return e


def log_softmax(z: Array) -> Array:
    """Log-probabilities from logits, a row each."""
    below = z - z.max(1, keepdims=True)
    below -= np.log(np.exp(below).sum(1, keepdims=True))
    return below


def log_sum_exp(z: Array) -> Array:
    """Log of the sum of exponentials, a row each; the large part stays in float64."""
    top = z.max(1)
    return top.astype(np.float64) + np.log(np.exp(z - top[:, None]).sum(1, dtype=np.float64))


def floored_log(p: Array) -> Array:
    """Logarithm with exact zeros, and anything below float32's normal range, read as its smallest number."""
    return np.log(np.maximum(p, TINY))
