"""What mistakes cost: of a threshold, at the best threshold, and against deciding all alike."""

import numpy as np

from ..fitting.types import Array
from ..inputs.predictions import Predictions
from ..inputs.views import View
from .kept import Kept, decided_view, kept


def expected_cost(
    x: Predictions | View,
    threshold: float | None = None,
    *,
    false_positive: float,
    false_negative: float,
) -> float:
    """Mean cost a row of saying yes where a claim is at or above the threshold.

    The usual threshold is where right claims make yes and no cost the same,
    `false_positive / (false_positive + false_negative)`.

    >>> from calibrant import binary
    >>> expected_cost(binary([0.1, 0.3, 0.9], [0, 1, 1]), false_positive=1, false_negative=3)
    0.0
    >>> expected_cost(binary([0.1, 0.3, 0.9], [0, 1, 1]), 0.5, false_positive=1, false_negative=3)
    1.0
    """
    even = even_threshold(false_positive, false_negative)
    at = even if threshold is None else threshold
    costs = costs_at(kept(decided_view(x)), np.array([at]), false_positive, false_negative)
    return float(costs[0])


def best_threshold(x: Predictions | View, *, false_positive: float, false_negative: float) -> float:
    """The claim from which on yes costs least on these rows; infinity where no is always better.

    Of several, that nearest to where right claims would put it. It is fitted to the rows: what it
    saves is told by other rows. Where claims are right, `expected_cost` needs no search.

    >>> from calibrant import binary
    >>> best_threshold(binary([0.1, 0.3, 0.9], [0, 1, 1]), false_positive=1, false_negative=3)
    0.3
    """
    even = even_threshold(false_positive, false_negative)
    found = kept(decided_view(x))
    thresholds = np.append(np.inf, found.p)
    costs = costs_at(found, thresholds, false_positive, false_negative)
    rounding = 1e-12 * (false_positive + false_negative)
    best = thresholds[costs <= costs.min() + rounding]
    return float(best[np.abs(best - even).argmin()])


def net_benefit(x: Predictions | View, threshold: float) -> float:
    """True positives less false ones, these worth t / (1 - t), as a share of rows.

    t is the threshold (Vickers and Elkin 2006); saying no always is worth 0.

    >>> from calibrant import binary
    >>> net_benefit(binary([0.1, 0.3, 0.9], [0, 1, 1]), 0.2).__round__(4)
    0.6667
    """
    if not 0 <= threshold < 1:
        raise ValueError(f"a threshold must be in [0, 1), got {threshold}")
    return float(benefits_at(kept(decided_view(x)), np.array([threshold]))[0])


def benefits_at(found: Kept, thresholds: Array) -> Array:
    """The net benefit of each threshold."""
    rows, events = found.above(thresholds)
    false_positives = rows - events
    worth = thresholds / (1 - thresholds)
    return (events - false_positives * worth) / found.total


def costs_at(found: Kept, thresholds: Array, false_positive: float, false_negative: float) -> Array:
    """The mean cost a row of each threshold."""
    rows, events = found.above(thresholds)
    false_positives = rows - events
    false_negatives = found.all_events - events
    costs = false_positive * false_positives + false_negative * false_negatives
    return costs / found.total


def even_threshold(false_positive: float, false_negative: float) -> float:
    """The chance at which yes and no cost the same."""
    for name, cost in (("false_positive", false_positive), ("false_negative", false_negative)):
        if not 0 < cost < 1e100:
            raise ValueError(
                f"{name} must be a cost above 0, got {cost}: if that mistake costs nothing, "
                "one answer is always best and no threshold is needed"
            )
    return false_positive / (false_positive + false_negative)
