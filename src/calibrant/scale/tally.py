"""Sums over the cells of a grid: all that a summary holds of one question."""

from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple, Self

import numpy as np

from ..fitting.types import Array, Bools, Ints, Outcomes, Values
from ..fitting.weights import Weights
from .grid import Grid

# What rows' chances sum to, less one, is held in steps of this.
_STEP = 2.0**-40
# A row and its place in a cell, of up to 21 bits, are counted as one number, until so many rows wait.
_ROW_BITS = 42
_ROW = np.int64(1 << _ROW_BITS)
_MOST_WAITING = 1 << 19
_SUMS = 5  # rows, events, places in cells, what sums are above one, exact zeros


class Claims(NamedTuple):
    """Claims by cell, in the middle and below by `p`, near 1 by `rest`; `excess` is p + rest - 1.

    `zeros` are the exact zeros in each row's vector, None where they do not matter.
    """

    p: Array
    rest: Array
    excess: Array | None = None
    zeros: Ints | None = None


class Points(NamedTuple):
    """What filled cells say: a claim and the chance of its rest, its rows and its events."""

    p: Array
    rest: Array
    zeros: Array
    rows: Array
    events: Array


@dataclass(eq=False)
class Tally:
    """Sums of `parts` questions on one grid, in whole numbers until a weight or a share comes.

    The last cell of all is no question's: what is put there is not counted.
    """

    grid: Grid
    parts: int
    counted: Values
    _waiting: Ints | None = None
    _n_waiting: int = 0
    _lock: Lock = field(default_factory=Lock)  # views are asked for by several threads

    @classmethod
    def empty(cls, grid: Grid, parts: int = 1) -> Self:
        """No rows."""
        return cls(grid, parts, np.zeros((_SUMS, parts * grid.cells + 1), np.int64))

    @property
    def sums(self) -> Values:
        """Rows, events, places, what rows sum to above one, and exact zeros, by cell."""
        self._fold()
        return self.counted

    def add(
        self,
        claims: Claims,
        y: Outcomes,
        w: Weights,
        *,
        is_exact: bool,
        part: Ints | int = 0,
    ) -> None:
        """Claims that may be near 1, each of one question."""
        cell, place = self._places(claims, is_exact=is_exact)
        cell = cell + np.asarray(part * self.grid.cells, np.intp)
        self._count(cell, place, w, len(cell))
        self._sum(1, cell, y, w)
        if claims.excess is not None:
            steps = np.rint(claims.excess / _STEP).astype(np.int64)
            self._sum(3, cell, steps, w)
        if claims.zeros is not None:
            self._sum(4, cell, claims.zeros, w)

    def add_classes(
        self,
        p: Array,
        is_top: Bools,
        y: Outcomes,
        w: Weights,
        *,
        is_exact: bool,
        zeros: Ints | None,
    ) -> None:
        """Claims (k, n) of all classes but the top ones; y are labels, (n,), or shares, (k, n)."""
        cell, place = self.grid.low(p)
        if is_exact:
            cell[p <= 0] = 0
        cell = cell + self.grid.cells * np.arange(len(p))[:, None]
        cell[is_top] = self.counted.shape[1] - 1
        flat = cell.ravel()
        wide = None if w is None else np.broadcast_to(w, p.shape).ravel()
        if y.ndim == 1:
            each = cell[y, np.arange(len(y))]
            self._sum(1, each, np.ones(len(y), np.int64), w)
        else:
            self._sum(1, flat, y.ravel(), wide)
        self._count(flat, place.ravel(), wide, p.shape[1])
        if zeros is not None:
            self._sum(4, flat, np.broadcast_to(zeros, p.shape).ravel(), wide)

    def merged(self, other: Self) -> Self:
        """Both together."""
        return type(self)(self.grid, self.parts, self.sums + other.sums)

    def to_floats(self) -> None:
        """From now on weights and shares are added."""
        self.counted = self.sums.astype(np.float64, copy=False)

    def points(self, part: int = 0) -> Points:
        """What the filled cells of a question say, in the order of claims."""
        first = part * self.grid.cells
        sums = self.sums[:, first : first + self.grid.cells]
        cell = np.flatnonzero(sums[0])
        rows, events, place, excess, zeros = sums[:, cell]
        p, rest = self.grid.claims(cell, place / rows)
        above = excess / rows * _STEP
        # Near 1 the rest is what was summed, elsewhere the claim.
        is_high = cell >= self.grid.cells - 1 - self.grid.octaves
        p = np.where(is_high, p + above, p)
        rest = np.where(is_high, rest, rest + above)
        return Points(np.clip(p, 0, 1), np.clip(rest, 0, 1), zeros / rows, rows, events)

    def _places(self, claims: Claims, *, is_exact: bool) -> tuple[Ints, Ints]:
        grid = self.grid
        cell, place = grid.low(claims.p)
        high = np.flatnonzero((claims.p > 1 - grid.edge) & (claims.rest < grid.edge))
        cell[high], place[high] = grid.high(claims.rest[high])
        if is_exact:
            cell[claims.p <= 0] = 0
            sure = high[claims.rest[high] <= 0]
            cell[sure] = grid.cells - 1
        return cell, place

    def _fold(self) -> None:
        with self._lock:
            if self._waiting is None or not self._n_waiting:
                return
            self.counted[0] += self._waiting >> _ROW_BITS
            self.counted[2] += self._waiting & (_ROW - 1)
            self._waiting[:] = 0
            self._n_waiting = 0

    def _count(self, cell: Ints, place: Ints, w: Weights, most: int) -> None:
        """Rows and their places in cells, of which none has more than `most`."""
        if self.counted.dtype != np.int64:
            np.add.at(self.counted[0], cell, 1 if w is None else w)
            self._sum(2, cell, place, w)
            return
        if self._waiting is None:
            self._waiting = np.zeros(self.counted.shape[1], np.int64)
        np.add.at(self._waiting, cell, place + _ROW)
        self._n_waiting += most
        if self._n_waiting > _MOST_WAITING:
            self._fold()

    def _sum(self, which: int, cell: Ints, values: Values, w: Weights) -> None:
        each = values.astype(self.counted.dtype, copy=False)
        np.add.at(self.counted[which], cell, each if w is None else w * each)
