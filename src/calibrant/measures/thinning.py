"""Fewer rows, for what would take too long of all."""

import numpy as np

from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.types import Array
from ..inputs.predictions import Predictions
from .rows import sorted_rows


def thinned(pred: Predictions, n: int) -> Predictions:
    """At most n of the rows, evenly out of all, whatever their order.

    >>> from calibrant import from_probs
    >>> thinned(from_probs([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1]), 2).n
    2
    """
    if pred.n <= n:
        return pred
    order = np.argsort(_mixed(pred), kind="stable")
    places = np.linspace(0, pred.n, n, endpoint=False).astype(np.intp)
    (rows,) = sorted_rows([pred[order[places]]])
    return rows


def _mixed(pred: Predictions) -> Array:
    """A number for each row, by its claims, outcome and weight, that hardly any other row has."""
    random = np.random.default_rng(0)
    of_claims, of_labels = random.normal(size=(2, pred.k))

    def mixed(rows: slice) -> Array:
        values = pred.values[rows].astype(np.float64)
        found: Array = np.einsum("ij,j->i", values, of_claims)
        labels = pred.labels[rows]
        found += labels @ of_labels if labels.ndim == 2 else of_labels[labels]
        if pred.weights is not None:
            found += np.sin(pred.weights[rows])
        return found

    return np.concatenate(on_all_cores(mixed, row_blocks(pred.n, pred.k)))
