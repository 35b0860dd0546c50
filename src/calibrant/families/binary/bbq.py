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
from .binning import mass_starts, running_sums
from .family import ChanceFamily
from .isotonic import lowest_and_highest

MOST_BINS = 2000


@dataclass(frozen=True, eq=False)
class Levels(ChanceRule):
    """One chance from each of the `inner` edges up to the next."""

    tag = "levels"
    inner: Array
    q: Array

    def formula(self, claims: Claims, ops: Operations) -> Value:
        return ops.step(claims.p, self.inner, self.q, side="right")

    def facts(self) -> Iterator[Fact]:
        levels = len(np.unique(self.q))
        yield Fact("levels", levels, "different chances")
        yield from lowest_and_highest(self.q)


@dataclass(frozen=True)
class BBQ(ChanceFamily):
    """The mean of all histograms of equal mass, each with its posterior probability.

    Their numbers of bins go with n^(1/3), from a tenth of it to ten times it, 2,000 at most.

    >>> from calibrant import binary
    >>> fitted = BBQ().fit(binary([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [0, 0, 0, 1, 1, 1]))
    >>> fitted([0.2, 0.5, 0.9]).round(3).tolist()
    [0.096, 0.096, 0.953]
    """

    def chance_rule(self, view: View) -> Levels:
        """Work out every bin of every histogram at once."""
        counts = bin_counts(view.total)
        bins = Histograms(view.pool, counts)
        evidence = bins.log_evidence()
        posterior = np.exp(evidence - evidence.max())
        posterior /= posterior.sum()
        # The mean is a sum of steps: at each edge it changes by the share of the edge's histogram.
        q = bins.chance
        share = np.repeat(posterior, counts)
        change = np.diff(q) * share[1:]
        is_edge = bins.k > 0
        low = bins.low[is_edge]
        edges, place = np.unique(low, return_inverse=True)
        of_edges = change[is_edge[1:]]
        rises = np.bincount(place, of_edges, len(edges))
        lowest = posterior @ q[~is_edge]
        levels = lowest + running_sums(rises)
        return Levels(edges, np.clip(levels, 0, 1))


class Histograms:
    """The bins of several histograms in one row.

    Each is bin `k` of a histogram of `n_bins`, from `low` to `high`, with the weights of what
    `happened` in it and of what `missed`. The prior, a Beta distribution, adds to either.
    """

    def __init__(self, pool: Pool, counts: Ints) -> None:
        self.n_bins = np.repeat(counts, counts)
        # Place of the first bin of each histogram.
        self.first = np.cumsum(counts) - counts
        places = np.arange(len(self.n_bins))
        self.k = places - np.repeat(self.first, counts)
        self._fill(pool)
        # A prior worth 2 rows a histogram, around each bin's middle.
        middle = (self.low + self.high) / 2
        middle = np.clip(middle, 0.005, 0.995)
        rows = 2 / self.n_bins
        self.prior_happened = rows * middle
        self.prior_missed = rows * (1 - middle)

    @property
    def chance(self) -> Array:
        """The posterior mean of each bin."""
        happened = self.happened + self.prior_happened
        rows = happened + self.missed + self.prior_missed
        return happened / rows

    def log_evidence(self) -> Array:
        """Log probability of the outcomes under each histogram, given the claims."""
        a = self.prior_happened
        b = self.prior_missed
        rows = self.happened + self.missed
        # log B(a + happened, b + missed) - log B(a, b), term by term.
        of_bins = gammaln(a + b)
        of_bins -= gammaln(rows + a + b)
        of_bins += gammaln(self.happened + a) - gammaln(a)
        of_bins += gammaln(self.missed + b) - gammaln(b)
        return np.add.reduceat(of_bins, self.first)

    def _fill(self, pool: Pool) -> None:
        """Where each bin begins and ends, and what happened in between."""
        weight = running_sums(pool.w)
        events = running_sums(pool.happened)
        is_first = self.k == 0
        is_last = self.k == self.n_bins - 1
        start = mass_starts(weight[1:], self.n_bins, self.k)
        start[is_first] = 0
        end = np.roll(start, -1)
        end[is_last] = len(pool.p)
        edges = np.append(pool.p, 1.0)
        self.low = np.where(is_first, 0.0, edges[start])
        self.high = np.where(is_last, 1.0, edges[end])
        self.happened = events[end] - events[start]
        rows = weight[end] - weight[start]
        self.missed = rows - self.happened


def bin_counts(total: float) -> Ints:
    """The numbers of bins considered for so many observations.

    >>> bin_counts(20).tolist()
    [1, 2, 3, 4]
    """
    root = np.cbrt(total)
    fewest = max(1, int(root / 10))
    # Beyond 8 million observations there would be ever more bins, of thousands of rows each.
    most = min(total / 5, 10 * root, MOST_BINS)
    return np.arange(min(fewest, MOST_BINS), int(np.ceil(most)) + 1)
