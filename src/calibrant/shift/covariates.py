"""Rows weighed as if they came from another population: importance weights for covariate shift."""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ..fitting.irls import logistic
from ..fitting.types import Array, Bools
from ..fitting.weights import counts
from ..inputs.checks import MAKE_THEM, briefly, host
from ..inputs.predictions import Predictions
from ..inputs.views import Canonical, View

Rows = TypeVar("Rows", Predictions, View, Canonical)
# So many observations of each value must be seen before it is told apart from other rare ones.
_RARE = 20
_RIDGE_ROWS = 1.0
_MOST_STRETCH = 5.0
_WITHIN = "{} must have a row for each of {}, got shape {}"


def reweighted(x: Rows, here: ArrayLike, there: ArrayLike) -> Rows:
    """The same rows, weighing as much as if they came from where `there` does.

    Any measure of them then speaks of that population: `ece(reweighted(test, ages, new_ages))`.
    `here` are columns of these rows, `there` the same columns of rows from the other population. It
    holds if outcomes depend on the columns alike in both (covariate shift) and no kind of row is
    missing here; `effective_rows` says how much is left.

    >>> from calibrant import accuracy, binary
    >>> view = binary([0.9] * 600, [1] * 200 + [0] * 400)
    >>> here, there = ["a"] * 200 + ["b"] * 400, ["a"] * 400 + ["b"] * 200
    >>> round(accuracy(reweighted(view, here, there)), 2)
    0.67
    """
    weights = importance_weights(here, there)
    if len(weights) != x.n:
        raise ValueError(_WITHIN.format("here", f"the {x.n:,} rows", host(here).shape))
    w = counts(x.w, x.n) * weights
    w *= x.total / w.sum()
    if isinstance(x, View):
        return replace(x, w=w)
    if isinstance(x, Canonical):
        return Canonical(replace(x.pred, weights=w))
    return replace(x, weights=w)


def importance_weights(here: ArrayLike, there: ArrayLike) -> Array:
    """How much more frequent rows like each of `here` are among those of `there`, of mean one.

    Columns may hold numbers or names, (n,) or (n, columns). The odds that a row is from there are
    those of a logistic regression on numbers, their squares, and names.

    >>> importance_weights(["a", "b", "b"] * 50, ["a", "a", "b"] * 50).round(1).tolist()[:2]
    [2.0, 0.5]
    """
    both = _columns(here, there)
    n_here = len(_table(here))
    features = _features(both)
    is_there = np.arange(len(features)) >= n_here
    # As many of either, so that odds are ratios of densities.
    share = np.where(is_there, 1 / is_there.sum(), 1 / n_here) * len(features) / 2
    coefficients = _regularised(features, is_there, share)
    odds = np.exp(features[:n_here] @ coefficients)
    return odds / odds.mean()


def effective_rows(x: Predictions | View) -> float:
    """How many rows of equal weight would vary as little: (sum of w)^2 / sum of w^2 (Kish 1965).

    >>> from calibrant import binary
    >>> effective_rows(binary([0.5, 0.5], [0, 1], weights=[1, 3])).__round__(3)
    1.6
    """
    if not isinstance(x, Predictions | View):
        raise ValueError(f"expected Predictions or a View, got {type(x).__name__}: {MAKE_THEM}")
    w = counts(x.w, x.n)
    return float(w.sum() ** 2 / (w @ w))


def _regularised(features: Array, y: Bools, w: Array) -> Array:
    """Logistic regression with a weak ridge, as rows that pull each column to both outcomes alike."""
    d = features.shape[1]
    ridge = np.eye(d)[1:]
    x = np.concatenate([features, ridge, ridge])
    outcomes = np.concatenate([y, np.ones(d - 1), np.zeros(d - 1)])
    weights = np.concatenate([w, np.full(2 * (d - 1), _RIDGE_ROWS)])
    best, _ = logistic(x, outcomes, weights)
    return best


def _columns(here: ArrayLike, there: ArrayLike) -> list[np.ndarray]:
    """Each column of both, one below the other."""
    one = _table(here)
    other = _table(there)
    if one.shape[1] != other.shape[1]:
        raise ValueError(
            "here and there must have the same columns, "
            f"got {one.shape[1]} and {other.shape[1]} of them"
        )
    if not len(one) or not len(other):
        raise ValueError(f"rows are needed both here and there, got {len(one)} and {len(other)}")
    return [np.concatenate([one[:, j], other[:, j]]) for j in range(one.shape[1])]


def _table(x: ArrayLike) -> Any:  # noqa: ANN401 - of numbers or of names
    array = host(x)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise ValueError(f"columns must be (n,) or (n, columns), got shape {array.shape}")
    return array


def _features(columns: list[np.ndarray]) -> Array:
    """A constant, then of each column what logistic regression takes."""
    parts = [_of_numbers(each) if _are_numbers(each) else _of_names(each) for each in columns]
    return np.concatenate([np.ones((len(columns[0]), 1)), *parts], axis=1)


def _are_numbers(column: np.ndarray) -> bool:
    if column.dtype.kind != "O":
        return column.dtype.kind in "iuf"
    return all(isinstance(each, int | float) and not isinstance(each, bool) for each in column)


def _of_numbers(column: np.ndarray) -> Array:
    """Standardised, and squared; where far off, as at the nearest value that is not."""
    x = column.astype(np.float64)
    if not np.isfinite(x).all():
        row = int((~np.isfinite(x)).argmax())
        raise ValueError(f"columns must be finite numbers or names (one holds {briefly(x[row])})")
    sd = x.std()
    z = (x - x.mean()) / sd if sd else np.zeros(len(x))
    z = np.clip(z, -_MOST_STRETCH, _MOST_STRETCH)
    return np.stack([z, z**2 - 1], axis=1)


def _of_names(column: np.ndarray) -> Array:
    """A column of 0 and 1 for each name but the rare ones."""
    _, place = np.unique(column.astype(np.str_), return_inverse=True)
    times = np.bincount(place)
    kept = np.flatnonzero(times >= min(_RARE, times.max()))
    return (place[:, None] == kept).astype(np.float64)
