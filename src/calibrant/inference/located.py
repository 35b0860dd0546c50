"""Where on the scale the claims fail: the interval of them that is furthest off."""

from typing import NamedTuple

from ..inputs.predictions import Predictions
from ..inputs.questions import views_of
from ..inputs.views import View
from ..measures.ks import furthest_off
from .running_sums import kuiper


class Located(NamedTuple):
    """An interval of claims, both ends in it: the mean claim there and the share that happened.

    `gap` is their difference times `share`, that of all rows whose claims lie in it: the cutoff
    error. `p_value` is how often right claims would have some interval as far off.
    """

    low: float
    high: float
    claimed: float
    observed: float
    gap: float
    p_value: float
    share: float


def worst_interval(x: Predictions | View) -> Located:
    """The interval of claims that is furthest off, and whether that is more than random variation.

    Of all intervals it is the one whose claims and events, summed up, differ most. The p-value is
    of Kuiper's test, which knows that the worst was looked for.

    >>> from calibrant import binary
    >>> p = [0.3] * 100 + [0.6] * 100 + [0.9] * 100
    >>> found = worst_interval(binary(p, [1] * 35 + [0] * 65 + [1] * 20 + [0] * 80 + [1] * 100))
    >>> found.low, found.high, found.claimed, found.observed, found.p_value < 0.001
    (0.6, 0.6, 0.6, 0.2, True)
    """
    views = views_of(x)
    if len(views) != 1:
        rule = "the worst interval is one of one view's claims"
        raise ValueError(f"{rule}, got {len(views)} views; ask of each")
    view = views[0]
    start, stop = furthest_off(view)
    p, w, happened = (each[start:stop] for each in view.pool)
    rows = w.sum()
    claimed = float(w @ p / rows)
    observed = float(happened.sum() / rows)
    share = float(rows / view.total)
    return Located(
        low=float(p[0]),
        high=float(p[-1]),
        claimed=claimed,
        observed=observed,
        gap=share * abs(observed - claimed),
        p_value=kuiper(view).p_value,
        share=share,
    )
