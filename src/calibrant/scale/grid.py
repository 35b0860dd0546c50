"""The fixed grid of a summary: cells of equal width in the middle, of equal ratio near 0 and 1."""

from typing import NamedTuple

import numpy as np

from ..fitting.types import Array, Ints

# A claim's place within its cell is a whole number of this many parts: sums of them are exact.
PARTS = 2**20
# Chances nearer to 0 or 1 than this, the smallest normal float32, share the last cell there.
_NEAREST = 2.0**-126
_MANTISSA = 23
_SLACK = 1e-9  # a claim that multiplying moved off an edge is still on it


class Places(NamedTuple):
    """The cell of each claim, and how far it lies in it, in parts."""

    cell: Ints
    part: Ints


class Grid(NamedTuple):
    """`middle` cells of equal width from 0 to 1, but within 2^-tail of the ends 2^digits an octave.

    Cells ascend: exact 0, the lower tail, the middle, the upper tail, exact 1. In the upper tail
    a claim has the cell of its `rest`, so that what lies within rounding of 1 is told apart. A
    claim on an edge of the middle falls below it, as it does in bins of equal width.

    >>> FINE.cells
    68204
    """

    middle: int
    tail: int
    digits: int

    @property
    def edge(self) -> float:
        """Where the lower tail ends."""
        return 2.0**-self.tail

    @property
    def beyond(self) -> int:
        """How many cells of the middle a tail takes the place of."""
        return self.middle >> self.tail

    @property
    def octaves(self) -> int:
        """Cells of one tail."""
        return (126 - self.tail) << self.digits

    @property
    def inner(self) -> int:
        """Cells of the middle."""
        return self.middle - 2 * self.beyond

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return 2 + 2 * self.octaves + self.inner

    def low(self, p: Array) -> Places:
        """Places of claims that are in the lower tail or the middle."""
        p = np.ascontiguousarray(p)
        cell, part = self._tail(p)
        cell += 1
        # Most claims of many classes are in the tail: only the others are worked out further.
        inner = np.flatnonzero(p >= self.edge)
        middle = self._middle(p.ravel()[inner])
        cell.ravel()[inner] = middle.cell
        part.ravel()[inner] = middle.part
        return Places(cell, part)

    def high(self, rest: Array) -> Places:
        """Places of claims in the upper tail, by the chance of the rest."""
        tail = self._tail(rest)
        return Places(self.cells - 2 - tail.cell, tail.part)

    def _middle(self, p: Array) -> Places:
        scaled = p.astype(np.float64)
        scaled *= self.middle
        cell = np.ceil(scaled - _SLACK)
        np.clip(cell, self.beyond + 1, self.middle - self.beyond, out=cell)
        scaled -= cell
        scaled *= PARTS
        part = scaled.astype(np.int32)
        part += PARTS
        at = cell.astype(np.int32)
        at += self.octaves - self.beyond
        return Places(at, part)

    def _tail(self, small: Array) -> Places:
        # The bits of a float32 are its octave, then its place there.
        near = np.minimum(small, self.edge, dtype=np.float32, casting="same_kind")
        bits = np.maximum(near, np.float32(_NEAREST), out=near).view(np.int32)
        within = _MANTISSA - self.digits
        cell = bits >> within
        cell -= 1 << self.digits
        bits &= (1 << within) - 1
        bits *= PARTS >> within
        return Places(cell, bits)

    def claims(self, cell: Ints, part: Array) -> tuple[Array, Array]:
        """The chance and that of the rest at places of cells."""
        share = part / PARTS
        middle = (cell - 1 - self.octaves + self.beyond + share) / self.middle
        lower = self._chance(np.clip(cell - 1, 0, self.octaves - 1), share)
        mirrored = np.clip(self.cells - 2 - cell, 0, self.octaves - 1)
        upper = self._chance(mirrored, share)
        is_low = cell <= self.octaves
        is_high = cell >= self.cells - 1 - self.octaves
        p = np.where(is_low, lower, np.where(is_high, 1 - upper, middle))
        rest = np.where(is_low, 1 - lower, np.where(is_high, upper, 1 - middle))
        p[cell == 0], rest[cell == 0] = 0, 1
        p[cell == self.cells - 1], rest[cell == self.cells - 1] = 1, 0
        return p, rest

    def _chance(self, cell: Ints, share: Array) -> Array:
        octave, step = np.divmod(cell, 1 << self.digits)
        return np.ldexp(1 + (step + share) / (1 << self.digits), octave - 126)


# All have edges at whole multiples of 1/10, 1/15, 1/20, 1/25, 1/30 and 1/50.
FINE = Grid(38400, 9, 7)
MEDIUM = Grid(9600, 7, 6)
COARSE = Grid(1200, 4, 4)


def grid_of_classes(k: int) -> Grid:
    """The grid of each of k classes: up to 4, up to 32 or more, of 2.7, 1 or 0.2 MB each."""
    if k <= 4:
        return FINE
    return MEDIUM if k <= 32 else COARSE
