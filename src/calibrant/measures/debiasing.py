"""What random variation adds to the gaps of bins, by formula (Kängsepp et al. 2022)."""

from typing import Literal

import numpy as np
from scipy.special import ndtr

from ..families.operations import Side
from ..families.rules import Bins
from ..fitting.types import Array, Ints
from ..fitting.weights import weighted, weighted_mean
from ..inputs.views import View

_ROOT_2_PI = np.sqrt(2 / np.pi)


def debiased(bins: Bins, norm: Literal[1, 2], mixed: Array | float = 0.0) -> float:
    """Mean gap, or mean squared gap, of bins less what random variation adds; may be negative.

    `mixed` is what outcomes of the bins vary less by, as they are fractional.
    """
    gap = np.abs(bins.lift)
    failed = 1 - bins.mean_y
    variance = np.maximum(bins.mean_y * failed - mixed, 0)
    if norm == 2:
        # One row says nothing of its bin's variance, so its square stays as it is.
        bias = _divided(variance, bins.count - 1)
        corrected = gap**2 - bias
    else:
        sd = np.sqrt(_divided(variance, bins.count))
        corrected = 2 * gap - _folded_mean(gap, sd)
    return weighted_mean(corrected, bins.count)


def mixed_in_bins(bins: Bins, view: View) -> Array | float:
    """The mean of y (1 - y) in each bin, by which fractional outcomes vary less than 0 and 1."""
    if not view.is_fractional:
        return 0.0
    inside = weighted(view.y * (1 - view.y), view.w)
    place = _places(bins, view.p)
    summed = np.bincount(place, inside, len(bins.count))
    return _divided(summed.astype(np.float64), bins.count)


def _places(bins: Bins, p: Array) -> Ints:
    """The bin of each claim; one on an edge falls below it where bins have equal width."""
    side: Side = "left" if bins.edges == "width" else "right"
    return np.searchsorted(bins.inner, p, side=side)


def _folded_mean(mean: Array, sd: Array) -> Array:
    """The mean absolute value of normal variables."""
    infinite = np.full_like(mean, np.inf)
    z = np.divide(mean, sd, out=infinite, where=sd > 0)
    density = np.exp(-(z**2) / 2)
    within = 2 * ndtr(z) - 1
    return sd * _ROOT_2_PI * density + mean * within


def _divided(x: Array, n: Array) -> Array:
    """The quotient, or 0 where n is not above 0."""
    zeros = np.zeros_like(n)
    return np.divide(x, n, out=zeros, where=n > 0)
