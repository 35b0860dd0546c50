"""Isotonic regression: the best map among all that never fall."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from ...fitting.types import Array
from ...inputs.views import View
from ..family import ChanceFamily, ChanceRule


@dataclass(frozen=True, eq=False)
class Points(ChanceRule):
    """A line through the points (x, q), level outside them; without `interpolate`, steps that begin at each x."""

    x: Array
    q: Array
    interpolate: bool

    def __call__(self, view: View) -> Array:
        if self.interpolate:
            return np.interp(view.p, self.x, self.q)
        return self.q[np.maximum(np.searchsorted(self.x, view.p, side="right") - 1, 0)]


@dataclass(frozen=True)
class Isotonic(ChanceFamily):
    """Pools neighbouring claims until none falls; between pools a line, or a step when not `interpolate`.

    `centred` puts each pool at its mean claim alone, so that different claims rarely become one.

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

        p, w, happened = view.pool
        fit = isotonic_regression(happened / w, weights=w)
        first, last = fit.blocks[:-1], fit.blocks[1:] - 1
        q = np.clip(fit.x[first], 0, 1)
        if self.centred:
            return Points(
                np.add.reduceat(w * p, first) / np.add.reduceat(w, first), q, interpolate=True
            )
        if not self.interpolate:
            return Points(p[first], q, interpolate=False)
        ends = np.stack([first, last], axis=1).ravel()
        ends, q = ends[keep := np.append(True, ends[1:] != ends[:-1])], np.repeat(q, 2)[keep]
        return Points(p[ends], q, interpolate=True)
