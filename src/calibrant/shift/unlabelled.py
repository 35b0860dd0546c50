"""What can be said of a population before it has labels: what its claims themselves expect."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from ..decisions.kept import single_view
from ..families.defaults import CURVE_FAMILY
from ..families.family import Family
from ..families.maps import with_labels
from ..families.names import family_of
from ..fitting.types import Array
from ..fitting.weights import counts
from ..inference.intervals import Interval
from ..inputs.checks import MAKE_THEM
from ..inputs.predictions import Predictions
from ..inputs.questions import top_label
from ..inputs.views import View

CONDITION = (
    "It holds if rows with one claim come true as often there as they did here: new kinds of rows, "
    "or other shares of the classes, are not seen in claims. It says nothing of how wrong the "
    "claims are there."
)


class Unlabelled(NamedTuple):
    """How often claims come true, the Brier score and the log loss, as expected without labels.

    `condition` is what must hold.
    """

    accuracy: Interval
    brier: Interval
    nll: Interval
    condition: str


def estimate_without_labels(
    x: Predictions | View,
    new: Predictions | View,
    family: Family | str = CURVE_FAMILY,
    *,
    level: float = 0.95,
) -> Unlabelled:
    """What accuracy, Brier score and log loss to expect of `new`, whose labels are not looked at.

    How often each claim comes true is learnt from `x`, which has labels, by a family; of predictions
    the top label is asked. Intervals hold the random variation of the new outcomes and of the
    labelled rows.

    >>> from calibrant import binary
    >>> here = binary([0.9] * 100 + [0.6] * 100, [1] * 80 + [0] * 20 + [1] * 60 + [0] * 40)
    >>> found = estimate_without_labels(here, binary([0.9] * 50, [0] * 50))
    >>> 0.74 < found.accuracy.estimate < 0.83
    True
    """
    family = family_of(family)
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, such as 0.95; got {level!r}")
    if not isinstance(new, Predictions | View):
        raise ValueError(
            f"new must be Predictions or a View, got {type(new).__name__}: {MAKE_THEM}"
        )
    here = single_view(x)
    there = new if isinstance(new, View) else top_label(with_labels(new))
    fitted = family.fit(here)
    q = np.clip(fitted(there), 0, 1)
    band = fitted.rule.band(there.with_floor(fitted.floor), level)
    low, high = (q, q) if band is None else band
    w = counts(there.w, there.n)
    z = ndtri((1 + level) / 2)
    is_right = _Expected(w, z, np.ones(there.n), np.zeros(there.n))
    p = there.p.astype(np.float64)
    squared = _Expected(w, z, (1 - p) ** 2, p**2)
    odds = there.log_odds
    logs = _Expected(w, z, np.logaddexp(0, -odds), np.logaddexp(0, odds))
    return Unlabelled(
        is_right.interval(q, low, high),
        squared.interval(q, low, high),
        logs.interval(q, low, high),
        CONDITION,
    )


class _Expected(NamedTuple):
    """A score of each row if its claim comes true, and if it does not."""

    w: Array
    z: float
    if_true: Array
    if_false: Array

    def interval(self, q: Array, low: Array, high: Array) -> Interval:
        """The mean score for chances q, which may lie anywhere between two others, row by row."""
        gain = self.if_true - self.if_false
        total = self.w.sum()
        mean = self.w @ (self.if_false + q * gain) / total
        outcomes = self.w @ (gain**2 * q * (1 - q)) / total**2
        # Neighbouring claims err together: the whole band moves up or down.
        ends = [self.w @ (self.if_false + each * gain) / total for each in (low, high)]
        below, above = (abs(mean - end) for end in (min(ends), max(ends)))
        spread = self.z * np.sqrt(outcomes)
        return Interval(
            float(mean),
            float(mean - np.hypot(spread, below)),
            float(mean + np.hypot(spread, above)),
        )
