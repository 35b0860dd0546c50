"""Values between uneven nodes by polynomials through six of them, and its mirror: weights shared out to six nodes."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .blocks import row_blocks
from .types import Array, Ints

_STENCIL = np.arange(-2, 4)


class Places(NamedTuple):
    """Where points lie: the node below each, and how far along to the next, from 0 to 1."""

    below: Ints
    along: Array


@dataclass(frozen=True, eq=False)
class SixNodes:
    """Ascending nodes; points must lie between the third and the third last."""

    nodes: Array

    def places(self, x: Array) -> Places:
        """Where the points lie."""
        below = np.clip(np.searchsorted(self.nodes, x, side="right") - 1, 2, len(self.nodes) - 4)
        return Places(below, (x - self.nodes[below]) / np.diff(self.nodes)[below])

    def share_out(self, places: Places, weights: Array) -> Array:
        """Weights at the nodes that sum up any polynomial of degree 5 as the points' own do; points are ascending."""
        first = np.flatnonzero(np.append(True, places.below[1:] != places.below[:-1]))
        cells = places.below[first]
        moments = np.empty((6, len(cells)))
        power = weights
        for degree in range(6):
            moments[degree] = np.add.reduceat(power, first)
            power = power * places.along
        shares = np.einsum("dsc,dc->sc", self._polynomials[:, :, cells - 2], moments)
        at_nodes = np.zeros(len(self.nodes))
        for offset, share in zip(_STENCIL, shares, strict=True):
            at_nodes[cells + offset] += share
        return at_nodes

    def between(self, places: Places, values: Array) -> Array:
        """Values at points from those at the nodes."""
        stencils = np.lib.stride_tricks.sliding_window_view(values, len(values) - 5)
        coefficients = np.einsum("dsc,sc->dc", self._polynomials, stencils)
        found = np.empty(len(places.along))
        for rows in row_blocks(len(found)):
            cell, along = places.below[rows] - 2, places.along[rows]
            total = coefficients[5][cell]
            for degree in range(4, -1, -1):
                total *= along
                total += coefficients[degree][cell]
            found[rows] = total
        return found

    @cached_property
    def _polynomials(self) -> Array:
        """What each node of a cell adds to the coefficient of each degree: (degrees, nodes, cells)."""
        cells = np.arange(2, len(self.nodes) - 3)
        along = (self.nodes[cells + _STENCIL[:, None]] - self.nodes[cells]) / (
            self.nodes[cells + 1] - self.nodes[cells]
        )
        found = np.empty((6, 6, len(cells)))
        for node in range(6):
            # The polynomial that is 1 at the node and 0 at the other five: a product of lines.
            product = np.zeros((6, len(cells)))
            product[0] = 1
            for degree, other in enumerate(np.delete(along, node, axis=0), start=1):
                product[1 : degree + 1], product[0] = (
                    product[:degree] - other * product[1 : degree + 1],
                    -other * product[0],
                )
                product /= along[node] - other
            found[:, node] = product
        return found
