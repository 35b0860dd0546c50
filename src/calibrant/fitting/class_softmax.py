"""Weighted sums over many keys in log space, class by class: softmax attention whose values are classes."""

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
    return (top + np.log(total))[:, 0], share


def pair_shares(logits: Array, alone: Array, starts: Ints) -> Array:
    """Of all pairs of different keys, weighed by their product, the share of those that both lie in a class.

    `alone`, of the table's shape, is the part of a key's square that is no pair: 1 for one row, 1 / w for w of them.
    A row whose keys make no pair gives 0 of 0 and is the caller's to refuse. The table is used up.

    >>> pair_shares(np.log([[1.0, 2.0, 5.0]]), np.ones((1, 3)), np.array([0, 1])).round(3).tolist()
    [[0.0, 0.588]]
    """
    rows = np.arange(len(logits))
    at = logits.argmax(1)
    in_class = np.searchsorted(starts, at, side="right") - 1
    first, more = logits[rows, at], 1 - alone[rows, at]
    # The largest key is set apart: squares of the others are then small beside what is left when they are taken away.
    logits[rows, at] = -np.inf
    second = logits.max(1)
    logits -= np.where(np.isfinite(second), second, 0)[:, None]
    np.exp(logits, out=logits)
    rest = np.add.reduceat(logits, starts, axis=1)
    np.square(logits, out=logits)
    logits *= alone
    squares = np.add.reduceat(logits, starts, axis=1)
    below = np.exp(second - first)[:, None]
    # In units of the first times the second; where the first key alone makes pairs, of the first squared.
    unit = np.where(more > 0, below[:, 0], 1)
    within = below * np.maximum(rest**2 - squares, 0)
    within[rows, in_class] += 2 * rest[rows, in_class]
    within *= unit[:, None]
    within[rows, in_class] += more
    total, square = rest.sum(1), squares.sum(1)
    pairs = more + unit * (below[:, 0] * np.maximum(total**2 - square, 0) + 2 * total)
    return within / pairs[:, None]
