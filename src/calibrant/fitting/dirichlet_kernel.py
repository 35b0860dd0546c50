"""Sums of Dirichlet kernels about whole vectors: attention in blocks of rows.

Memory grows with rows alone. The log of the kernel about z at x is <z / h, log x> plus a number of
z: queries are log x, keys z / h, values classes.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import gammaln

from .bandwidths import BANDWIDTHS, best_scored, rule_of_thumb
from .beta_density import FLOOR
from .blocks import blocks_of, on_all_cores, row_blocks
from .class_softmax import class_shares, pair_shares
from .labelled_vectors import LabelledVectors
from .types import Array, Ints
from .weights import counts, some, weighted_mean, weighted_sum

Tick = Callable[[], None]
_ONE_CLASS = np.zeros(1, np.intp)
# Beyond it exponentials overflow.
_LARGEST_LOG = 700


def best_bandwidth(rows: LabelledVectors, tick: Tick) -> float:
    """The bandwidth that makes each vector most probable given the different ones.

    If any are equal, it is no wider than the rule of thumb. Of a single vector it is the least of
    the usual ones, as all tell the same.
    """
    distinct = _distinct(rows)
    if distinct.n == 1:
        return float(BANDWIDTHS[0])

    def log_likelihoods(tried: Sequence[float]) -> Array:
        return _log_likelihoods(distinct, tried, tick)

    best = best_scored(log_likelihoods)
    has_equals = distinct.w is not None and (distinct.w > 1).any()
    return min(best, quick_bandwidth(distinct)) if has_equals else best


def predictive_bandwidth(rows: LabelledVectors, tick: Tick) -> float:
    """The bandwidth whose shares of classes, a row left out, have the least Brier score of it.

    Of a single vector it is the least of the usual ones.
    """
    if _distinct(rows).n == 1:
        return float(BANDWIDTHS[0])

    def brier(block: slice, share: Array) -> Array:
        places = np.arange(len(share))
        share[places, rows.y[block]] -= 1
        return np.einsum("ij,ij->i", share, share)

    def scores(tried: Sequence[float]) -> Array:
        losses = [left_out(rows, h, brier, _nothing) for h in tried]
        tick()
        return -np.array([weighted_sum(each, rows.w) for each in losses])

    return best_scored(scores)


def quick_bandwidth(rows: LabelledVectors) -> float:
    """A rule of thumb from the spread of the vectors."""
    # The roots of a vector lie on a sphere, so their squares add up to what the vector does.
    roots = np.sqrt(rows.p)
    mean = np.average(roots, axis=0, weights=rows.w)
    squares = rows.p.sum(1)
    variance = weighted_mean(squares, rows.w)
    variance -= float(mean @ mean)
    dimensions = rows.k - 1
    of_each = max(0.0, variance) / dimensions
    return rule_of_thumb(of_each, dimensions, rows.total)


def left_out(
    rows: LabelledVectors,
    h: float,
    use: Callable[[slice, Array], Array],
    tick: Tick,
    *,
    pairs: bool = False,
) -> Array:
    """What `use` makes of each block of rows and the share of every class about them.

    No row is its own neighbour. With `pairs`, it is the share of pairs of neighbours that both have
    the class. There must be another row, or two.
    """
    bias = _bias(rows, h)
    starts = rows.starts
    classes = rows.y[starts]

    def part(block: slice) -> Array:
        logits = _log_kernels(rows.log_p[block], rows, h, bias)
        _leave_out(logits, rows, block)
        if pairs:
            alone = _alone(rows, block)
            found = pair_shares(logits, alone, starts)
        else:
            _, found = class_shares(logits, starts)
        shape = len(found), rows.k
        share = np.zeros(shape)
        share[:, classes] = found
        tick()
        return use(block, share)

    of_blocks = on_all_cores(part, rows.blocks())
    return np.concatenate(of_blocks)


def shares_at(rows: LabelledVectors, h: float, p: Array) -> tuple[Array, Array]:
    """The share of every class about other vectors, and how many rows lie within reach of each."""
    bias = _bias(rows, h)
    starts = rows.starts
    classes = rows.y[starts]
    with np.errstate(divide="ignore"):
        log_p = np.log(p)
    log_p = np.maximum(log_p, FLOOR)
    # A row just there would count as one.
    log_height = (p * log_p).sum(1) / h
    log_height += _log_constant(p, h)
    share = np.zeros_like(p)
    reached = np.empty(len(p))

    def fill(block: slice) -> None:
        logits = _log_kernels(log_p[block], rows, h, bias)
        log_sum, found = class_shares(logits, starts)
        share[block, classes] = found
        log_sum -= log_height[block]
        log_sum = np.minimum(log_sum, _LARGEST_LOG)
        reached[block] = np.exp(log_sum)

    blocks = blocks_of(len(p), rows.rows_at_once)
    on_all_cores(fill, blocks)
    return share, reached


def _log_likelihoods(distinct: LabelledVectors, tried: Sequence[float], tick: Tick) -> Array:
    """At each bandwidth, the log likelihood of different vectors, each by the others."""
    biases = [_bias(distinct, h) for h in tried]

    def of_block(block: slice) -> Array:
        products = distinct.log_p[block] @ distinct.p.T
        w = some(distinct.w, block)
        logits = np.empty_like(products)
        found = []
        for h, bias in zip(tried, biases, strict=True):
            np.divide(products, h, out=logits)
            logits += bias
            logits[_own(block)] = -np.inf
            log_density, _ = class_shares(logits, _ONE_CLASS)
            found.append(weighted_sum(log_density, w))
        tick()
        return np.array(found)

    of_blocks = on_all_cores(of_block, distinct.blocks())
    return np.sum(of_blocks, axis=0)


def _distinct(rows: LabelledVectors) -> LabelledVectors:
    """Different vectors, each with the weight of all rows that claim it, whatever their labels."""
    # What only rounding tells apart is equal; adding 0 makes -0.0 a plain zero.
    log_p = rows.log_p.round(6) + 0.0
    as_bytes = np.dtype((np.void, log_p.itemsize * rows.k))
    _, first, group = np.unique(log_p.view(as_bytes), return_index=True, return_inverse=True)
    if len(first) == rows.n:
        return rows
    w = np.bincount(group.ravel(), counts(rows.w, rows.n)).astype(np.float64)
    labels = np.zeros(len(first), np.intp)
    return LabelledVectors(rows.p[first], rows.log_p[first], labels, w)


def _log_kernels(
    log_p: Array,
    rows: LabelledVectors,
    h: float,
    bias: Array,
) -> Array:
    """Logs of the kernels about all vectors, with their weights, at queries."""
    logits = log_p @ rows.p.T
    logits /= h
    logits += bias
    return logits


def _log_constant(p: Array, h: float) -> Array:
    """The log of each kernel's normalising constant."""
    alpha = p / h
    alpha += 1
    total = alpha.sum(1)
    each = gammaln(alpha)
    return gammaln(total) - each.sum(1)


def _bias(rows: LabelledVectors, h: float) -> Array:
    """What the log of each key's kernel has beside the product, with the log of its weight."""
    bias = np.empty(rows.n)

    def fill(block: slice) -> None:
        p = rows.p[block]
        bias[block] = _log_constant(p, h)

    on_all_cores(fill, row_blocks(rows.n, rows.k))
    w = counts(rows.w, rows.n)
    return bias + np.log(w)


def _leave_out(logits: Array, rows: LabelledVectors, block: slice) -> None:
    """Take one row, or all of it where it weighs less, out of its own sum."""
    logits[_own(block)] += rows.log_left[block]


def _alone(rows: LabelledVectors, block: slice) -> Array:
    """How much of each key's square is no pair."""
    size = block.stop - block.start
    if rows.w is None:
        return np.broadcast_to(1.0, (size, rows.n))
    of_keys = 1 / np.maximum(rows.w, 1)
    alone = np.tile(of_keys, (size, 1))
    left = rows.w[block] - 1
    left = np.maximum(left, 1)
    alone[_own(block)] = 1 / left
    return alone


def _nothing() -> None:
    pass


def _own(block: slice) -> tuple[Ints, Ints]:
    """The places, in a table of a block of rows by all keys, where a row meets itself."""
    keys = np.arange(block.start, block.stop)
    return keys - block.start, keys
