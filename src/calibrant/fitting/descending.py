"""The columns of each row by their values, largest first; of equal values the lowest column."""

import numpy as np

from .types import Array, Ints

# Up to so many places one search after the other is quicker than sorting whole rows.
_FEW = 5


def descending(x: Array) -> Ints:
    """Every column of each row, largest value first.

    >>> descending(np.array([[0.2, 0.5, 0.2]])).tolist()
    [[1, 0, 2]]
    """
    order = np.argsort(-x, axis=1)
    # A stable sort is many times as slow, and needed only where there are ties.
    values = np.take_along_axis(x, order, 1)
    is_tied = (values[:, 1:] == values[:, :-1]).any(1)
    order[is_tied] = np.argsort(-x[is_tied], axis=1, kind="stable")
    return order


def leading(x: Array, r: int) -> Ints:
    """The columns of the r largest values of each row.

    >>> leading(np.array([[0.2, 0.5, 0.2]]), 2).tolist()
    [[1, 0]]
    """
    if r > _FEW:
        return descending(x)[:, :r]
    left = x.copy()
    chosen = np.empty((len(x), r), np.intp)
    for rank in range(r):
        largest = left.argmax(1)
        chosen[:, rank] = largest
        np.put_along_axis(left, largest[:, None], -np.inf, 1)
    return chosen
