"""Where on the scale claims fail: the running sum of y - p, beside what right claims would show."""

from dataclasses import dataclass

import numpy as np

from ..fitting.types import Array, Ints
from ..inference.located import Located, worst_interval
from ..inference.running_sums import random_walk
from ..inputs.predictions import Predictions
from ..inputs.views import View
from .claims import one_view
from .drawn import Drawn

_POINTS = 800


@dataclass(frozen=True, eq=False)
class Drift(Drawn):
    """At some shares `fractile` of the rows, the surest last: the claim `p`, and `sums` until it.

    They are sums of outcome less claim over the rows so far, divided by all rows; exact claims of
    0 and 1 are as they are read. If every claim were right, all of them would lie within `limit`
    of 0 in 19 samples of 20. Over the `worst` interval, from place `start` to place `stop`, they
    go furthest.
    """

    drawn_by = "drift"

    event: str
    fractile: Array
    p: Array
    sums: Array
    limit: float
    worst: Located
    start: int
    stop: int
    total: float


def drift(x: Predictions | View) -> Drift:
    """The running sum of outcome less claim along the sorted claims, and its worst interval.

    >>> from calibrant import binary
    >>> found = drift(binary([0.4] * 50 + [0.8] * 50, [1] * 25 + [0] * 25 + [1] * 15 + [0] * 35))
    >>> found.sums.round(2).tolist(), round(found.limit, 2)
    ([0.0, 0.05, -0.2], 0.1)
    >>> found.worst.low, found.worst.observed
    (0.8, 0.3)
    """
    view = one_view(x)
    walk = random_walk(view)
    reached = np.append(0.0, np.cumsum(walk.w)) / view.total
    start, stop = walk.worst
    at = _kept(reached, start, stop)
    first, last = np.searchsorted(at, [start, stop])
    made = np.append(walk.p[0], walk.p)
    return Drift(
        event=view.event,
        fractile=reached[at],
        p=made[at],
        sums=walk.sums[at] / view.total,
        limit=walk.limit / view.total,
        worst=worst_interval(view),
        start=int(first),
        stop=int(last),
        total=view.total,
    )


def _kept(reached: Array, start: int, stop: int) -> Ints:
    """Places of the sums to show: evenly by rows, both ends, and those of the worst interval."""
    last = len(reached) - 1
    even = np.searchsorted(reached, np.linspace(0, 1, _POINTS)).clip(max=last)
    return np.unique(np.concatenate([even, [0, start, stop, last]]))
