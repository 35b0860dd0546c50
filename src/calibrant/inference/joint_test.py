"""One test of calibration of several statistics: the strongest evidence counts, at its own level."""

import numpy as np

from ..fitting.types import Array
from ..measures.draws import Cells
from ..measures.rows import whole_counts
from .evidence import log_evidence


def joint_p_value(part: Cells, *, n_draws: int = 1000, seed: int = 0) -> float:
    """How often right claims would show evidence as strong, whichever of three shows it.

    Smooth's evidence, the mean gap and the range of the running sums are each ranked among
    outcomes drawn from the claims; the least of the three p-values is then ranked among those of
    the draws. The level is exact, as the outcomes seen are one of the sets that are ranked.
    """
    happened = np.vstack([part.happened, _drawn(part, n_draws, seed)])
    residual = happened - part.w * part.read
    sums = np.cumsum(residual, axis=1)
    highest = np.maximum(sums.max(1), 0)
    lowest = np.minimum(sums.min(1), 0)
    evidence = log_evidence(part)(happened)
    statistics = [evidence, np.abs(sums[:, -1]), highest - lowest]
    least = np.min([_shares_as_far(each) for each in statistics], axis=0)
    is_less = least < least[0] * (1 - 1e-9)
    # The furthest draws of each statistic tie with outcomes further than all: evidence tells.
    is_as_far = least <= least[0] * (1 + 1e-9)
    is_as_evident = evidence >= evidence[0] - _rounding(evidence[0])
    return float(np.mean(is_less | (is_as_far & is_as_evident)))


def _drawn(part: Cells, n_draws: int, seed: int) -> Array:
    """Outcomes of right claims; the mirrored ones of mirrored claims, so that no p-value flips."""
    rows = whole_counts(part.w)
    random = np.random.default_rng(seed)
    size = (n_draws, len(rows))
    if part.w @ (2 * part.read - 1) <= 0:
        happened = random.binomial(rows, part.read, size)
    else:
        failed = random.binomial(rows[::-1], 1 - part.read[::-1], size)
        happened = rows - failed[:, ::-1]
    return happened * (part.w / rows)


def _shares_as_far(values: Array) -> Array:
    """Of each value, how many are no less, itself among them."""
    ascending = np.sort(values)
    below = np.searchsorted(ascending, values - _rounding(values))
    return (len(values) - below) / len(values)


def _rounding(values: Array) -> Array:
    """Sums in another order differ in the last digits: what is equal must not count as less."""
    return 1e-9 * np.maximum(np.abs(values), 1e-6)
