"""Lagrange interpolation between uneven nodes, six at a time, and its transpose.

The transpose spreads the weights of points over nodes, so that sums over points become sums over
nodes.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .blocks import row_blocks
from .pooling import run_starts
from .types import Array, Ints

_STENCIL = np.arange(-2, 4)
_SIZE = len(_STENCIL)


class Places(NamedTuple):
    """Where points lie: the node below each, and how far along to the next, from 0 to 1."""

    below: Ints
    along: Array


@dataclass(frozen=True, eq=False)
class LagrangeGrid:
    """Ascending nodes; points must lie between the third and the third last."""

    nodes: Array

    def places(self, x: Array) -> Places:
        """Where the points lie."""
        above = np.searchsorted(self.nodes, x, side="right")
        last = len(self.nodes) - 4
        below = np.clip(above - 1, 2, last)
        widths = np.diff(self.nodes)
        along = x - self.nodes[below]
        along /= widths[below]
        return Places(below, along)

    def interpolate(self, places: Places, values: Array) -> Array:
        """Values at points from those at the nodes, by polynomials of degree 5."""
        windows = len(values) - _SIZE + 1
        stencils = np.lib.stride_tricks.sliding_window_view(values, windows)
        coefficients = np.einsum("dsc,sc->dc", self._basis, stencils)
        below, along = places
        found = np.empty(len(along))
        for rows in row_blocks(len(found)):
            cells = below[rows] - 2
            found[rows] = _horner(coefficients, cells, along[rows])
        return found

    def spread(self, places: Places, weights: Array) -> Array:
        """Weights at the nodes that sum any polynomial of degree 5 as those of the points do.

        Points must ascend.
        """
        below, along = places
        first = run_starts(below)
        cells = below[first]
        moments = _moments(weights, along, first)
        basis = self._basis[:, :, cells - 2]
        shares = np.einsum("dsc,dc->sc", basis, moments)
        at_nodes = np.zeros(len(self.nodes))
        for offset, share in zip(_STENCIL, shares, strict=True):
            at_nodes[cells + offset] += share
        return at_nodes

    @cached_property
    def _basis(self) -> Array:
        """Lagrange's polynomials of each cell, as coefficients: (degrees, nodes, cells)."""
        nodes = self.nodes
        stop = len(nodes) - 3
        cells = np.arange(2, stop)
        low = nodes[cells]
        width = nodes[cells + 1] - low
        stencil = cells + _STENCIL[:, None]
        along = nodes[stencil] - low
        along /= width
        polynomials = [_lagrange(along, node) for node in range(_SIZE)]
        return np.stack(polynomials, axis=1)


def _moments(weights: Array, along: Array, first: Ints) -> Array:
    """Of the weights in each cell, about the node below: a row for each degree."""
    moments = []
    power = weights
    for _ in range(_SIZE):
        of_cells = np.add.reduceat(power, first)
        moments.append(of_cells)
        power = power * along
    return np.stack(moments)


def _lagrange(along: Array, node: int) -> Array:
    """In each cell the polynomial that is 1 at one node and 0 at the others: a product of lines."""
    product = np.zeros_like(along)
    product[0] = 1
    others = np.delete(along, node, axis=0)
    for degree, other in enumerate(others, start=1):
        higher = slice(1, degree + 1)
        raised = product[:degree] - other * product[higher]
        product[0] *= -other
        product[higher] = raised
        product /= along[node] - other
    return product


def _horner(coefficients: Array, cells: Ints, along: Array) -> Array:
    """Each point's polynomial at it."""
    value = coefficients[-1][cells]
    for coefficient in coefficients[-2::-1]:
        value *= along
        value += coefficient[cells]
    return value
