"""The bandwidth of Beta kernels: by likelihood, by what predicts best, or by a rule of thumb."""

from collections.abc import Callable, Sequence

import numpy as np

from .bandwidths import BANDWIDTHS, best_scored, rule_of_thumb
from .beta_density import angles
from .beta_kernel import BetaKernel
from .blocks import on_all_cores
from .pooling import Pool
from .types import Array

# Log odds within this part of each other differ by float32's rounding, if at all; cells are wider.
_ROUNDING = 1e-6
_CELL = 1e-4


def best_bandwidth(pool: Pool) -> float:
    """The bandwidth that makes each claim most probable given the different ones.

    If any are equal, it is no wider than the rule of thumb. Of a single claim it is the least of
    the usual ones, as all tell the same.
    """
    claims = _without_rounding(pool)
    if len(claims.p) == 1:
        return float(BANDWIDTHS[0])

    def log_likelihood(h: float) -> float:
        kernel = BetaKernel(claims, h)
        return float(claims.w @ kernel.log_density())

    best = _best(log_likelihood)
    if (claims.w > 1).any():
        # Without its equals a claim has fewer rows near than any other place: where claims are
        # rounded and spread evenly, the widest kernel of all would be best.
        best = min(best, quick_bandwidth(claims))
    return best


def predictive_bandwidth(pool: Pool) -> float:
    """The bandwidth whose shares of events, a row left out, have the least Brier score of it."""
    if len(pool.p) == 1:
        return float(BANDWIDTHS[0])
    _, w, happened = pool

    def score(h: float) -> float:
        kernel = BetaKernel(pool, h)
        of_events = (1 - kernel.left_out(event=True)) ** 2
        of_others = kernel.left_out(event=False) ** 2
        return -float(happened @ of_events + (w - happened) @ of_others)

    return _best(score)


def _without_rounding(pool: Pool) -> Pool:
    """Claims that only rounding tells apart as one, or float32 would have other ties than float64.

    Where claims are so many that they lie as close by themselves, no run of them is longer than a
    cell that the narrowest kernel could not see.
    """
    odds = pool.p
    is_far = np.diff(odds) > _ROUNDING * np.maximum(1, np.abs(odds[1:]))
    is_far |= np.diff(np.floor(odds / _CELL)) > 0
    starts = np.flatnonzero(np.append(True, is_far))
    if len(starts) == len(odds):
        return pool
    w = np.add.reduceat(pool.w, starts)
    happened = np.add.reduceat(pool.happened, starts)
    return Pool(odds[starts], w, happened)


def _best(score: Callable[[float], float]) -> float:
    def scores(tried: Sequence[float]) -> Array:
        return np.array(on_all_cores(score, tried))

    return best_scored(scores)


def quick_bandwidth(pool: Pool) -> float:
    """A rule of thumb from the spread of the claims."""
    w = pool.w
    total = w.sum()
    angle = angles(pool.p)
    mean = w @ angle / total
    squares = (angle - mean) ** 2
    variance = w @ squares / total
    return rule_of_thumb(variance, 1, total)
