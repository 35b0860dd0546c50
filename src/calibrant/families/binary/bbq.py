"""Bayesian binning into quantiles: every histogram of equal mass, weighed by its evidence."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from ...fitting.pooling import Pool
from ...fitting.types import Array, Ints
from ...inputs.views import View
from ..operations import Claims, Operations, Value
from ..rules import ChanceRule, Fact
from .binning import mass_starts
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
    """The mean of all histograms of equal mass, each with its posterior probability.

    Their numbers of bins go with n^(1/3), from a tenth of it to ten times it.

    >>> from calibrant import binary
    >>> fitted = BBQ().fit(binary([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [0, 0, 0, 1, 1, 1]))
    >>> fitted([0.2, 0.5, 0.9]).round(3).tolist()
    [0.096, 0.096, 0.953]
    """

    def chance_rule(self, view: View) -> Levels:
        """Work out every bin of every histogram at once."""
        bins = Histograms(view.pool, bin_counts(view.total))
        evidence = bins.log_evidence()
        posterior = np.exp(evidence - evidence.max())
        posterior /= posterior.sum()
        # The mean is a sum of steps: at each edge it changes by the share of the edge's histogram.
        q = bins.chance
        share = np.repeat(posterior, bins.counts)
        change = np.diff(q) * share[1:]
        is_edge = bins.k > 0
        edges, place = np.unique(bins.low[is_edge], return_inverse=True)
        by_edge = np.bincount(place, change[is_edge[1:]], len(edges))
        lowest = posterior @ q[~is_edge]
        levels = lowest + np.append(0.0, np.cumsum(by_edge))
        return Levels(edges, np.clip(levels, 0, 1))


class Histograms:
    """The bins of several histograms in one row.

    Each is bin `k` of a histogram of `n_bins`, from `low` to `high`, with the weights of what
    `happened` in it and of what `missed`. The prior, a Beta distribution, adds to either.
    """

    def __init__(self, pool: Pool, counts: Ints) -> None:
        self.counts = counts
        self.n_bins = np.repeat(counts, counts)
        places = np.arange(len(self.n_bins))
        self.k = places - np.repeat(self._first, counts)
        self._place(pool)
        # A prior worth 2 rows a histogram, around each bin's middle.
        middle = np.clip((self.low + self.high) / 2, 0.005, 0.995)
        rows = 2 / self.n_bins
        self.prior_happened = rows * middle
        self.prior_missed = rows * (1 - middle)

    @property
    def chance(self) -> Array:
        """The posterior mean of each bin."""
        happened = self.happened + self.prior_happened
        return happened / (happened + self.missed + self.prior_missed)

    def log_evidence(self) -> Array:
        """Log probability of the outcomes under each histogram, given the claims."""
        a = self.prior_happened
        b = self.prior_missed
        rows = self.happened + self.missed
        of_all = gammaln(a + b) - gammaln(rows + a + b)
        of_happened = gammaln(self.happened + a) - gammaln(a)
        of_missed = gammaln(self.missed + b) - gammaln(b)
        return np.add.reduceat(of_all + of_happened + of_missed, self._first)

    @property
    def _first(self) -> Ints:
        """Place of the first bin of each histogram."""
        return np.cumsum(self.counts) - self.counts

    def _place(self, pool: Pool) -> None:
        """Where each bin begins and ends, and what happened in between."""
        weight = np.append(0.0, np.cumsum(pool.w))
        events = np.append(0.0, np.cumsum(pool.happened))
        is_first = self.k == 0
        is_last = self.k == self.n_bins - 1
        start = np.where(is_first, 0, mass_starts(weight[1:], self.n_bins, self.k))
        end = np.where(is_last, len(pool.p), np.roll(start, -1))
        edges = np.append(pool.p, 1.0)
        self.low = np.where(is_first, 0.0, edges[start])
        self.high = np.where(is_last, 1.0, edges[end])
        self.happened = events[end] - events[start]
        self.missed = weight[end] - weight[start] - self.happened


def bin_counts(total: float) -> Ints:
    """The numbers of bins considered for so many observations.

    >>> bin_counts(20).tolist()
    [1, 2, 3, 4]
    """
    root = np.cbrt(total)
    fewest = max(1, int(root / 10))
    most = min(np.ceil(total / 5), np.ceil(10 * root))
    return np.arange(fewest, int(most) + 1)
