"""Sums of Dirichlet kernels about whole vectors: attention in blocks of rows, so that memory grows with rows alone.

The log of the kernel about z at x is <z / h, log x> plus a number of z: queries are log x, keys z / h, values classes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from .bandwidths import BANDWIDTHS, rule_of_thumb
from .beta_density import FLOOR
from .blocks import CORES, on_all_cores, row_blocks
from .class_softmax import class_shares, pair_shares
from .logspace import log_softmax
from .types import Array, Ints

Tick = Callable[[], None]
# Numbers in one block of rows by all keys: 32 MB a core, enough rows for a product of matrices to be worth its while.
_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class Vectors:
    """Probability vectors, their floored logarithms, classes and counts (None: ones), sorted by class."""

    p: Array
    log_p: Array
    y: Ints
    w: Array | None

    @property
    def total(self) -> float:
        """How many rows they stand for."""
        return float(len(self.y) if self.w is None else self.w.sum())

    def blocks(self) -> list[slice]:
        """Rows that are worked on at once."""
        n = len(self.y)
        # At least two a core, so that none idles for long.
        rows = max(1, min(_CELLS // n, -(-n // (2 * CORES))))
        return [slice(i, min(i + rows, n)) for i in range(0, n, rows)]


def vectors(values: Array, y: Ints, w: Array | None, *, logits: bool) -> Vectors:
    """Rows of logits or of probabilities, by class and in float64; those without weight are left out."""
    order = np.argsort(y, kind="stable")
    if w is not None:
        order = order[w[order] > 0]
    p, log_p = np.empty((len(order), values.shape[1])), np.empty((len(order), values.shape[1]))

    def fill(rows: slice) -> None:
        block = values[order[rows]].astype(np.float64)
        if logits:
            log_p[rows] = log_softmax(block)
            p[rows] = np.exp(log_p[rows])
        else:
            p[rows] = block
            with np.errstate(divide="ignore"):
                log_p[rows] = np.log(block)
        np.maximum(log_p[rows], FLOOR, out=log_p[rows])

    on_all_cores(fill, row_blocks(len(order), values.shape[1]))
    return Vectors(p, log_p, y[order], None if w is None else w[order])


def best_bandwidth(rows: Vectors, tick: Tick) -> float:
    """The one that makes each row most probable by the density of all others, of which there must be one."""
    biases = [_bias(rows, h) for h in BANDWIDTHS]

    def part(block: slice) -> NDArray[Any]:
        products = rows.log_p[block] @ rows.p.T
        logits = np.empty_like(products)
        found = []
        for h, bias in zip(BANDWIDTHS, biases, strict=True):
            np.divide(products, h, out=logits)
            logits += bias
            _leave_out(logits, rows, block)
            density = class_shares(logits, np.zeros(1, np.intp))[0]
            found.append(density.sum() if rows.w is None else density @ rows.w[block])
        tick()
        return np.array(found)

    return float(BANDWIDTHS[np.sum(on_all_cores(part, rows.blocks()), axis=0).argmax()])


def quick_bandwidth(rows: Vectors) -> float:
    """A rule of thumb from the spread of the vectors."""
    # The roots of a vector lie on a sphere, so their squares add up to what the vector does.
    mean = np.average(np.sqrt(rows.p), axis=0, weights=rows.w)
    variance = max(0.0, float(np.average(rows.p.sum(1), weights=rows.w) - mean @ mean))
    dimensions = rows.p.shape[1] - 1
    return rule_of_thumb(variance / dimensions, dimensions, rows.total)


def left_out(
    rows: Vectors,
    h: float,
    use: Callable[[slice, Array], Array],
    tick: Tick,
    *,
    pairs: bool = False,
) -> Array:
    """What `use` makes of each block of rows and of the share of every class about them, the row itself left out.

    With `pairs`, of the share of pairs of neighbours that both have the class. There must be another row, or two.
    """
    bias = _bias(rows, h)
    starts = np.flatnonzero(np.append(True, rows.y[1:] != rows.y[:-1]))
    classes = rows.y[starts]

    def part(block: slice) -> Array:
        logits = rows.log_p[block] @ rows.p.T
        logits /= h
        logits += bias
        _leave_out(logits, rows, block)
        share = np.zeros((len(logits), rows.p.shape[1]))
        if pairs:
            share[:, classes] = pair_shares(logits, _alone(rows, block), starts)
        else:
            share[:, classes] = class_shares(logits, starts)[1]
        tick()
        return use(block, share)

    return np.concatenate(on_all_cores(part, rows.blocks()))


def shares_at(rows: Vectors, h: float, p: Array) -> tuple[Array, Array]:
    """The share of every class about other vectors, and how many rows, all told, lie within reach of each."""
    bias = _bias(rows, h)
    starts = np.flatnonzero(np.append(True, rows.y[1:] != rows.y[:-1]))
    with np.errstate(divide="ignore"):
        log_p = np.maximum(np.log(p), FLOOR)
    alpha = p / h + 1
    # A row just there would count as one.
    own = gammaln(alpha.sum(1)) - gammaln(alpha).sum(1) + (p * log_p).sum(1) / h
    share, reached = np.zeros_like(p), np.empty(len(p))

    def fill(block: slice) -> None:
        log_sum, found = class_shares(log_p[block] @ rows.p.T / h + bias, starts)
        share[block, rows.y[starts]] = found
        reached[block] = np.exp(np.minimum(log_sum - own[block], 700))

    step = max(1, _CELLS // len(rows.y))
    on_all_cores(fill, [slice(i, i + step) for i in range(0, len(p), step)])
    return share, reached


def _bias(rows: Vectors, h: float) -> Array:
    """What the log of each key's kernel has beside the product, with the log of its count."""
    bias = np.empty(len(rows.y))

    def fill(block: slice) -> None:
        alpha = rows.p[block] / h + 1
        bias[block] = gammaln(alpha.sum(1)) - gammaln(alpha).sum(1)

    on_all_cores(fill, row_blocks(len(bias), rows.p.shape[1]))
    return bias if rows.w is None else bias + np.log(rows.w)


def _leave_out(logits: Array, rows: Vectors, block: slice) -> None:
    """Take one row, or all of it where it weighs less, out of its own sum."""
    own = np.arange(block.start, block.stop)
    if rows.w is None:
        logits[own - block.start, own] = -np.inf
        return
    with np.errstate(divide="ignore"):
        logits[own - block.start, own] += np.log(np.maximum(rows.w[block] - 1, 0)) - np.log(
            rows.w[block]
        )


def _alone(rows: Vectors, block: slice) -> Array:
    """How much of each key's square is no pair."""
    shape = (block.stop - block.start, len(rows.y))
    if rows.w is None:
        return np.broadcast_to(1.0, shape)
    alone = np.tile(1 / np.maximum(rows.w, 1), (shape[0], 1))
    own = np.arange(block.start, block.stop)
    alone[own - block.start, own] = 1 / np.maximum(rows.w[block] - 1, 1)
    return alone
