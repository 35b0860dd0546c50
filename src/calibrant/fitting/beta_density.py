"""The Beta kernel itself, of claims given as log odds: no digit is lost near 0 and 1."""

import numpy as np
from scipy.special import expit, gammaln

from .types import Array

# Logarithms of p and 1 - p go no lower, so that exact 0 and 1 are claims like any other.
FLOOR = -87.0


def key_table(odds: Array, h: float) -> Array:
    """Kernels about claims, a column each: what log p, log(1 - p) and 1 are multiplied by to give their logarithms."""
    s, rest = expit(odds) / h, expit(-odds) / h
    return np.stack([s, rest, gammaln(1 / h + 2) - gammaln(s + 1) - gammaln(rest + 1)])


def log_chances(odds: Array) -> Array:
    """The logarithms of p and of 1 - p, and 1: a row for each claim."""
    return np.stack([-np.logaddexp(0, -odds), -np.logaddexp(0, odds), np.ones(len(odds))], axis=1)


def log_heights(odds: Array, h: float) -> Array:
    """The log of each claim's own kernel at it."""
    return np.einsum("ij,ji->i", log_chances(odds), key_table(odds, h))


def floored_log_odds(p: Array) -> Array:
    """Log odds of chances, those of 0 and 1 at the floor."""
    with np.errstate(divide="ignore"):
        return np.clip(np.log(p) - np.log1p(-p), FLOOR, -FLOOR)


def angles(odds: Array) -> Array:
    """The arc whose squared sine is the chance: along it kernels are equally wide."""
    return np.arctan(np.exp(odds / 2))
