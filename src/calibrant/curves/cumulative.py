"""Claims and events summed up in order of the claim: the four graphs of Gupta et al. 2021."""

from dataclasses import dataclass

import numpy as np

from ..families.defaults import CUMULATIVE_FAMILY
from ..families.family import Family
from ..families.names import family_of
from ..fitting.types import Array, Ints
from ..inference.running_sums import random_walk
from ..inputs.predictions import Predictions
from ..inputs.views import View
from ..measures.ks import drift
from .claims import one_view
from .curve import in_short
from .drawn import Drawn

_POINTS = 400


@dataclass(frozen=True, eq=False)
class Cumulative(Drawn):
    """At some shares `fractile` of the rows, the surest last: the claim `p`, and the sums until it.

    `claimed` and `happened` are sums over the rows so far, divided by all rows; they end at the
    mean claim and the share of events. Their widest gap, at `widest`, is `error`, the KS error;
    if every claim were right, all gaps would be below `limit` in 19 samples of 20. `q` is the
    calibrated chance of `p`.
    """

    drawn_by = "cumulative"

    event: str
    family: str
    fractile: Array
    p: Array
    q: Array
    claimed: Array
    happened: Array
    widest: int
    error: float
    limit: float
    total: float


def cumulative(x: Predictions | View, family: Family | str = CUMULATIVE_FAMILY) -> Cumulative:
    """Sums of claims and of events along the sorted claims, and the map whose slope they have.

    >>> from calibrant import binary
    >>> found = cumulative(binary([0.4] * 5 + [0.8] * 5, [1, 1, 0, 0, 0] + [1, 1, 0, 0, 0]))
    >>> found.claimed.round(2).tolist(), found.happened.round(2).tolist()
    ([0.0, 0.2, 0.6], [0.0, 0.2, 0.4])
    >>> round(found.error, 2)
    0.2
    """
    view = one_view(x)
    family = family_of(family)
    p, w, happened = view.pool
    fractile = np.cumsum(w) / view.total
    gap = np.abs(drift(view)[1])
    at = _kept(fractile, gap)
    shown = np.append(p[0], p[at])
    return Cumulative(
        event=view.event,
        family=in_short(family),
        fractile=_from_zero(fractile[at]),
        p=shown,
        q=np.clip(family.fit(view)(shown), 0, 1),
        claimed=_from_zero((np.cumsum(w * p) / view.total)[at]),
        happened=_from_zero((np.cumsum(happened) / view.total)[at]),
        widest=1 + int(np.searchsorted(at, gap.argmax())),
        error=float(gap.max()),
        limit=random_walk(view).limit / view.total,
        total=view.total,
    )


def _kept(fractile: Array, gap: Array) -> Ints:
    """Places of the claims to show: evenly by rows, both ends, and where the gap is widest."""
    last = len(fractile) - 1
    even = np.searchsorted(fractile, np.linspace(0, 1, _POINTS)).clip(max=last)
    return np.unique(np.concatenate([even, [0, gap.argmax(), last]]))


def _from_zero(sums: Array) -> Array:
    return np.append(0.0, sums)
