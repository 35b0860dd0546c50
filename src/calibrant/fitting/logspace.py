"""Probabilities and their logarithms, a row each, exact however far from one half."""

import numpy as np

from .types import Array

# An exact 0 among probabilities is read as float32's smallest normal number, whatever its type:
# finite in log space, below any probability a float32 softmax can give, and the same for float32
# and float64.
TINY = float(np.finfo(np.float32).tiny)
LOG_TINY = float(np.log(TINY))
# Zeros read as no more than this take no share from the other entries of their vector.
NO_SHARE = 2.0**-25


def softmax(z: Array) -> Array:
    """Probabilities from logits, a row each."""
    top = z.max(1, keepdims=True)
    p = np.exp(z - top)
    p /= p.sum(1, keepdims=True)
    return p


def log_softmax(z: Array) -> Array:
    """Log-probabilities from logits, a row each."""
    top = z.max(1, keepdims=True)
    below = z - top
    p = np.exp(below)
    total = p.sum(1, keepdims=True)
    below -= np.log(total)
    return below


def log_sum_exp(z: Array) -> Array:
    """Log of the sum of exponentials, a row each; the large part stays in float64."""
    top = z.max(1, keepdims=True)
    below = np.exp(z - top)
    total = below.sum(1, dtype=np.float64)
    log_total = np.log(total)
    log_total += top[:, 0]
    return log_total


def floored_log(p: Array, floor: float = TINY) -> Array:
    """Logarithm with anything below the floor, exact zeros too, read as the floor."""
    return np.log(np.maximum(p, floor))


def read_vectors(p: Array, floor: float) -> Array:
    """Vectors with entries below the floor read as the floor, each of the sum that it had."""
    read = np.maximum(p, floor)
    if floor <= NO_SHARE:
        return read
    whole = p.sum(1, keepdims=True)
    read *= whole / read.sum(1, keepdims=True)
    return read


def log_vectors(p: Array, floor: float) -> Array:
    """Logarithms of vectors so read."""
    return np.log(read_vectors(p, floor))
