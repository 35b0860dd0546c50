"""The Beta kernel itself, of claims given as log odds: no digit is lost near 0 and 1."""

import numpy as np
from scipy.special import expit, gammaln

from .types import Array

# Logarithms of p and 1 - p go no lower, so that exact 0 and 1 are claims like any other.
FLOOR = -87.0


def key_table(odds: Array, h: float) -> Array:
    """Kernels about claims, a column each, as weights of log p, log(1 - p) and 1.

    The product of `log_chances` with it is the log of every kernel at every claim.
    """
    happens = expit(odds) / h
    fails = expit(-odds) / h
    constant = gammaln(1 / h + 2)
    constant = constant - gammaln(happens + 1)
    constant -= gammaln(fails + 1)
    return np.stack([happens, fails, constant])


def log_chances(odds: Array) -> Array:
    """The logarithms of p and of 1 - p, and 1: a row for each claim."""
    log_p = -np.logaddexp(0, -odds)
    log_rest = -np.logaddexp(0, odds)
    ones = np.ones(len(odds))
    return np.stack([log_p, log_rest, ones], axis=1)


def log_heights(odds: Array, h: float) -> Array:
    """The log of each claim's own kernel at it."""
    queries = log_chances(odds)
    keys = key_table(odds, h)
    return np.einsum("ij,ji->i", queries, keys)


def angles(odds: Array) -> Array:
    """The arc whose squared sine is the chance: along it kernels are equally wide."""
    root_of_odds = np.exp(odds / 2)
    return np.arctan(root_of_odds)
