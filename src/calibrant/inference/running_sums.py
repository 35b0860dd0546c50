"""The running sum of y - p along the claims, and how far it would go if every claim were right.

Divided by its standard deviation at the end it is then a random walk that nears a Brownian motion.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, ndtr

from ..fitting.types import Array
from ..inputs.views import View
from .significance import Significance

# A Brownian path stays within so many standard deviations of its end 95 times of 100.
PATH_95 = 2.2414
# Below it one series of the range's distribution is quick, above it the other.
_NARROW = 1.5
# A range below it has no chance that a float could tell from 0.
_LEAST = 0.1
_TERMS = 20


@dataclass(frozen=True, eq=False)
class RandomWalk:
    """Distinct claims, their rows and events, and sums of y - p before the first and after each.

    Exact claims of 0 and 1 are as they are read. `deviation` is that of the last sum.
    """

    p: Array
    w: Array
    happened: Array
    sums: Array
    deviation: float

    @property
    def range(self) -> float:
        """How far the highest sum is from the lowest."""
        return float(np.ptp(self.sums))

    @property
    def limit(self) -> float:
        """What the sums of right claims all stay within, 19 times in 20."""
        return PATH_95 * self.deviation

    @cached_property
    def worst(self) -> tuple[int, int]:
        """Between which places lie the claims over which sums range; all where none differ."""
        rounding = 1e-12 * self.w.sum()
        if self.range <= rounding:
            return 0, len(self.p)
        lowest = int(self.sums.argmin())
        highest = int(self.sums.argmax())
        return min(lowest, highest), max(lowest, highest)


def random_walk(view: View) -> RandomWalk:
    """The walk of a view's claims; equal ones are one step."""
    log_odds, w, happened = view.odds_pool
    p = expit(log_odds)
    rest = expit(-log_odds)
    steps = happened * rest
    steps -= (w - happened) * p
    sums = np.append(0.0, np.cumsum(steps))
    variance = w @ (p * rest)
    return RandomWalk(p, w, happened, sums, float(np.sqrt(variance)))


def kuiper(view: View) -> Significance:
    """Kuiper's test: the range of the running sum, in standard deviations of its end.

    Its p-value is closed and asymptotic. In 2000 runs a cell, n from 100 to 10,000, it was below
    .05 for right claims in 4.0 to 5.5% of runs where they were uniform, and in 2.7 to 5% where they
    pile up at 1. Of fractional outcomes, which vary less, it is conservative.
    """
    walk = random_walk(view)
    if walk.range == 0:
        return Significance(0.0, 1.0)
    if walk.deviation == 0:
        return Significance(float(np.inf), 0.0)
    wide = walk.range / walk.deviation
    return Significance(wide, range_tail(wide))


def range_tail(wide: float) -> float:
    """The chance that a standard Brownian motion ranges over more than this by time 1.

    Its two series are those of Feller 1951.

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
