"""Beta kernels about the claims near to given ones, claim by claim in log space."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .beta_density import angles, key_table, log_chances, log_heights
from .types import Array, Ints

# Kernels count as far as exp(-60) of the second nearest.
_FAR = 60.0
_ROWS_AT_ONCE = 1024
_CELLS_AT_ONCE = 1 << 19
# The keys to each side of a claim, from its place among them: of a new claim, and of a key.
_BESIDE_NEW = np.array([-2, -1, 0, 1])
_BESIDE_KEY = np.array([-2, -1, 1, 2])


class OutcomeCounts(NamedTuple):
    """Of each claim, how often its event happened and how often it did not."""

    events: Array
    others: Array

    @property
    def total(self) -> Array:
        """How often it was made."""
        return self.events + self.others


class NeighbourBlock(NamedTuple):
    """Rows, their neighbours' counts, events before others, and logs of kernels times counts."""

    rows: Ints
    counts: Array
    logits: Array

    @property
    def starts(self) -> Ints:
        """The columns where events and others begin."""
        columns = self.counts.shape[1]
        return np.array([0, columns // 2])


@dataclass(frozen=True, eq=False)
class BetaNeighbours:
    """Kernels of one bandwidth about ascending claims, in log odds."""

    odds: Array
    bandwidth: float

    def blocks(
        self,
        odds: Array,
        rows: Ints,
        counts: OutcomeCounts,
        left_out: OutcomeCounts | None,
    ) -> Iterator[NeighbourBlock]:
        """Some rows of claims `odds`, each with the neighbours that matter to it.

        With `left_out`, claims are the kernels' own, and that much of each is not its neighbour.
        """
        if not len(rows):
            return
        are_keys = left_out is not None
        first, last = self._spans(odds[rows], are_keys=are_keys)
        for block in _blocks(first, last):
            here = rows[block]
            lowest = first[block].min()
            near = slice(lowest, last[block].max())
            near_counts = _tiled(counts, near, len(here))
            if left_out is not None:
                _take_out(near_counts, left_out, here, near)
            joined = np.concatenate(near_counts, axis=1)
            with np.errstate(divide="ignore"):
                logits = np.log(joined)
            kernels = self._log_kernels(odds[here], near)
            logits += np.tile(kernels, (1, 2))
            yield NeighbourBlock(here, joined, logits)

    def _log_kernels(self, odds: Array, near: slice) -> Array:
        """Logs of the kernels about near keys at claims."""
        queries = log_chances(odds)
        return queries @ self._table[:, near]

    @cached_property
    def _angle(self) -> Array:
        return angles(self.odds)

    @cached_property
    def _table(self) -> Array:
        return key_table(self.odds, self.bandwidth)

    def _spans(self, odds: Array, *, are_keys: bool) -> tuple[Ints, Ints]:
        """From which key to which each claim has neighbours that matter."""
        here = angles(odds)
        reach = self._reach(odds, are_keys=are_keys)
        first = np.searchsorted(self._angle, here - reach)
        last = np.searchsorted(self._angle, here + reach)
        # An edge that rounding takes away would be a neighbour missed.
        return np.maximum(first - 1, 0), last + 1

    def _reach(self, odds: Array, *, are_keys: bool) -> Array:
        """How far, by angle, neighbours matter: kernels fall off at least as exp(-angle^2 / h)."""
        nearest = self._log_kernels_beside(odds, are_keys=are_keys)
        nearest.sort(axis=1)
        # The second, as there is no pair without it.
        second = nearest[:, -2]
        drop = log_heights(odds, self.bandwidth) - second
        drop = np.maximum(drop, 0)
        drop += _FAR
        return np.sqrt(self.bandwidth * drop)

    def _log_kernels_beside(self, odds: Array, *, are_keys: bool) -> Array:
        """Logs of the kernels about the two keys to each side of claims."""
        here = np.searchsorted(self.odds, odds)
        offsets = _BESIDE_KEY if are_keys else _BESIDE_NEW
        beside = here[:, None] + offsets
        missing = beside < 0
        missing |= beside >= len(self.odds)
        beside[missing] = 0
        queries = log_chances(odds)
        logs = np.einsum("ij,jik->ik", queries, self._table[:, beside])
        logs[missing] = -np.inf
        return logs


def _blocks(first: Ints, last: Ints) -> Iterator[slice]:
    """Rows one after another, as many as fit with all that any of them is near to."""
    start = 0
    while start < len(first):
        ahead = slice(start, start + _ROWS_AT_ONCE)
        cells = _cells(first[ahead], last[ahead])
        fitting = int(np.count_nonzero(cells <= _CELLS_AT_ONCE))
        stop = start + max(fitting, 1)
        yield slice(start, stop)
        start = stop


def _cells(first: Ints, last: Ints) -> Ints:
    """How many cells a block would have that ends with each row."""
    lowest = np.minimum.accumulate(first)
    highest = np.maximum.accumulate(last)
    rows = np.arange(len(first)) + 1
    return (highest - lowest) * rows


def _tiled(counts: OutcomeCounts, near: slice, rows: int) -> OutcomeCounts:
    """The counts of near claims, again for each row."""
    repeats = rows, 1
    return OutcomeCounts(
        np.tile(counts.events[near], repeats),
        np.tile(counts.others[near], repeats),
    )


def _take_out(
    counts: OutcomeCounts,
    left_out: OutcomeCounts,
    rows: Ints,
    near: slice,
) -> None:
    """Each row's own count, less what is left out of it."""
    places = np.arange(len(rows))
    own = places, rows - near.start
    counts.events[own] -= left_out.events[rows]
    counts.others[own] -= left_out.others[rows]
