"""Rows as measures take them: with weights of their own, in an order that does not matter."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..fitting.types import Array, Ints, Rows
from ..fitting.weights import Weights, counts, some
from ..inputs.labels import are_shares
from ..inputs.predictions import Predictions
from ..inputs.views import Data, View

OneSort = TypeVar("OneSort", Predictions, View, Predictions | View)


def weights_of(x: Data) -> Weights:
    """The weights of predictions or of a view."""
    if isinstance(x, Predictions):
        return x.weights
    return x.w


def counts_at(w: Weights, rows: Ints) -> Array:
    """The weights of some rows, ones where they are None."""
    return counts(some(w, rows), len(rows))


def whole_counts(w: Array) -> Ints:
    """Weights rounded to whole counts, each of one row at least."""
    rounded = np.rint(w)
    return np.maximum(rounded, 1).astype(np.int64)


def sorted_rows(xs: Sequence[OneSort]) -> list[OneSort]:
    """Rows of all in one order, by claim and by outcome, so that the order given plays no part."""
    first = xs[0]
    keys: list[NDArray[Any]] = []
    keys.append(counts(weights_of(first), first.n))
    for x in reversed(xs):
        keys += _sort_keys(x)
    order = np.lexsort(tuple(keys))
    return [_in_order(x, order) for x in xs]


def _sort_keys(x: Data) -> list[NDArray[Any]]:
    """What rows are sorted by, the most important last."""
    if isinstance(x, View):
        return [x.y, x.log_odds, x.p]
    columns = x.values.T
    outcomes = x.labels.T[::-1] if are_shares(x.labels) else [x.labels]
    return [*columns[::-1], *outcomes]


def _in_order(x: OneSort, order: Ints) -> OneSort:
    if isinstance(x, Predictions):
        return x[order]
    # A view's log odds are worked out once, not in every replicate.
    log_odds = x.log_odds[order]

    def known(rows: Rows, floor: float) -> Array:  # noqa: ARG001 - worked out under x's
        return log_odds[rows]

    return replace(x[order], exact_log_odds=known)
