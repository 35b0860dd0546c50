"""Claims and events summed up in order of the claim: the four graphs of paper 000, which need no bins."""

from dataclasses import dataclass

import numpy as np

from ..families.binary.spline import Spline
from ..families.family import Family
from ..fitting.types import Array
from ..inputs.checks import check_argument
from ..inputs.predictions import Predictions
from ..inputs.views import View
from ..measures.ks import drift
from .claims import one_view
from .curve import in_short

_POINTS = 400


@dataclass(frozen=True, eq=False)
class Sums:
    """At some shares `fractile` of the rows, the surest last: the claim `p` there, and what adds up until there.

    `claimed` and `happened` are sums over the rows so far, divided by all rows; they end at the mean claim and the
    share of events. Their widest gap, at `widest`, is `error`, the KS error. `q` is the calibrated chance of `p`.
    """

    event: str
    family: str
    fractile: Array
    p: Array
    q: Array
    claimed: Array
    happened: Array
    widest: int
    error: float
    total: float


def cumulative(x: Predictions | View, family: Family = Spline()) -> Sums:  # noqa: B008 - families are frozen
    """Sums of claims and of events along the sorted claims, and beside them the map whose slope they have.

    >>> from calibrant import binary
    >>> sums = cumulative(binary([0.4] * 5 + [0.8] * 5, [1, 1, 0, 0, 0] + [1, 1, 0, 0, 0]))
    >>> sums.claimed.round(2).tolist(), sums.happened.round(2).tolist(), round(sums.error, 2)
    ([0.0, 0.2, 0.6], [0.0, 0.2, 0.4], 0.2)
    """
    view = one_view(x)
    check_argument("family", family, Family)
    p, w, happened = view.pool
    reached, claimed, events = (np.cumsum(each) / view.total for each in (w, w * p, happened))
    gap = np.abs(drift(view)[1])
    even = np.searchsorted(reached, np.linspace(0, 1, _POINTS)).clip(max=len(p) - 1)
    at = np.unique(np.concatenate([even, [0, gap.argmax(), len(p) - 1]]))
    return Sums(
        view.event,
        in_short(family),
        np.append(0.0, reached[at]),
        (shown := np.append(p[0], p[at])),
        np.clip(family.fit(view)(shown), 0, 1),
        np.append(0.0, claimed[at]),
        np.append(0.0, events[at]),
        1 + int(np.searchsorted(at, gap.argmax())),
        float(gap.max()),
        view.total,
    )
