"""What a stream showed from block to block, in bounded memory, to find since when claims are wrong."""

from dataclasses import dataclass, field

import numpy as np

from ..fitting.types import Array
from .bets import features, fitted
from .cells import CELLS

MOST_BLOCKS = 96
_ROUNDS = 4


@dataclass(eq=False)
class History:
    """Rows and events by cell of each block, (blocks, 2, cells), and of the rows since."""

    blocks: Array = field(default_factory=lambda: np.zeros((0, 2, CELLS)))
    current: Array = field(default_factory=lambda: np.zeros((2, CELLS)))

    def add(self, counted: Array) -> None:
        """Rows of the block that is not closed yet."""
        self.current = self.current + counted

    def close(self) -> Array:
        """End the block; what it holds. Of too many blocks two neighbours become one."""
        closed = self.current
        self.blocks = np.concatenate([self.blocks, closed[None]])
        self.current = np.zeros((2, CELLS))
        if len(self.blocks) > MOST_BLOCKS:
            self._thin()
        return closed

    def onset(self, z: Array) -> int:
        """The row from which on one shift of the claims explains most, to a block's end."""
        blocks = self._all()
        first = 0
        for _ in range(_ROUNDS):
            best = self._best_start(blocks, z, first)
            if best == first:
                break
            first = best
        return round(float(blocks[:first, 0].sum()))

    def since(self, row: int) -> Array:
        """Rows and events by cell, from a row on at which a block begins."""
        blocks = self._all()
        ends = np.cumsum(blocks[:, 0].sum(1))
        kept = ends > row + 0.5
        found: Array = blocks[kept].sum(0)
        return found

    def merged(self, other: "History") -> "History":
        """Two histories of parallel streams: blocks of one time become one."""
        one, two = self._all(), other._all()
        long, short = (one, two) if len(one) >= len(two) else (two, one)
        found = long.copy()
        if len(short):
            at = (np.arange(len(short)) + 0.5) * len(long) / len(short)
            np.add.at(found, at.astype(np.intp), short)
        return History(found)

    def _all(self) -> Array:
        return (
            np.concatenate([self.blocks, self.current[None]])
            if self.current[0].any()
            else self.blocks
        )

    def _best_start(self, blocks: Array, z: Array, first: int) -> int:
        """Where the gain of the shift fitted from a block on begins to add up to most."""
        a: Array = np.zeros((1, 3, 3))
        for _ in range(3):
            a = fitted(blocks[first:].sum(0)[None], z, a)
        shift = a[0, -1] @ features(z)
        lost = np.logaddexp(0, z + shift) - np.logaddexp(0, z)
        gains = blocks[:, 1] @ shift - blocks[:, 0] @ lost
        to_come = np.cumsum(gains[::-1])[::-1]
        return int(to_come.argmax())

    def _thin(self) -> None:
        """Join the two neighbours that are shortest for their age."""
        rows = self.blocks[:, 0].sum(1)
        age = np.cumsum(rows[::-1])[::-1]
        length = (rows[:-1] + rows[1:]) / age[:-1]
        length[-MOST_BLOCKS // 4 :] = np.inf
        at = int(length.argmin())
        self.blocks[at] += self.blocks[at + 1]
        self.blocks = np.delete(self.blocks, at + 1, axis=0)
