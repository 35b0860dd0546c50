"""Probability vectors and their labels, sorted by class, as sums of kernels take them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .beta_density import FLOOR
from .blocks import CORES, blocks_of, on_all_cores, row_blocks
from .logspace import log_softmax
from .pooling import run_starts
from .types import Array, Ints
from .weights import Weights, counts, present, some, total

# Numbers in one block of rows by all keys: 32 MB a core, enough for matrix products to be worth it.
_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class LabelledVectors:
    """Probability vectors, their floored logarithms, labels and weights, sorted by class."""

    p: Array
    log_p: Array
    y: Ints
    w: Weights

    @property
    def n(self) -> int:
        """How many vectors there are."""
        return len(self.y)

    @property
    def k(self) -> int:
        """How many classes there are, seen or not."""
        return self.p.shape[1]

    @property
    def total(self) -> float:
        """How many observations they stand for."""
        return total(self.w, self.n)

    @cached_property
    def log_left(self) -> Array:
        """Log of the share of each row's weight that is left once one, or all of less, is taken."""
        w = counts(self.w, self.n)
        left = np.maximum(w - 1, 0)
        with np.errstate(divide="ignore"):
            log_left = np.log(left)
        return log_left - np.log(w)

    @property
    def starts(self) -> Ints:
        """The first row of each class that was seen."""
        return run_starts(self.y)

    def blocks(self) -> list[slice]:
        """Rows that are worked on at once."""
        # At least two blocks a core, so that none idles for long.
        share = -(-self.n // (2 * CORES))
        return blocks_of(self.n, min(self.rows_at_once, share))

    @property
    def rows_at_once(self) -> int:
        """How many rows, of products with all vectors, memory has room for."""
        return max(1, _CELLS // self.n)


def labelled_vectors(values: Array, y: Ints, w: Weights, *, logits: bool) -> LabelledVectors:
    """Rows of logits or of probabilities, by class and in float64.

    Those without weight are left out.
    """
    kept = present(w, len(y))
    by_class = np.argsort(y[kept], kind="stable")
    order = kept[by_class]
    shape = len(order), values.shape[1]
    p = np.empty(shape)
    log_p = np.empty(shape)

    def fill(rows: slice) -> None:
        block = values[order[rows]]
        block = block.astype(np.float64)
        if logits:
            log_block = log_softmax(block)
            p[rows] = np.exp(log_block)
        else:
            with np.errstate(divide="ignore"):
                log_block = np.log(block)
            p[rows] = block
        np.maximum(log_block, FLOOR, out=log_p[rows])

    on_all_cores(fill, row_blocks(*shape))
    return LabelledVectors(p, log_p, y[order], some(w, order))
