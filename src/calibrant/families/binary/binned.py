"""Binned maps: the histogram (slope 0), and the one behind the usual ECE (slope 1)."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from ...fitting.blocks import on_all_cores
from ...fitting.types import Array, Ints
from ...inputs.views import View
from ..family import Bins, ChanceRule, Edges, Fact
from ..folds import held_out, refuse_slack, simplest_within
from ..operations import Claims, Operations, Value
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
        return Bins(self.inner, self.edges, self.slope, self.count, self.mean_p, self.mean_y)

    def formula(self, claims: Claims, ops: Operations) -> Value:
        side = "left" if self.edges == "width" else "right"
        lift = ops.step(claims.p, self.inner, self.bins.lift, side=side)
        return self.slope * claims.p + lift

    def facts(self) -> Iterator[Fact]:
        used = self.count > 0
        yield Fact("bins", len(self.count), f"of equal {self.edges}")
        yield Fact(
            "empty bins", int((~used).sum()), "in which no claim fell: they are left as they are"
        )
        gaps = np.abs(self.mean_y - self.mean_p)[used]
        yield Fact("largest gap", float(gaps.max()), "between claim and outcome, of the worst bin")


@dataclass(frozen=True)
class Binned(ChanceFamily):
    """Bins of equal width or mass; slope 1 measures like ECE, slope 0 calibrates like a histogram.

    `rule` sets how many: `n_bins`, as many as keep the outcomes rising ("sweep"), or by cross-validation ("cv"), the
    fewest whose held-out error is within `slack` of the least.

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
        if self.n_bins < 1:
            raise ValueError(f"n_bins must be at least 1, got {self.n_bins}")
        refuse_slack(self.slack)

    def chance_rule(self, view: View) -> Steps:
        """Average claims and outcomes bin by bin."""
        if self.rule == "fixed" and self.edges == "width":
            inner = _width_edges(self.n_bins)
            return _steps(inner, self, *_tally(view, inner))
        sums = _Sums(view, self.slope)
        n_bins = self.n_bins
        if self.rule == "sweep":
            n_bins = _sweep(sums, self.edges)
        elif self.rule == "cv":
            n_bins = self._by_cv(view)
        inner = sums.inner(n_bins, self.edges)
        return _steps(inner, self, *sums.cells(inner, self.edges)[:3])

    def _by_cv(self, view: View) -> int:
        """The fewest bins whose held-out squared error is within the slack."""
        candidates = range(1, _MOST_BINS_BY_CV + 1)
        if len(view.pool.p) == 1:
            return 1
        scores = [
            [self._held_out_error(fit, held, n_bins) for n_bins in candidates]
            for fit, held in (
                (_Sums(view[fitted], self.slope), _Sums(view[held], self.slope))
                for fitted, held in held_out(view, 10, seed=1)
            )
        ]
        return candidates[simplest_within(np.mean(scores, axis=0), self.slack)]

    def _held_out_error(self, fit: "_Sums", held: "_Sums", n_bins: int) -> float:
        inner = fit.inner(n_bins, self.edges)
        lift = _steps(inner, self, *fit.cells(inner, self.edges)[:3]).bins.lift
        count, happened, claimed, squares = held.cells(inner, self.edges)
        residual = happened - self.slope * claimed
        return float((squares - 2 * lift * residual + lift**2 * count).sum() / count.sum())


@dataclass(frozen=True)
class HistogramBinning(ChanceFamily):
    """Each bin's claims become its share of events; bins hold equal mass unless told otherwise.

    >>> from calibrant import binary
    >>> HistogramBinning(2).fit(binary([0.1, 0.3, 0.8, 0.9], [0, 1, 1, 1]))([0.2, 0.9]).tolist()
    [0.5, 1.0]
    """

    n_bins: int = 15
    _: KW_ONLY
    edges: Edges = "mass"

    def __post_init__(self) -> None:
        self._binned()

    def chance_rule(self, view: View) -> Steps:
        """Average outcomes bin by bin."""
        return self._binned().chance_rule(view)

    def _binned(self) -> Binned:
        return Binned(self.n_bins, edges=self.edges, slope=0)


class _Sums:
    """Running sums along the sorted claims, so that any bin costs two look-ups."""

    def __init__(self, view: View, slope: int) -> None:
        self.p, w, happened = view.pool
        squares = happened * (1 - slope * self.p) ** 2 + (w - happened) * (slope * self.p) ** 2
        rows = np.stack([w, happened, w * self.p, squares])
        self.running = np.concatenate([np.zeros((4, 1)), np.cumsum(rows, axis=1)], axis=1)

    def inner(self, n_bins: int, edges: Edges) -> Array:
        """Edges between bins; those of equal mass start where an array_split of the rows would."""
        if edges == "width":
            return _width_edges(n_bins)
        return np.append(self.p, np.inf)[
            mass_starts(self.running[0, 1:], n_bins, np.arange(1, n_bins))
        ]

    def cells(self, inner: Array, edges: Edges) -> Array:
        """Weight, events, summed claims and summed squared residuals of each bin."""
        at = np.searchsorted(self.p, inner, side="right" if edges == "width" else "left")
        return np.diff(self.running[:, np.concatenate([[0], at, [len(self.p)]])])


def mass_starts(reached: Array, n_bins: int | Ints, k: Ints) -> Ints:
    """Place of the first claim of bin k of `n_bins` of equal mass, where `reached` is the summed weight up to each.

    With more bins than rows the last ones start beyond any claim and stay empty.
    """
    total = reached[-1]
    whole, over = np.divmod(total, n_bins)
    # Counts are dealt out as array_split does with rows; weights that are none are cut evenly.
    counts = total == np.rint(total) and total >= len(reached)
    return np.searchsorted(
        reached, k * whole + np.minimum(k, over) if counts else k * (total / n_bins), side="right"
    )


def _sweep(sums: _Sums, edges: Edges) -> int:
    """The most bins, counted up from one, before some bin has fewer events than the one below."""
    most = len(sums.p)
    weight, happened = np.diff(sums.running[:2])
    falls = np.flatnonzero(np.diff(happened / weight) < 0)
    if not len(falls):
        return most
    low, high, total = sums.running[0, [falls[0], falls[-1] + 2, -1]]
    for n_bins in range(2, most + 1):
        if edges == "mass" and weight.max() <= total // n_bins:
            # Only bins that hold a fall from claim to claim, or lie beside one, can fall themselves. Sizes of bins
            # differ by one row at most.
            first, last = int(low / (total // n_bins + 1)) - 2, int(high / (total // n_bins)) + 3
            k = np.arange(max(0, first), min(n_bins, last) + 1)
            count, happened = np.diff(sums.running[:2, mass_starts(sums.running[0, 1:], n_bins, k)])
        else:
            count, happened = sums.cells(sums.inner(n_bins, edges), edges)[:2]
        filled = count > 0
        if (np.diff(happened[filled] / count[filled]) < 0).any():
            return n_bins - 1
    return most


def _steps(inner: Array, family: Binned, count: Array, happened: Array, claimed: Array) -> Steps:
    # An empty bin has no evidence against its claims: the map is the identity there, at its middle if flat.
    outer = np.clip(np.concatenate([[0.0], inner, [1.0]]), 0, 1)
    middle = (outer[:-1] + outer[1:]) / 2
    mean_p, mean_y = (
        np.divide(x, count, out=middle.copy(), where=count > 0) for x in (claimed, happened)
    )
    return Steps(inner, family.edges, family.slope, count, mean_p, mean_y)


def _tally(view: View, inner: Array) -> tuple[Array, Array, Array]:
    n_bins = len(inner) + 1

    def count(block: View) -> Array:
        k = _bins(block.p, inner, "width")
        pairs = np.bincount(k + n_bins * block.y, block.w, 2 * n_bins).reshape(2, n_bins)
        claims = block.p if block.w is None else block.w * block.p
        return np.stack([pairs.sum(0), pairs[1], np.bincount(k, claims, n_bins)])

    total, happened, claimed = np.sum(on_all_cores(count, view.blocks()), axis=0)
    return total, happened, claimed


def _width_edges(n_bins: int) -> Array:
    return np.linspace(0, 1, n_bins + 1)[1:-1]


def _bins(p: Array, inner: Array, edges: Edges) -> Ints:
    if edges == "mass":
        return np.searchsorted(inner, p, side="right")
    scaled = p.astype(np.float64) * (len(inner) + 1)
    k = np.ceil(scaled).astype(np.intp) - 1
    # Multiplying rounds; beside an edge only a comparison with the edge itself decides.
    near = np.flatnonzero(np.abs(scaled - np.rint(scaled)) < 1e-9)
    k[near] = np.searchsorted(inner, p[near], side="left")
    return k
