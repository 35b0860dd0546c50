"""What holds of every answer asked of rows, be it a map's chances, a measure's number or a view."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from calibrant import Predictions, View, binary, from_logits, from_probs
from calibrant.fitting.types import Array, Ints, Values

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


def check_shares(answer: Answer, x: Rows, tolerance: float = 1e-6) -> None:
    """A share as outcome is a row for each outcome, with the share as its weight."""
    shares = shared_outcomes(x)
    n, k = shares.shape
    rows = np.repeat(np.arange(n), k)
    places = np.tile(np.arange(k), n)
    apart = made_of(x, rows, shares.ravel(), places)
    close(answer(with_shares(x, shares)), answer(apart), tolerance)


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


def made_of(
    x: Rows, rows: Ints, weights: Values | None = None, outcomes: Values | None = None
) -> Rows:
    """Some of the rows, made anew from their arrays, or with other outcomes."""
    if isinstance(x, View):
        y = x.y[rows] if outcomes is None else outcomes
        return binary(x.p[rows], y, weights=weights)
    make = from_logits if x.kind == "logits" else from_probs
    labels = x.labels[rows] if outcomes is None else outcomes
    return make(x.values[rows], labels, weights=weights)


def shared_outcomes(x: Rows) -> Array:
    """Shares of each outcome, (n, k) or (n, 2): halves, quarters and some that are whole."""
    random = random_for(x)
    k = 2 if isinstance(x, View) else x.k
    votes = random.integers(0, k, (x.n, 4))
    return (votes[:, :, None] == np.arange(k)).mean(1)


def with_shares(x: Rows, shares: Array) -> Rows:
    """The rows with shares as their outcomes."""
    outcomes = shares[:, 1] if isinstance(x, View) else shares
    return made_of(x, np.arange(x.n), outcomes=outcomes)


def in_type(x: Rows, kind: DTypeLike) -> Rows:
    """The same rows in another float type."""
    if isinstance(x, View):
        return binary(x.p.astype(kind), x.y)
    make = from_logits if x.kind == "logits" else from_probs
    return make(x.values.astype(kind), x.labels)
