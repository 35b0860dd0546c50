"""Weighted sums over many keys in log space, class by class: attention whose values are classes."""

import numpy as np

from .types import Array, Ints


def class_shares(logits: Array, starts: Ints) -> tuple[Array, Array]:
    """Log of each row's sum over keys, and the share of every class in it.

    Keys, a column each, lie class by class from `starts` on. The table is used up.

    >>> log_sum, share = class_shares(np.log([[1.0, 2.0, 5.0]]), np.array([0, 1]))
    >>> share.round(3).tolist()
    [[0.125, 0.875]]
    """
    top = logits.max(1, keepdims=True)
    logits -= top
    np.exp(logits, out=logits)
    share = np.add.reduceat(logits, starts, axis=1)
    total = share.sum(1, keepdims=True)
    share /= total
    log_sum = top + np.log(total)
    return log_sum[:, 0], share


def pair_shares(logits: Array, alone: Array, starts: Ints) -> Array:
    """Of all pairs of different keys, weighed by their product, the share that lies in each class.

    `alone`, of the table's shape, is the part of a key's square that is no pair: 1 for one row,
    1 / w for w of them. A row whose keys make no pair gives 0 of 0 and is the caller's to refuse.
    The table is used up.

    >>> keys = np.log([[1.0, 2.0, 5.0]])
    >>> pair_shares(keys, np.ones((1, 3)), np.array([0, 1])).round(3).tolist()
    [[0.0, 0.588]]
    """
    # The largest key is set apart: squares of the others are then small beside what is left when
    # they are taken away.
    rows = np.arange(len(logits))
    key = logits.argmax(1)
    largest = rows, key
    first = logits[largest]
    # Several rows in one key make pairs by themselves.
    paired = 1 - alone[largest]
    logits[largest] = -np.inf
    second = logits.max(1)
    ratio = np.exp(second - first)
    rest, squares = _sums_and_squares(logits, second, alone, starts)
    total = rest.sum(1)
    pairs = _pairs(total, squares.sum(1), ratio)
    within = _pairs(rest, squares, ratio[:, None])
    # Pairs of the largest key and another one.
    own = rows, _class_of(key, starts)
    pairs += 2 * total
    within[own] += 2 * rest[own]
    # Now in units of the first times the second, or of the first squared if it makes pairs.
    unit = np.where(paired > 0, ratio, 1)
    pairs *= unit
    pairs += paired
    within *= unit[:, None]
    within[own] += paired
    return within / pairs[:, None]


def _pairs(sums: Array, squares: Array, ratio: Array) -> Array:
    """What is no square in the square of sums, times a ratio."""
    pairs = sums**2
    pairs -= squares
    pairs = np.maximum(pairs, 0)
    pairs *= ratio
    return pairs


def _sums_and_squares(
    logits: Array,
    top: Array,
    alone: Array,
    starts: Ints,
) -> tuple[Array, Array]:
    """By class, the sum of keys, over e^top, and the part of their squares that is no pair."""
    empty = ~np.isfinite(top)
    shift = np.where(empty, 0, top)
    logits -= shift[:, None]
    np.exp(logits, out=logits)
    sums = np.add.reduceat(logits, starts, axis=1)
    np.square(logits, out=logits)
    logits *= alone
    squares = np.add.reduceat(logits, starts, axis=1)
    return sums, squares


def _class_of(keys: Ints, starts: Ints) -> Ints:
    return np.searchsorted(starts, keys, side="right") - 1
