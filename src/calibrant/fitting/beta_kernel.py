"""Sums of Beta kernels about claims, by a grid: the work does not grow with pairs of claims.

Claims that have hardly a neighbour, where their own kernel would drown the others, are summed one
by one in log space.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .beta_density import FLOOR
from .beta_grid import BetaGrid, NoGrid
from .beta_neighbours import BetaNeighbours, OutcomeCounts
from .class_softmax import class_shares, pair_shares
from .local_polynomials import Places
from .pooling import Pool
from .types import Array, Bools

# So few claims are summed one by one.
_FEW = 256
# So are those whose neighbours weigh less than this part of their own kernel.
_LONELY = 0.1


def floored(odds: Pool) -> Pool:
    """Claims pooled by log odds, none beyond the floor of logarithms."""
    return odds._replace(p=_clip(odds.p))


@dataclass(frozen=True, eq=False)
class BetaKernel:
    """Kernels of one bandwidth about pooled claims, in log odds.

    To leave a row out there must be another.
    """

    pool: Pool
    bandwidth: float

    def at(self, log_odds: Array) -> Array:
        """Share of events about any claims, no row left out."""
        clipped = _clip(log_odds)
        odds, back = np.unique(clipped, return_inverse=True)
        places = self._grid.places(odds)
        own, density, events = self._sums_at(places)
        lonely = density <= _LONELY * own
        share = _ratio(events, density, ~lonely)
        self._sum_one_by_one(share, odds, lonely, None)
        share = np.clip(share, 0, 1)
        return share[back]

    def log_density(self) -> Array:
        """Log of the summed kernels at each distinct claim, all rows that make it left out.

        An equal claim would make any other as probable as one likes by a kernel narrow enough.
        """
        w = self.pool.w
        own = w * self._read(self._grid.heights)
        density = self._read(self._density)
        density -= own
        lonely = density <= _LONELY * own
        density[lonely] = 1
        log_density = np.log(density)
        none = np.zeros(len(w))
        blocks = self._neighbours.blocks(
            self.pool.p,
            np.flatnonzero(lonely),
            OutcomeCounts(w, none),
            OutcomeCounts(w, none),
        )
        for block in blocks:
            log_sum, _ = class_shares(block.logits, block.starts)
            log_density[block.rows] = log_sum
        return log_density

    def left_out(self, *, event: bool) -> Array:
        """Share of events about each distinct claim, one row of it left out.

        That row is one whose event happened, or did not.
        """
        out = self._one_row(event=event)
        own, density, events = self._sums_without(out)
        lonely = density <= _LONELY * own
        share = _ratio(events, density, ~lonely)
        self._sum_one_by_one(share, self.pool.p, lonely, out)
        return np.clip(share, 0, 1)

    def pairs_left_out(self, *, event: bool) -> Array:
        """Likewise the share of pairs of neighbours that are both events.

        It is the squared share without its bias.
        """
        out = self._one_row(event=event)
        own, density, events = self._sums_without(out)
        squares = self._squares_without(out, own)
        squared = density**2
        pairs = squared - squares.events
        pairs -= squares.others
        # Where one neighbour holds most of the weight, the square of the sum is little but its own.
        lonely = density <= own
        lonely |= pairs < 0.5 * squared
        event_pairs = events**2 - squares.events
        share = _ratio(event_pairs, pairs, ~lonely)
        self._pair_one_by_one(share, lonely, out)
        return np.clip(share, 0, 1)

    def _sum_one_by_one(
        self,
        share: Array,
        odds: Array,
        lonely: Bools,
        out: OutcomeCounts | None,
    ) -> None:
        """Put in the shares of lonely claims."""
        rows = np.flatnonzero(lonely)
        for block in self._neighbours.blocks(odds, rows, self._counts, out):
            _, shares = class_shares(block.logits, block.starts)
            share[block.rows] = shares[:, 0]

    def _pair_one_by_one(self, share: Array, lonely: Bools, out: OutcomeCounts) -> None:
        """Put in the shares of pairs about lonely claims."""
        rows = np.flatnonzero(lonely)
        for block in self._neighbours.blocks(self.pool.p, rows, self._counts, out):
            alone = 1 / np.maximum(block.counts, 1)
            shares = pair_shares(block.logits, alone, block.starts)
            share[block.rows] = shares[:, 0]

    @cached_property
    def _grid(self) -> BetaGrid | NoGrid:
        odds = self.pool.p
        if len(odds) <= _FEW:
            return NoGrid(odds)
        return BetaGrid(odds, self.bandwidth)

    @cached_property
    def _neighbours(self) -> BetaNeighbours:
        return BetaNeighbours(self.pool.p, self.bandwidth)

    @cached_property
    def _counts(self) -> OutcomeCounts:
        _, w, happened = self.pool
        return OutcomeCounts(happened, w - happened)

    def _one_row(self, *, event: bool) -> OutcomeCounts:
        """What is left out of each claim: one, or all where there is less than one."""
        events, others = self._counts
        none = np.zeros(len(events))
        if event:
            return OutcomeCounts(np.minimum(events, 1), none)
        return OutcomeCounts(none, np.minimum(others, 1))

    @cached_property
    def _density(self) -> Array:
        return self._grid.sums(self.pool.w)

    @cached_property
    def _events(self) -> Array:
        return self._grid.sums(self.pool.happened)

    @cached_property
    def _squares(self) -> OutcomeCounts:
        """At each node, the squares of kernels that are no pairs."""
        events, others = self._counts
        return OutcomeCounts(
            self._grid.sums_of_squares(_alone(events)),
            self._grid.sums_of_squares(_alone(others)),
        )

    def _read(self, at_nodes: Array) -> Array:
        """Values at the kernels' own claims."""
        return self._grid.read(self._grid.own_places, at_nodes)

    def _sums_at(self, places: Places) -> "_Sums":
        return _Sums(
            self._grid.read(places, self._grid.heights),
            self._grid.read(places, self._density),
            self._grid.read(places, self._events),
        )

    def _sums_without(self, out: OutcomeCounts) -> "_Sums":
        """Sums at the kernels' own claims, without what is left out of each."""
        own, density, events = self._sums_at(self._grid.own_places)
        density -= out.total * own
        events -= out.events * own
        return _Sums(own, density, events)

    def _squares_without(self, out: OutcomeCounts, own: Array) -> OutcomeCounts:
        """Squares that are no pairs, at each claim, without what is left out of it."""
        events = self._read(self._squares.events)
        others = self._read(self._squares.others)
        squared = own**2
        events -= _alone_in(self._counts.events, out.events) * squared
        others -= _alone_in(self._counts.others, out.others) * squared
        return OutcomeCounts(events, others)


class _Sums(NamedTuple):
    """At claims: the height of a kernel about each, and the sums of all and of events' kernels."""

    own: Array
    density: Array
    events: Array


def _clip(odds: Array) -> Array:
    return np.clip(odds, FLOOR, -FLOOR)


def _ratio(part: Array, whole: Array, where: Bools) -> Array:
    """Shares, zero but `where` there is something to share."""
    share = np.zeros(len(whole))
    np.divide(
        part,
        whole,
        out=share,
        where=where,
    )
    return share


def _alone(count: Array) -> Array:
    """How much of a count's square is no pair of two."""
    return count * np.minimum(count, 1)


def _alone_in(count: Array, out: Array) -> Array:
    """How much of that goes with what is left out."""
    return _alone(count) - _alone(count - out)
