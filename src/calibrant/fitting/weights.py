"""Weights of rows, read as counts: None stands for ones, which are never made where none is needed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .types import Array, Ints, Rows

Weights = Array | None


def total(w: Weights, n: int) -> float:
    """How many observations n rows stand for."""
    return float(n if w is None else w.sum())


def counts(w: Weights, n: int) -> Array:
    """The weights themselves, ones where they are None."""
    return np.ones(n) if w is None else w


def weighted(x: NDArray[Any], w: Weights) -> NDArray[Any]:
    """Each row's x times its weight."""
    if w is None:
        return x
    return x * w.reshape(-1, *[1] * (x.ndim - 1))


def weighted_sum(x: NDArray[Any], w: Weights) -> Any:  # noqa: ANN401 - a number, or a row of them
    """The sum of x over rows, the first axis."""
    return x.sum(0) if w is None else w @ x


def weighted_mean(x: NDArray[Any], w: Weights) -> float:
    """The mean of x over rows, in float64."""
    return float(np.average(x, weights=w))


def some(w: Weights, rows: Rows) -> Weights:
    """The weights of some rows."""
    return None if w is None else w[rows]


def present(w: Weights, n: int) -> Ints:
    """The places of rows that stand for anything at all."""
    return np.arange(n) if w is None else np.flatnonzero(w)
