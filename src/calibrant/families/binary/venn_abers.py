"""Venn-Abers prediction: two isotonic fits a claim, one as if its event will not happen, one as if it will."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...fitting.pooling import Pool
from ...fitting.types import Array
from ...inputs.views import View
from ..family import ChanceRule, Fact
from ..operations import NUMPY, Claims, Operations, Value
from .family import ChanceFamily


@dataclass(frozen=True, eq=False)
class Intervals(ChanceRule):
    """The ends of the interval at every claim: `p0` rises at each `rises0`, `p1` above each `rises1`."""

    tag = "intervals"
    band_name = "Venn-Abers"
    rises0: Array
    p0: Array
    rises1: Array
    p1: Array

    def formula(self, claims: Claims, ops: Operations) -> Value:
        p0, p1 = self._ends(claims, ops)
        return p1 / (1 - p0 + p1)

    def interval(self, claims: Claims) -> tuple[Array, Array]:
        """The chances of a claim's event added to the fit as one that did not happen, and as one that did."""
        return self._ends(claims, NUMPY)

    def band(self, claims: Claims, level: float = 0.95) -> tuple[Array, Array]:  # noqa: ARG002 - it has none
        return self.interval(claims)

    def facts(self) -> Iterator[Fact]:
        yield Fact("lower steps", len(self.p0), "of the chance if the event does not happen")
        yield Fact("upper steps", len(self.p1), "of the chance if it does")

    def _ends(self, claims: Claims, ops: Operations) -> tuple[Value, Value]:
        p0 = ops.step(claims.p, self.rises0, self.p0, side="right")
        p1 = ops.step(claims.p, self.rises1, self.p1, side="left")
        return p0, p1


@dataclass(frozen=True)
class VennAbers(ChanceFamily):
    """Isotonic regression that counts the new claim itself; `map.rule.interval(view)` gives the two chances.

    >>> from calibrant import binary
    >>> VennAbers().fit(binary([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1]))([0.2, 0.5, 0.9]).round(4).tolist()
    [0.3333, 0.5, 0.6667]
    """

    def chance_rule(self, view: View) -> Intervals:
        """Both chances of every claim there is; those of a claim in between are a neighbour's."""
        p, w, happened = view.pool
        # Added as an event, a claim ends no block unless it is a block of ones: it joins the next claim above it.
        p1 = np.append(_added_as_event(view.pool), 1.0)
        last = np.flatnonzero(p1[1:] != p1[:-1])
        # Seen from above with outcomes exchanged, an event added is an event missed.
        mirrored = Pool(-p[::-1], w[::-1], (w - happened)[::-1])
        p0 = np.append(0.0, 1 - _added_as_event(mirrored)[::-1])
        first = np.flatnonzero(p0[1:] != p0[:-1])
        return Intervals(p[first], p0[np.append(first, -1)], p[last], p1[np.append(last, -1)])


def _added_as_event(pool: Pool) -> Array:
    """For each distinct claim its isotonic fit with one more row, at that claim, whose event happened.

    The fit is the slope of the line below the summed weights and events, where the points before the claim are one
    step down and to the left. That line ends on a corner of the old fit, and begins in the block of the claim.
    """
    from scipy.optimize import isotonic_regression

    _, w, happened = pool
    weight, events = (np.concatenate([[0.0], np.cumsum(x)]) for x in (w, happened))
    corners = isotonic_regression(happened / w, weights=w).blocks
    x, y = weight[:-1] - 1, events[:-1] - 1
    at, rise = weight[corners], events[corners]
    slopes = np.diff(rise) / np.diff(at)
    # The corner where a line from (x, y) touches the old fit: the first whose next edge passes below the point.
    low = np.repeat(np.arange(1, len(corners)), np.diff(corners))
    high = np.full(len(w), len(corners) - 1)
    while (low < high).any():
        middle = (low + high) // 2
        edge = np.minimum(middle, len(slopes) - 1)
        below = rise[middle] - y <= slopes[edge] * (at[middle] - x)
        low, high = (
            np.where(below, low, np.minimum(middle + 1, high)),
            np.where(below, middle, high),
        )
    return np.minimum(np.maximum.accumulate((rise[low] - y) / (at[low] - x)), 1)
