"""Venn-Abers prediction: two isotonic fits a claim, as if its event will happen and as if not."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from ...fitting.pooling import run_starts
from ...fitting.types import Array, Ints
from ...inputs.views import View
from ..numpy_operations import NUMPY
from ..operations import Claims, Operations, Value
from ..rules import ChanceRule, Fact
from .binning import running_sums
from .family import ChanceFamily

Given = Literal["merged", "p0", "p1"]


@dataclass(frozen=True, eq=False)
class Intervals(ChanceRule):
    """The ends of the interval at every claim: `p0` rises at `rises0`, `p1` above `rises1`."""

    tag = "intervals"
    spread_name = "Venn-Abers"
    rises0: Array
    p0: Array
    rises1: Array
    p1: Array
    gives: Given = "merged"

    def formula(self, claims: Claims, ops: Operations) -> Value:
        p0, p1 = self._ends(claims, ops)
        if self.gives == "p0":
            return p0
        if self.gives == "p1":
            return p1
        return p1 / (1 - p0 + p1)

    def interval(self, claims: Claims) -> tuple[Array, Array]:
        """The chances of a claim, its event added to the fit as one that did not happen and did."""
        return self._ends(claims, NUMPY)

    def spread(self, claims: Claims) -> tuple[Array, Array]:
        return self.interval(claims)

    def facts(self) -> Iterator[Fact]:
        yield Fact("lower steps", len(self.p0), "of the chance if the event does not happen")
        yield Fact("upper steps", len(self.p1), "of the chance if it does")

    def _ends(self, claims: Claims, ops: Operations) -> tuple[Value, Value]:
        p = claims.p
        p0 = ops.step(p, self.rises0, self.p0, side="right")
        p1 = ops.step(p, self.rises1, self.p1, side="left")
        return p0, p1


@dataclass(frozen=True)
class VennAbers(ChanceFamily):
    """Isotonic regression that counts the new claim itself, both as an event and as none.

    The chance if the event is added as none is p0, as an event p1; one of them is calibrated. The
    map `gives` one chance merged of them, p1 / (1 - p0 + p1), or either; `map.rule.interval(view)`
    has both.

    >>> from calibrant import binary
    >>> fitted = VennAbers().fit(binary([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1]))
    >>> fitted([0.2, 0.5, 0.9]).round(4).tolist()
    [0.3333, 0.5, 0.6667]
    """

    _: KW_ONLY
    gives: Given = "merged"

    def chance_rule(self, view: View) -> Intervals:
        """Both chances of every claim there is; those of a claim in between are a neighbour's."""
        p, w, happened = view.pool
        # Added as an event, a claim ends no block unless it is a block of ones: it joins the next
        # claim above it.
        p1 = np.append(_added_as_event(w, happened), 1.0)
        last = _before_changes(p1)
        # Seen from above with outcomes exchanged, an event added is an event missed.
        missed = w - happened
        from_above = _added_as_event(w[::-1], missed[::-1])
        as_none = 1 - from_above[::-1]
        p0 = np.append(0.0, as_none)
        first = _before_changes(p0)
        return Intervals(
            rises0=p[first],
            p0=p0[np.append(first, -1)],
            rises1=p[last],
            p1=p1[np.append(last, -1)],
            gives=self.gives,
        )


def _before_changes(x: Array) -> Ints:
    """The places whose next entry is another."""
    return run_starts(x)[1:] - 1


def _added_as_event(w: Array, happened: Array) -> Array:
    """For each distinct claim its isotonic fit with one more row, at that claim, that happened.

    The fit is the slope of the line below the summed weights and events, where the points before
    the claim are one step down and to the left. That line ends on a corner of the old fit, and
    begins in the block of the claim.
    """
    from scipy.optimize import isotonic_regression

    weight = running_sums(w)
    events = running_sums(happened)
    found = isotonic_regression(happened / w, weights=w).blocks
    # What weighs nothing beside all before it is one block with what follows.
    grows = np.diff(weight[found]) > 0
    blocks = np.append(0, found[1:][grows])
    blocks[-1] = len(w)
    x = weight[:-1] - 1
    y = events[:-1] - 1
    at = weight[blocks]
    rise = events[blocks]
    places = np.arange(1, len(blocks))
    own_block = np.repeat(places, np.diff(blocks))
    corner = _touched_corners(x, y, at, rise, own_block)
    height = rise[corner] - y
    width = at[corner] - x
    rising = np.maximum.accumulate(height / width)
    return np.minimum(rising, 1)


def _touched_corners(
    x: Array,
    y: Array,
    at: Array,
    rise: Array,
    own_block: Ints,
) -> Ints:
    """Which corner (at, rise) of the old fit a line from each (x, y) touches, by bisection.

    It is the first whose next edge passes below the point, and none before the claim's own block.
    """
    slopes = np.diff(rise) / np.diff(at)
    last_edge = len(slopes) - 1
    low = own_block
    high = np.full_like(low, len(slopes))
    while (low < high).any():
        middle = (low + high) // 2
        edge = np.minimum(middle, last_edge)
        reached = slopes[edge] * (at[middle] - x)
        is_below = rise[middle] - y <= reached
        above = np.minimum(middle + 1, high)
        low = np.where(is_below, low, above)
        high = np.where(is_below, middle, high)
    return low
