"""Weights of rows, read as counts: None stands for ones, which are made only where they must be."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .types import Array, Ints, Rows

Weights = Array | None


def total(w: Weights, n: int) -> float:
    """How many observations n rows stand for.

    >>> total(None, 3), total(np.array([2.0, 0.0, 0.5]), 3)
    (3.0, 2.5)
    """
    if w is None:
        return float(n)
    return float(w.sum())


def counts(w: Weights, n: int) -> Array:
    """The weights themselves, ones where they are None.

    >>> counts(None, 2).tolist()
    [1.0, 1.0]
    """
    if w is None:
        return np.ones(n)
    return w


def weighted(x: NDArray[Any], w: Weights) -> NDArray[Any]:
    """Each row's x times its weight.

    >>> weighted(np.array([[1, 2], [3, 4]]), np.array([1.0, 10.0])).tolist()
    [[1.0, 2.0], [30.0, 40.0]]
    """
    if w is None:
        return x
    others = [1] * (x.ndim - 1)
    return x * w.reshape(-1, *others)


def weighted_sum(x: NDArray[Any], w: Weights) -> Any:  # noqa: ANN401 - a number, or a row of them
    """The sum of x over rows, the first axis.

    >>> weighted_sum(np.array([[1, 2], [3, 4]]), np.array([1.0, 10.0])).tolist()
    [31.0, 42.0]
    """
    if w is None:
        return x.sum(0)
    return w @ x


def weighted_mean(x: NDArray[Any], w: Weights) -> float:
    """The mean of x over rows, each as often as its weight says.

    >>> weighted_mean(np.array([1.0, 4.0]), np.array([2.0, 1.0]))
    2.0
    """
    return float(np.average(x, weights=w))


def some(w: Weights, rows: Rows) -> Weights:
    """The weights of some rows, None if they are None."""
    if w is None:
        return None
    return w[rows]


def present(w: Weights, n: int) -> Ints:
    """The places of rows that stand for anything at all.

    >>> present(np.array([1.0, 0.0, 0.5]), 3).tolist()
    [0, 2]
    """
    if w is None:
        return np.arange(n)
    return np.flatnonzero(w)
