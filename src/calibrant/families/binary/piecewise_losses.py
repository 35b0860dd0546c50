"""Losses of piecewise linear maps, with derivatives, at points that stand for many rows.

Each takes the values of some lines at the points, (lines, points), and for each line the weight
there and the weight of events. It gives each line's loss, and its slope and a curvature that is not
negative, point by point.
"""

import numpy as np
from scipy.special import expit

from ...fitting.levenberg_marquardt import Losses
from ...fitting.types import Array


def squared_error(q: Array, w: Array, happened: Array) -> Array:
    """The summed squared error of chances at the points."""
    missed = w - happened
    errors = happened * (1 - q) ** 2
    errors += missed * q**2
    return errors.sum(1)


def log_loss_of_chances(q: Array, w: Array, happened: Array) -> Losses:
    """Log loss of lines whose values are chances."""
    missed = w - happened
    log_likelihood = happened * np.log(q)
    log_likelihood += missed * np.log(1 - q)
    variance = q * (1 - q)
    excess = w * q - happened
    loss = -log_likelihood.sum(1)
    return loss, excess / variance, w / variance


def squared_error_of_chances(q: Array, w: Array, happened: Array) -> Losses:
    """Squared error of lines whose values are chances."""
    loss = squared_error(q, w, happened)
    excess = w * q - happened
    return loss, 2 * excess, 2 * w


def log_loss_of_logits(z: Array, w: Array, happened: Array) -> Losses:
    """Log loss of lines whose values are log odds."""
    q = expit(z)
    losses = w * np.logaddexp(0, z)
    losses -= happened * z
    excess = w * q - happened
    curvature = w * q * (1 - q)
    # A point that is wrong with certainty has no curvature of its own, and steps would know no
    # measure.
    least = 0.02 * np.abs(excess)
    curvature = np.maximum(curvature, least)
    return losses.sum(1), excess, curvature


def squared_error_of_logits(z: Array, w: Array, happened: Array) -> Losses:
    """Squared error of lines whose values are log odds."""
    q = expit(z)
    loss = squared_error(q, w, happened)
    variance = q * (1 - q)
    excess = w * q - happened
    curvature = 2 * w * variance**2
    return loss, 2 * excess * variance, curvature
