"""The level of a measure under calibration: what it would show if every claim were right."""

from typing import NamedTuple

import numpy as np

from ..fitting.weights import weighted_mean
from ..inputs.habits import takes_one
from ..inputs.questions import Scored
from ..inputs.views import View
from ..measures.null_draws import drawn_values
from ..progress import quiet
from .measuring import Ends, Measure, number

_END_95 = 1.96
_ONE_END_95 = 1.645


class Level(NamedTuple):
    """What a measure gives of right claims: on average, and what 19 of 20 draws stay below."""

    mean: float
    high: float


@takes_one
def null_level(measure: Measure, x: Scored, *, n_draws: int = 20, seed: int = 0) -> Level:
    """What `measure` would show of the same rows if their claims were right.

    Outcomes are drawn from the claims themselves. Of many classes, the level is most of what a
    kernel or a fit to the same rows gives.

    >>> from calibrant import binary, ece
    >>> view = binary([0.2, 0.4, 0.6, 0.8] * 25, [1, 0, 1, 1] * 25)
    >>> level = null_level(ece, view)
    >>> level.mean < level.high < ece(view)
    True
    """
    is_whole = isinstance(n_draws, int | np.integer)
    if not is_whole or n_draws < 1:
        raise ValueError(f"n_draws must be a whole number, at least 1, got {n_draws!r}")

    def value(drawn: object) -> float:
        return number(measure, drawn)

    with quiet():
        drawn = drawn_values(value, x, n_draws, seed)
    high = np.quantile(drawn, 0.95)
    return Level(float(np.mean(drawn)), float(high))


def ratio_range(view: View) -> Ends:
    """Between what right claims show events over events claimed, 19 times in 20."""
    p = view.p.astype(np.float64)
    claimed = weighted_mean(p, view.w)
    variance = weighted_mean(p * (1 - p), view.w) / view.total
    half = _END_95 * float(np.sqrt(variance)) / claimed
    return max(0.0, 1 - half), 1 + half


def gain_limit(standard_error: float) -> float:
    """What a score that a map lowers by nothing seems to gain at most, 19 times in 20."""
    return _ONE_END_95 * standard_error
