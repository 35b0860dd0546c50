"""Sums of Beta kernels at the nodes of a grid on which all of them are smooth.

A kernel of bandwidth h is about sqrt(h)/2 wide in the angle arcsin(sqrt p), wherever it lies, and
smooth in log odds where claims are below h; the nodes of the grid follow both.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from .beta_density import FLOOR, angles, key_table, log_chances, log_heights
from .blocks import blocks_of
from .local_polynomials import LagrangeGrid, Places
from .types import Array, Ints

# Steps of the grid: so many a kernel's width in the angle, so long in log odds near 0 and 1.
_STEPS_A_WIDTH = 12
_ODDS_STEP = 1 / 12
# Far out, sums hardly change: beyond 60 steps each is a sixtieth of the way.
_EVEN_STEPS = 60
_LONG_STEPS = 250
# Kernels count as far as exp(-40) of their height.
_REACH = 40.0
_NODES_AT_ONCE = 64
_EVEN_ODDS = np.pi / 4  # the angle of one half


@dataclass(frozen=True, eq=False)
class BetaGrid:
    """Kernels of one bandwidth about ascending claims, in log odds."""

    odds: Array
    bandwidth: float

    def places(self, odds: Array) -> Places:
        """Where claims lie among the nodes."""
        return self._lagrange.places(odds)

    def read(self, places: Places, at_nodes: Array) -> Array:
        """Values at claims from those at the nodes."""
        return self._lagrange.interpolate(places, at_nodes)

    @cached_property
    def own_places(self) -> Places:
        """Where the kernels' own claims lie."""
        return self.places(self.odds)

    @cached_property
    def heights(self) -> Array:
        """At each node, the height of a kernel about it."""
        logs = log_heights(self._lagrange.nodes, self.bandwidth)
        return np.exp(logs)

    def sums(self, weights: Array) -> Array:
        """At each node, the sum of the kernels about weighted claims."""
        return self._sums(weights, power=1)

    def sums_of_squares(self, weights: Array) -> Array:
        """At each node, the sum of the squares of the kernels."""
        return self._sums(weights, power=2)

    @cached_property
    def _lagrange(self) -> LagrangeGrid:
        return LagrangeGrid(_nodes(self.bandwidth))

    def _sums(self, weights: Array, *, power: int) -> Array:
        nodes = self._lagrange.nodes
        spread = self._lagrange.spread(self.own_places, weights)
        keys = np.flatnonzero(spread)
        spread = spread[keys]
        table = key_table(nodes[keys], self.bandwidth)
        queries = log_chances(nodes)
        first, last = self._spans(nodes, keys)
        sums = np.empty(len(nodes))
        for rows in blocks_of(len(nodes), _NODES_AT_ONCE):
            lowest = first[rows.start]
            near = slice(lowest, last[rows.stop - 1])
            kernels = queries[rows] @ table[:, near]
            kernels *= power
            np.exp(kernels, out=kernels)
            sums[rows] = kernels @ spread[near]
        return sums

    def _spans(self, nodes: Array, keys: Ints) -> tuple[Ints, Ints]:
        """From which of the keys to which each node is within reach of their kernels."""
        reach = np.sqrt(_REACH * self.bandwidth)
        angle = angles(nodes)
        of_keys = angle[keys]
        first = np.searchsorted(of_keys, angle - reach)
        last = np.searchsorted(of_keys, angle + reach)
        return first, last


@dataclass(frozen=True, eq=False)
class NoGrid:
    """In place of a grid where claims are few: nothing anywhere, so that every claim is lonely."""

    odds: Array
    heights: ClassVar[Array] = np.zeros(0)

    @property
    def own_places(self) -> Places:
        """Nowhere."""
        return self.places(self.odds)

    def places(self, odds: Array) -> Places:
        """Nowhere."""
        nowhere = np.zeros(len(odds), np.intp)
        return Places(nowhere, odds)

    def read(self, places: Places, at_nodes: Array) -> Array:  # noqa: ARG002 - as of a grid
        """Nothing at every claim."""
        return np.zeros(len(places.along))

    def sums(self, weights: Array) -> Array:  # noqa: ARG002 - as of a grid
        """No nodes, so no sums."""
        return np.zeros(0)

    sums_of_squares = sums


def _nodes(h: float) -> Array:
    """Log odds at even steps of the angle in the middle, even and then longer ones at the ends."""
    middle = _middle(h)
    outer = middle[-1] + _tail()
    above = np.concatenate([middle, outer])
    last = np.searchsorted(above, -FLOOR) + 4
    above = above[:last]
    below = -above[:0:-1]
    return np.concatenate([below, above])


def _middle(h: float) -> Array:
    """Nodes from even odds on, at even steps of the angle while these are the shorter ones."""
    width = np.sqrt(h) / 2
    step = width / _STEPS_A_WIDTH
    # An even step of the angle is as long as one of log odds where sqrt(p (1 - p)) is this.
    deviation = 2 * step / _ODDS_STEP
    sine = min(1.0, 2 * deviation)
    end = np.arcsin(sine) / 2
    half = int((_EVEN_ODDS - end) // step)
    angle = step * np.arange(half + 1)
    angle += _EVEN_ODDS
    return 2 * np.log(np.tan(angle))


def _tail() -> Array:
    """Distances of the outer nodes from the middle."""
    even = np.arange(1, _EVEN_STEPS)
    growth = (_EVEN_STEPS + 1) / _EVEN_STEPS
    powers = growth ** np.arange(_LONG_STEPS)
    long = _EVEN_STEPS * powers
    steps = np.concatenate([even, long])
    return _ODDS_STEP * steps
