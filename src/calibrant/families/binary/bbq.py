"""Bayesian binning into quantiles: every histogram of equal mass, weighed by how well it explains the outcomes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from ...fitting.pooling import Pool
from ...fitting.types import Array, Ints
from ...inputs.views import View
from ..family import ChanceRule, Fact
from ..operations import Claims, Operations, Value
from .binned import mass_starts
from .family import ChanceFamily


@dataclass(frozen=True, eq=False)
class Levels(ChanceRule):
    """One chance from each of the `inner` edges up to the next."""

    tag = "levels"
    inner: Array
    q: Array

    def formula(self, claims: Claims, ops: Operations) -> Value:
        return ops.step(claims.p, self.inner, self.q, side="right")

    def facts(self) -> Iterator[Fact]:
        yield Fact("levels", len(np.unique(self.q)), "different chances")
        yield Fact("lowest", float(self.q.min()), "the least chance given")
        yield Fact("highest", float(self.q.max()), "the largest chance given")


@dataclass(frozen=True)
class BBQ(ChanceFamily):
    """The mean of all histograms of equal mass, each with its posterior probability; few bins to many, by n^(1/3).

    >>> from calibrant import binary
    >>> BBQ().fit(binary([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [0, 0, 0, 1, 1, 1]))([0.2, 0.5, 0.9]).round(3).tolist()
    [0.096, 0.096, 0.953]
    """

    def chance_rule(self, view: View) -> Levels:
        """Work out every bin of every histogram at once."""
        bins = Bins(view.pool, bin_counts(view.total))
        evidence = bins.log_evidence()
        posterior = np.exp(evidence - evidence.max())
        posterior /= posterior.sum()
        # The mean is a sum of steps: at each edge, of whichever histogram, it changes by that one's share.
        q = bins.chance
        change = (np.diff(q) * np.repeat(posterior, bins.counts)[1:])[bins.k[1:] > 0]
        edges, place = np.unique(bins.low[bins.k > 0], return_inverse=True)
        start = posterior @ q[bins.k == 0]
        levels = start + np.concatenate([[0.0], np.cumsum(np.bincount(place, change, len(edges)))])
        return Levels(edges, np.clip(levels, 0, 1))


class Bins:
    """The bins of several histograms in one row: bin `k` of a histogram of `n_bins`, from `low` to `high`."""

    def __init__(self, pool: Pool, counts: Ints) -> None:
        self.counts = counts
        self.n_bins = np.repeat(counts, counts)
        first = np.cumsum(counts) - counts
        self.k = np.arange(len(self.n_bins)) - np.repeat(first, counts)
        weight, events = (np.concatenate([[0.0], np.cumsum(x)]) for x in (pool.w, pool.happened))
        start = np.where(self.k > 0, mass_starts(weight[1:], self.n_bins, self.k), 0)
        is_last = self.k == self.n_bins - 1
        end = np.where(is_last, len(pool.p), np.roll(start, -1))
        edges = np.append(pool.p, 1.0)
        self.low = np.where(self.k > 0, edges[start], 0.0)
        self.high = np.where(is_last, 1.0, edges[end])
        self.happened = events[end] - events[start]
        self.missed = weight[end] - weight[start] - self.happened
        # A prior worth 2 rows a histogram, around each bin's middle.
        middle = np.clip((self.low + self.high) / 2, 0.005, 0.995)
        self.a, self.d = 2 / self.n_bins * middle, 2 / self.n_bins * (1 - middle)

    @property
    def chance(self) -> Array:
        """The posterior mean of each bin."""
        a = self.happened + self.a
        return a / (a + self.missed + self.d)

    def log_evidence(self) -> Array:
        """Log probability of the outcomes under each histogram, given the claims."""
        a, d, rows = self.a, self.d, self.happened + self.missed
        parts = (
            (gammaln(a + d) - gammaln(rows + a + d))
            + (gammaln(self.happened + a) - gammaln(a))
            + (gammaln(self.missed + d) - gammaln(d))
        )
        return np.add.reduceat(parts, np.cumsum(self.counts) - self.counts)


def bin_counts(total: float) -> Ints:
    """The numbers of bins considered for so many observations."""
    root = np.cbrt(total)
    return np.arange(max(1, int(root / 10)), int(min(np.ceil(total / 5), np.ceil(10 * root))) + 1)
