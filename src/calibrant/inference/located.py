"""Where on the scale the claims fail: the interval of them that is furthest off."""

from typing import NamedTuple

from ..fitting.weights import present
from ..inputs.habits import takes_one
from ..inputs.predictions import Predictions
from ..inputs.questions import views_of
from ..inputs.views import View
from .running_sums import kuiper, random_walk


class Located(NamedTuple):
    """An interval of claims, both ends in it: the mean claim there and the share that happened.

    `gap` is their difference times `share`, that of all rows whose claims lie in it. `p_value` is
    how often right claims would have some interval as far off.
    """

    low: float
    high: float
    claimed: float
    observed: float
    gap: float
    p_value: float
    share: float


@takes_one
def worst_interval(x: Predictions | View) -> Located:
    """The interval of claims that is furthest off, and whether that is more than random variation.

    Of all intervals it is the one whose claims and events, summed up, differ most: its gap is the
    `cutoff_error`, but that claims of exactly 0 and 1 are as they are read. The p-value is that of
    Kuiper's test, which knows that the worst was looked for.

    >>> from calibrant import binary
    >>> p = [0.3] * 100 + [0.6] * 100 + [0.9] * 100
    >>> found = worst_interval(binary(p, [1] * 35 + [0] * 65 + [1] * 20 + [0] * 80 + [1] * 100))
    >>> found.low, found.high, round(found.claimed, 2), found.observed, found.p_value < 0.001
    (0.6, 0.6, 0.6, 0.2, True)
    """
    views = views_of(x)
    if len(views) != 1:
        rule = "the worst interval is one of one view's claims"
        raise ValueError(f"{rule}, got {len(views)} views; ask of each")
    view = views[0]
    walk = random_walk(view)
    start, stop = walk.worst
    w = walk.w[start:stop]
    rows = w.sum()
    claimed = float(w @ walk.p[start:stop] / rows)
    observed = float(walk.happened[start:stop].sum() / rows)
    share = float(rows / view.total)
    low, high = _claims(view, start, stop)
    return Located(
        low=low,
        high=high,
        claimed=claimed,
        observed=observed,
        gap=share * abs(observed - claimed),
        p_value=kuiper(view).p_value,
        share=share,
    )


def _claims(view: View, start: int, stop: int) -> tuple[float, float]:
    """The first and the last of some of the distinct claims, as they were made."""
    log_odds = view.odds_pool.p
    rows = present(view.w, view.n)
    at_start = rows[view.log_odds[rows] == log_odds[start]]
    at_last = rows[view.log_odds[rows] == log_odds[stop - 1]]
    return float(view.p[at_start].min()), float(view.p[at_last].max())
