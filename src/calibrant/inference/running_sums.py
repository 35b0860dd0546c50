"""The running sum of y - p along the claims, and how far it would range if every claim were right.

Divided by its standard deviation at the end it is then a random walk that nears a Brownian motion.
"""

import numpy as np
from scipy.special import expit, ndtr

from ..fitting.types import Array
from ..inputs.views import View
from .significance import Significance

# Below it one series of the range's distribution is quick, above it the other.
_NARROW = 1.5
# A range below it has no chance that a float could tell from 0.
_LEAST = 0.1
_TERMS = 20


def kuiper(view: View) -> Significance:
    """Kuiper's test: the range of the running sum, in standard deviations of its end.

    Its p-value is closed and asymptotic. In 2000 runs a cell, n from 100 to 10,000, it was below
    .05 for right claims in 4.0 to 5.5% of runs where they were uniform, and in 2.7 to 5% where they
    pile up at 1. Of fractional outcomes, which vary less, it is conservative.
    """
    sums, deviation = running_sums(view)
    spread = float(np.ptp(sums))
    if spread == 0:
        return Significance(0.0, 1.0)
    if deviation == 0:
        return Significance(float(np.inf), 0.0)
    wide = spread / deviation
    return Significance(wide, range_tail(wide))


def running_sums(view: View) -> tuple[Array, float]:
    """Sums of y - p over the claims so far, from none to all, and the last one's deviation.

    Equal claims are one step; exact 0 and 1 are as they are read.
    """
    log_odds, w, happened = view.odds_pool
    p = expit(log_odds)
    rest = expit(-log_odds)
    steps = happened * rest
    steps -= (w - happened) * p
    variance = w @ (p * rest)
    sums = np.append(0.0, np.cumsum(steps))
    return sums, float(np.sqrt(variance))


def range_tail(wide: float) -> float:
    """The chance that a standard Brownian motion ranges over more than this by time 1.

    It is that of Feller 1951, "The asymptotic distribution of the range of sums".

    >>> round(range_tail(2.4977), 4)
    0.05
    """
    tail = _far_tail(wide) if wide > _NARROW else 1 - _near_chance(wide)
    return float(np.clip(tail, 0, 1))


def _far_tail(wide: float) -> float:
    k = np.arange(1, _TERMS + 1)
    signs = np.where(k % 2, 1, -1)
    terms = signs * k * ndtr(-k * wide)
    return float(8 * terms.sum())


def _near_chance(wide: float) -> float:
    """The chance of a range no wider, by the series that is quick where it is narrow."""
    if wide < _LEAST:
        return 0.0
    odd = np.pi * np.arange(1, 2 * _TERMS, 2)
    scale = 1 / wide**2
    terms = (scale + 1 / odd**2) * np.exp(-(odd**2) * scale / 2)
    return float(8 * terms.sum())
