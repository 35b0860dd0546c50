"""Sums over the cells of a grid: all that a summary holds of one question."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from ..fitting.types import Array, Bools, Ints, Outcomes, Values
from ..fitting.weights import Weights
from .grid import Grid

# What rows' chances sum to, less one, is held in steps of this.
_STEP = 2.0**-40
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
    sums: Values

    @classmethod
    def empty(cls, grid: Grid, parts: int = 1) -> Self:
        """No rows."""
        return cls(grid, parts, np.zeros((_SUMS, parts * grid.cells + 1), np.int64))

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
        rows: Values | int = 1 if w is None else w
        self._count(cell, rows, y if w is None else w * y)
        self._sum(2, cell, place, w)
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
        np.copyto(cell, self.sums.shape[1] - 1, where=is_top)
        if y.ndim == 1:
            each = cell[y, np.arange(len(y))]
            np.add.at(self.sums[1], each, 1 if w is None else w)
        else:
            np.add.at(self.sums[1], cell.ravel(), (y if w is None else w * y).ravel())
        wide = None if w is None else np.broadcast_to(w, p.shape).ravel()
        flat = cell.ravel()
        np.add.at(self.sums[0], flat, 1 if wide is None else wide)
        self._sum(2, flat, place.ravel(), wide)
        if zeros is not None:
            self._sum(4, flat, np.broadcast_to(zeros, p.shape).ravel(), wide)

    def merged(self, other: Self) -> Self:
        """Both together."""
        return type(self)(self.grid, self.parts, self.sums + other.sums)

    def to_floats(self) -> None:
        """From now on weights and shares are added."""
        self.sums = self.sums.astype(np.float64, copy=False)

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

    def _count(self, cell: Ints, rows: Values | int, events: Values) -> None:
        np.add.at(self.sums[0], cell, rows)
        np.add.at(self.sums[1], cell, events.astype(self.sums.dtype))

    def _sum(self, which: int, cell: Ints, values: Ints, w: Weights) -> None:
        each = values.astype(self.sums.dtype, copy=False)
        np.add.at(self.sums[which], cell, each if w is None else w * each)
