"""Sums of Beta kernels about claims, by a grid on which all of them are smooth: the work does not grow with pairs.

A kernel of bandwidth h is about sqrt(h)/2 wide in the angle arcsin(sqrt p), wherever it lies, and smooth in log odds
where claims are below h; the nodes of the grid follow both. Claims that have hardly a neighbour, where their own kernel
would drown the others, are summed one by one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .bandwidths import BANDWIDTHS, rule_of_thumb
from .beta_density import FLOOR, angles, key_table, log_chances, log_heights
from .blocks import on_all_cores
from .class_softmax import class_shares, pair_shares
from .local_polynomials import Places, SixNodes
from .pooling import Pool
from .types import Array, Bools, Ints

# Steps of the grid: so many a kernel's width in the angle, and so long in log odds where claims are below h.
_STEPS_A_WIDTH, _ODDS_STEP = 12, 1 / 12
# Kernels count as far as exp(-40) of their height; one by one, as far as exp(-60) of the second nearest.
_REACH, _FAR = 40.0, 60.0
# So few claims are summed one by one; so are those whose neighbours weigh less than this part of their own kernel.
_FEW, _LONELY = 256, 0.1
_NODES_AT_ONCE, _ROWS_AT_ONCE, _CELLS_AT_ONCE = 64, 1024, 1 << 19

Counts = tuple[Array, Array]  # of events, and of the others


def floored(odds: Pool) -> Pool:
    """Claims pooled by log odds, none beyond the floor of logarithms."""
    return odds._replace(p=np.clip(odds.p, FLOOR, -FLOOR))


def best_bandwidth(pool: Pool) -> float:
    """The one that makes each row most probable by the density of all others; of a single claim, the least."""
    if len(pool.p) == 1:
        return float(BANDWIDTHS[0])
    likelihood = on_all_cores(
        lambda h: float(pool.w @ BetaKernel(pool, h).log_density()), BANDWIDTHS.tolist()
    )
    return float(BANDWIDTHS[np.argmax(likelihood)])


def quick_bandwidth(pool: Pool) -> float:
    """A rule of thumb from the spread of the claims."""
    total, angle = pool.w.sum(), angles(pool.p)
    variance = pool.w @ (angle - pool.w @ angle / total) ** 2 / total
    return rule_of_thumb(variance, 1, total)


@dataclass(frozen=True, eq=False)
class BetaKernel:
    """Kernels of one bandwidth about pooled claims, in log odds; to leave a row out there must be another."""

    pool: Pool
    bandwidth: float

    def at(self, log_odds: Array) -> Array:
        """Share of events about any claims, no row left out."""
        odds, back = np.unique(np.clip(log_odds, FLOOR, -FLOOR), return_inverse=True)
        density, events, own = self._read(
            self._places_of(odds), self._density, self._events, self._heights
        )
        lonely = density <= _LONELY * own
        share = np.divide(events, density, out=np.zeros(len(odds)), where=~lonely)
        for rows, logits, _ in self._one_by_one(odds, lonely, self._counts, None):
            share[rows] = class_shares(logits, _halves(logits))[1][:, 0]
        return np.clip(share, 0, 1)[back]

    def log_density(self) -> Array:
        """Log of the summed kernels at each distinct claim, one row of it left out."""
        w, none = self.pool.w, np.zeros(len(self.pool.w))
        out = np.minimum(w, 1)
        density, own = self._read(self._places, self._density, self._heights)
        left = density - out * own
        lonely = left <= _LONELY * own
        log_density = np.log(np.where(lonely, 1, left))
        for rows, logits, _ in self._one_by_one(self.pool.p, lonely, (w, none), (out, none)):
            log_density[rows] = class_shares(logits, _halves(logits))[0]
        return log_density

    def left_out(self, *, event: bool) -> Array:
        """Share of events about each distinct claim, one row of it left out whose event happened, or did not."""
        density, events, own = self._read(self._places, self._density, self._events, self._heights)
        out = self._out(event=event)
        left = density - sum(out) * own
        lonely = left <= _LONELY * own
        share = np.divide(events - out[0] * own, left, out=np.zeros(len(own)), where=~lonely)
        for rows, logits, _ in self._one_by_one(self.pool.p, lonely, self._counts, out):
            share[rows] = class_shares(logits, _halves(logits))[1][:, 0]
        return np.clip(share, 0, 1)

    def pairs_left_out(self, *, event: bool) -> Array:
        """Likewise the share of pairs of neighbours that are both events: the squared share without its bias."""
        density, events, squares_of_events, squares_of_others, own = self._read(
            self._places, self._density, self._events, *self._squares, self._heights
        )
        out = self._out(event=event)
        fewer_events, fewer = (
            (_lone(count) - _lone(count - gone)) * own**2
            for count, gone in zip(self._counts, out, strict=True)
        )
        left = density - sum(out) * own
        squares_of_events -= fewer_events
        pairs = left**2 - squares_of_events - (squares_of_others - fewer)
        # Where one neighbour holds most of the weight, little but its square is in the square of the sum.
        lonely = (left <= own) | (pairs < 0.5 * left**2)
        share = np.divide(
            (events - out[0] * own) ** 2 - squares_of_events,
            pairs,
            out=np.zeros(len(own)),
            where=~lonely,
        )
        for rows, logits, counts in self._one_by_one(self.pool.p, lonely, self._counts, out):
            share[rows] = pair_shares(logits, 1 / np.maximum(counts, 1), _halves(logits))[:, 0]
        return np.clip(share, 0, 1)

    @property
    def _counts(self) -> Counts:
        return self.pool.happened, self.pool.w - self.pool.happened

    def _out(self, *, event: bool) -> Counts:
        """What is left out of each claim: one, or all where there is less than one."""
        happened, others = self._counts
        none = np.zeros(len(happened))
        return (np.minimum(happened, 1), none) if event else (none, np.minimum(others, 1))

    @cached_property
    def _grid(self) -> SixNodes | None:
        return _grid(self.bandwidth) if len(self.pool.p) > _FEW else None

    @cached_property
    def _places(self) -> Places:
        return self._places_of(self.pool.p)

    @cached_property
    def _density(self) -> Array:
        return self._node_sums(self.pool.w, 1)

    @cached_property
    def _events(self) -> Array:
        return self._node_sums(self.pool.happened, 1)

    @cached_property
    def _squares(self) -> Counts:
        return self._node_sums(_lone(self._counts[0]), 2), self._node_sums(
            _lone(self._counts[1]), 2
        )

    @cached_property
    def _heights(self) -> Array:
        return (
            np.zeros(0)
            if self._grid is None
            else np.exp(log_heights(self._grid.nodes, self.bandwidth))
        )

    def _places_of(self, odds: Array) -> Places:
        return (
            Places(np.zeros(len(odds), np.intp), odds)
            if self._grid is None
            else self._grid.places(odds)
        )

    def _read(self, places: Places, *at_nodes: Array) -> list[Array]:
        """Values at claims from those at nodes; without a grid nothing, so that every claim is lonely."""
        if self._grid is None:
            return [np.zeros(len(places.along)) for _ in at_nodes]
        return [self._grid.between(places, values) for values in at_nodes]

    def _node_sums(self, weights: Array, power: int) -> Array:
        """Kernels about weighted claims, or their squares, summed at every node."""
        if self._grid is None:
            return np.zeros(0)
        nodes, angle = self._grid.nodes, angles(self._grid.nodes)
        weights = self._grid.share_out(self._places, weights)
        keys = np.flatnonzero(weights)
        weights, table, logs = (
            weights[keys],
            key_table(nodes[keys], self.bandwidth),
            log_chances(nodes),
        )
        reach = np.sqrt(_REACH * self.bandwidth)
        first, last = (np.searchsorted(angle[keys], angle + side * reach) for side in (-1, 1))
        sums = np.empty(len(nodes))
        for start in range(0, len(nodes), _NODES_AT_ONCE):
            rows = slice(start, start + _NODES_AT_ONCE)
            near = slice(first[rows][0], last[rows][-1])
            kernels = logs[rows] @ table[:, near]
            kernels *= power
            sums[rows] = np.exp(kernels, out=kernels) @ weights[near]
        return sums

    def _one_by_one(
        self, odds: Array, lonely: Bools, counts: Counts, out: Counts | None
    ) -> Iterator[tuple[Ints, Array, Array]]:
        """Lonely rows in blocks, with logs of kernels times counts, about events and then about others, and counts."""
        every = np.flatnonzero(lonely)
        if not len(every):
            return
        angle, table = angles(self.pool.p), key_table(self.pool.p, self.bandwidth)
        here, reach = angles(odds[every]), self._reach(odds[every], table, own=out is None)
        # An edge that rounding takes away would be a neighbour missed.
        first = np.maximum(np.searchsorted(angle, here - reach) - 1, 0)
        last = np.searchsorted(angle, here + reach) + 1
        for block in _blocks(first, last):
            rows, near = every[block], slice(first[block].min(), last[block].max())
            of_each = [np.tile(count[near], (len(rows), 1)) for count in counts]
            if out is not None:
                for left, gone in zip(of_each, out, strict=True):
                    left[np.arange(len(rows)), rows - near.start] -= gone[rows]
            left = np.concatenate(of_each, axis=1)
            with np.errstate(divide="ignore"):
                logits = np.log(left)
            logits += np.tile(log_chances(odds[rows]) @ table[:, near], (1, 2))
            yield rows, logits, left

    def _reach(self, odds: Array, table: Array, *, own: bool) -> Array:
        """How far, by angle, neighbours matter: no kernel falls off more slowly than exp(-angle^2 / h)."""
        here = np.searchsorted(self.pool.p, odds)
        beside = here[:, None] + np.array([-2, -1, 0, 1] if own else [-2, -1, 1, 2])
        there = (beside >= 0) & (beside < len(self.pool.p))
        logs = np.einsum("ij,jik->ik", log_chances(odds), table[:, np.where(there, beside, 0)])
        # The second, as there is no pair without it.
        second = np.sort(np.where(there, logs, -np.inf), axis=1)[:, -2]
        return np.sqrt(
            self.bandwidth * (np.maximum(log_heights(odds, self.bandwidth) - second, 0) + _FAR)
        )


def _grid(h: float) -> SixNodes:
    """Nodes in log odds: even steps of the angle in the middle, even and then longer ones towards both ends."""
    step = np.sqrt(h) / 2 / _STEPS_A_WIDTH
    # An even step of the angle is as long as one of log odds where sqrt(p (1 - p)) is this.
    ends = np.arcsin(min(1.0, 2 * (2 * step / _ODDS_STEP))) / 2
    half = int((np.pi / 4 - ends) // step)
    middle = 2 * np.log(np.tan(np.pi / 4 + step * np.arange(half + 1)))
    # Far out, sums hardly change: beyond 60 steps each is a sixtieth of the way.
    tail = _ODDS_STEP * np.concatenate([np.arange(1, 60), 60 * (61 / 60) ** np.arange(250)])
    above = np.concatenate([middle, middle[-1] + tail])
    above = above[: np.searchsorted(above, -FLOOR) + 4]
    return SixNodes(np.concatenate([-above[:0:-1], above]))


def _blocks(first: Ints, last: Ints) -> Iterator[slice]:
    """Rows one after another, as many as fit with all that any of them is near to."""
    start = 0
    while start < len(first):
        some = slice(start, start + _ROWS_AT_ONCE)
        span = np.maximum.accumulate(last[some]) - np.minimum.accumulate(first[some])
        fitting = int(np.count_nonzero(span * np.arange(1, len(span) + 1) <= _CELLS_AT_ONCE))
        yield slice(start, start := start + max(fitting, 1))


def _lone(count: Array) -> Array:
    """How much of a count's square is no pair of two."""
    return count * np.minimum(count, 1)


def _halves(logits: Array) -> Ints:
    return np.array([0, logits.shape[1] // 2])
