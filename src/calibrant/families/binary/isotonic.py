"""Isotonic regression: the best map among all that never fall."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass

import numpy as np

from ...fitting.pooling import nearly_equal, run_starts
from ...fitting.types import Array
from ...inputs.views import View
from ..operations import Claims, Operations, Value
from ..rules import ChanceRule, Fact
from .family import ChanceFamily


@dataclass(frozen=True, eq=False)
class Points(ChanceRule):
    """A line through the points (x, q), level outside; or steps that begin at each x."""

    tag = "points"
    x: Array
    q: Array
    interpolate: bool

    def formula(self, claims: Claims, ops: Operations) -> Value:
        if self.interpolate:
            return ops.line(claims.p, self.x, self.q)
        edges = self.x[..., 1:]
        return ops.step(claims.p, edges, self.q, side="right")

    def facts(self) -> Iterator[Fact]:
        between = "with straight lines between" if self.interpolate else "at which a step begins"
        levels = len(np.unique(self.q))
        yield Fact("points", len(self.x), f"claims of the fitted curve, {between}")
        yield Fact("levels", levels, "different chances among them")
        yield from lowest_and_highest(self.q)


def lowest_and_highest(q: Array) -> Iterator[Fact]:
    """The ends of the chances that a map gives."""
    low = float(q.min())
    high = float(q.max())
    yield Fact("lowest", low, "the least chance given")
    yield Fact("highest", high, "the largest chance given")


@dataclass(frozen=True)
class Isotonic(ChanceFamily):
    """Pools neighbouring claims until none falls; those that rounding alone parts are one.

    Between pools there is a line, or a step when not `interpolate`. `centred` puts each pool at its
    mean claim alone, so that different claims rarely become one.

    >>> from calibrant import binary
    >>> Isotonic().fit(binary([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1]))([0.2, 0.5, 0.9]).tolist()
    [0.0, 0.5, 1.0]
    """

    _: KW_ONLY
    interpolate: bool = True
    centred: bool = False

    def chance_rule(self, view: View) -> Points:
        """Pool adjacent violators."""
        from scipy.optimize import isotonic_regression

        # What is the same before a softmax is seldom the same behind it, and in another type.
        is_computed = view.exact_log_odds is not None
        dtype = np.float32 if is_computed else np.promote_types(view.p.dtype, np.float32)
        p, w, happened = nearly_equal(view.pool, dtype)
        fit = isotonic_regression(happened / w, weights=w)
        first = fit.blocks[:-1]
        last = fit.blocks[1:] - 1
        q = np.clip(fit.x[first], 0, 1)
        if self.centred:
            claimed = np.add.reduceat(w * p, first)
            weight = np.add.reduceat(w, first)
            return Points(claimed / weight, q, interpolate=True)
        if not self.interpolate:
            return Points(p[first], q, interpolate=False)
        ends = np.stack([first, last], axis=1).ravel()
        heights = np.repeat(q, 2)
        # A pool of one claim has one end.
        kept = run_starts(ends)
        return Points(p[ends[kept]], heights[kept], interpolate=True)
