"""What holds of every answer asked of rows, be it a map's chances, a measure's number or a view."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from calibrant import Predictions, View, binary, from_logits, from_probs
from calibrant.fitting.types import Ints

Rows = View | Predictions
Answer = Callable[[Any], ArrayLike]


def check_row_order(answer: Answer, x: Rows, tolerance: float = 1e-9) -> None:
    """The order of rows is irrelevant."""
    order = random_for(x).permutation(x.n)
    close(answer(made_of(x, order)), answer(x), tolerance)


def check_weights(answer: Answer, x: Rows, tolerance: float = 1e-6) -> None:
    """A weight of 2 is the row twice, and a weight of 0 is no row."""
    w = random_for(x).integers(0, 4, x.n)
    w[0] = 2
    every = np.arange(x.n)
    weighted = made_of(x, every, w)
    repeated = made_of(x, np.repeat(every, w))
    close(answer(weighted), answer(repeated), tolerance)


def check_float_types(answer: Answer, x: Rows) -> None:
    """Numbers in float32 and the same numbers in float64 give the same answer."""
    single = in_type(x, np.float32)
    double = in_type(single, np.float64)
    close(answer(single), answer(double), 1e-5)


def close(found: ArrayLike, expected: ArrayLike, tolerance: float = 1e-9) -> None:
    """Equal within a tolerance, relative and absolute."""
    np.testing.assert_allclose(
        np.asarray(found), np.asarray(expected), rtol=tolerance, atol=tolerance
    )


def random_for(x: Rows) -> np.random.Generator:
    """Random numbers that are the same for the same outcomes, and others for others."""
    outcomes = x.y if isinstance(x, View) else x.labels
    return np.random.default_rng(outcomes.astype(np.int64))


def made_of(x: Rows, rows: Ints, weights: Ints | None = None) -> Rows:
    """Some of the rows, made anew from their arrays."""
    if isinstance(x, View):
        return binary(x.p[rows], x.y[rows], weights=weights)
    make = from_logits if x.kind == "logits" else from_probs
    return make(x.values[rows], x.labels[rows], weights=weights)


def in_type(x: Rows, kind: DTypeLike) -> Rows:
    """The same rows in another float type."""
    if isinstance(x, View):
        return binary(x.p.astype(kind), x.y)
    make = from_logits if x.kind == "logits" else from_probs
    return make(x.values.astype(kind), x.labels)
