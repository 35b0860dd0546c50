"""Binned maps: the histogram (slope 0), and the one behind the usual ECE (slope 1)."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from ...fitting.blocks import on_all_cores
from ...fitting.types import Array
from ...fitting.weights import weighted
from ...inputs.checks import check_count
from ...inputs.views import View
from ..folds import check_slack, held_out, simplest_within
from ..operations import Claims, Operations, Side, Value
from ..rules import Bins, ChanceRule, Edges, Fact
from .binning import RunningSums, Sweep, width_bins, width_edges
from .family import ChanceFamily

_MOST_BINS_BY_CV = 40


@dataclass(frozen=True, eq=False)
class Steps(ChanceRule):
    """Within a bin: slope * p plus a lift, so that the bin's mean claim meets its mean outcome.

    A claim on one of the `inner` edges falls below it where bins have equal width, above it where
    equal mass.
    """

    tag = "steps"
    inner: Array
    edges: Edges
    slope: int
    count: Array
    mean_p: Array
    mean_y: Array

    @property
    def bins(self) -> Bins:
        return Bins(
            self.inner,
            self.edges,
            self.slope,
            self.count,
            self.mean_p,
            self.mean_y,
        )

    def formula(self, claims: Claims, ops: Operations) -> Value:
        side: Side = "left" if self.edges == "width" else "right"
        lift = ops.step(claims.p, self.inner, self.bins.lift, side=side)
        return self.slope * claims.p + lift

    def __call__(self, claims: Claims) -> Array:
        if self.edges == "mass":
            return super().__call__(claims)
        # A bin of equal width is found by a product, twice as fast as by the formula's search.
        place = width_bins(claims.p, self.inner)
        return self.slope * claims.p + self.bins.lift[place]

    def facts(self) -> Iterator[Fact]:
        bins = len(self.count)
        used = np.flatnonzero(self.count)
        empty = bins - len(used)
        gaps = np.abs(self.mean_y - self.mean_p)
        worst = float(gaps[used].max())
        yield Fact("bins", bins, f"of equal {self.edges}")
        yield Fact("empty bins", empty, "in which no claim fell: they are left as they are")
        yield Fact("largest gap", worst, "between claim and outcome, of the worst bin")


@dataclass(frozen=True)
class Binned(ChanceFamily):
    """Bins of equal width or mass; slope 1 measures like ECE, slope 0 calibrates like a histogram.

    `rule` sets how many: `n_bins`, as many as keep the outcomes rising ("sweep"), or by
    cross-validation ("cv"), the fewest whose held-out error is within `slack` of the least.

    >>> from calibrant import binary
    >>> Binned(2, slope=0).fit(binary([0.1, 0.3, 0.8], [0, 1, 1]))([0.2, 0.9]).tolist()
    [0.5, 1.0]
    """

    n_bins: int = 15
    _: KW_ONLY
    edges: Edges = "width"
    slope: Literal[0, 1] = 1
    rule: Literal["fixed", "sweep", "cv"] = "fixed"
    slack: float | int = 0.001

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("n_bins", self.n_bins)
        check_slack(self.slack)

    def chance_rule(self, view: View) -> Steps:
        """Average claims and outcomes bin by bin."""
        if self.rule == "fixed" and self.edges == "width":
            inner = width_edges(self.n_bins)
            return self._steps(inner, _width_cells(view, inner))
        sums = RunningSums(view, self.slope)
        n_bins = self.n_bins
        if self.rule == "sweep":
            n_bins = Sweep(sums, self.edges).most_bins()
        elif self.rule == "cv":
            n_bins = self._by_cv(view)
        return self._steps_of(sums, n_bins)

    def _by_cv(self, view: View) -> int:
        """The fewest bins whose held-out squared error is within the slack."""
        if len(view.pool.p) == 1:
            return 1
        candidates = range(1, _MOST_BINS_BY_CV + 1)
        errors = []
        for fitted, held in held_out(view, 10, seed=1):
            fit_sums = RunningSums(view[fitted], self.slope)
            held_sums = RunningSums(view[held], self.slope)
            by_bins = [self._held_out_error(fit_sums, held_sums, n) for n in candidates]
            errors.append(by_bins)
        best = simplest_within(np.mean(errors, axis=0), self.slack)
        return candidates[best]

    def _held_out_error(self, fit: RunningSums, held: RunningSums, n_bins: int) -> float:
        bins = self._steps_of(fit, n_bins).bins
        lift = bins.lift
        cells = held.cells(bins.inner, self.edges)
        count, happened, claimed, squares = cells
        residual = happened - self.slope * claimed
        errors = squares - 2 * lift * residual
        errors += lift**2 * count
        return float(errors.sum() / count.sum())

    def _steps_of(self, sums: RunningSums, n_bins: int) -> Steps:
        inner = sums.inner(n_bins, self.edges)
        cells = sums.cells(inner, self.edges)
        return self._steps(inner, cells)

    def _steps(self, inner: Array, cells: Array) -> Steps:
        """The map of bins whose weight, events and summed claims are the first rows of `cells`."""
        count, happened, claimed = cells[:3]
        # An empty bin has no evidence against its claims: there the map is the identity, or flat
        # at the bin's middle.
        inside = np.minimum(inner, 1)
        low = np.append(0.0, inside)
        high = np.append(inside, 1.0)
        middle = (low + high) / 2
        filled = count > 0
        mean_p = np.divide(claimed, count, out=middle.copy(), where=filled)
        mean_y = np.divide(happened, count, out=middle.copy(), where=filled)
        return Steps(inner, self.edges, self.slope, count, mean_p, mean_y)


@dataclass(frozen=True)
class HistogramBinning(ChanceFamily):
    """Each bin's claims become its share of events; bins hold equal mass unless told otherwise.

    "auto" takes the cube root of n bins for n rows of two even outcomes, and more where one is
    rare: so many that a bin holds (2m)^(2/3) rows, m being those of the rarer outcome. A class of
    a hundred, whose claims matter in a hundredth of the rows, thus has bins among these.

    >>> from calibrant import binary
    >>> HistogramBinning(2).fit(binary([0.1, 0.3, 0.8, 0.9], [0, 1, 1, 1]))([0.2, 0.9]).tolist()
    [0.5, 1.0]
    """

    n_bins: int | Literal["auto"] = "auto"
    _: KW_ONLY
    edges: Edges = "mass"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_bins != "auto":
            self._binned(self.n_bins)

    def chance_rule(self, view: View) -> Steps:
        """Average outcomes bin by bin."""
        n_bins = _bins_for(view) if self.n_bins == "auto" else self.n_bins
        return self._binned(n_bins).chance_rule(view)

    def _binned(self, n_bins: int) -> Binned:
        return Binned(n_bins, edges=self.edges, slope=0)


def _bins_for(view: View) -> int:
    """Bins of (2m)^(2/3) rows, m being those of the rarer outcome; no more than distinct claims."""
    p, w, happened = view.pool
    rows = float(w.sum())
    events = float(happened.sum())
    rarer = min(events, rows - events)
    if rarer <= 0:
        return 1
    in_a_bin = (2 * rarer) ** (2 / 3)
    n_bins = min(rows / in_a_bin, len(p))
    return max(round(n_bins), 1)


def _width_cells(view: View, inner: Array) -> Array:
    """Weight, events and summed claims of each bin of equal width, with no need to sort."""
    n_bins = len(inner) + 1

    def count(block: View) -> Array:
        bins = width_bins(block.p, inner)
        by_outcome = bins + n_bins * block.y
        counts = np.bincount(by_outcome, block.w, 2 * n_bins)
        missed, happened = counts.reshape(2, n_bins)
        claims = weighted(block.p, block.w)
        claimed = np.bincount(bins, claims, n_bins)
        return np.stack([missed + happened, happened, claimed])

    of_blocks = on_all_cores(count, view.blocks())
    cells: Array = np.sum(of_blocks, axis=0)
    return cells
