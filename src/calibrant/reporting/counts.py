"""How many rows there are, and how many of each class, whether rows or sums of them are at hand."""

from ..fitting.types import Array
from ..inputs.labels import class_totals
from ..inputs.predictions import Predictions
from ..inputs.views import Data, View


def row_count(x: Data) -> int:
    """How many rows were measured."""
    if isinstance(x, View):
        return x.n if x.pooled_rows is None else x.pooled_rows
    return x.n if x.answers is None else x.answers.n


def has_weights(x: Data) -> bool:
    """Whether rows stand for more or less than one observation."""
    if isinstance(x, View):
        return x.w is not None and x.pooled_rows is None
    if x.answers is None:
        return x.weights is not None
    return x.answers.total != x.answers.n


def observations(x: Data) -> float:
    """How many observations the rows stand for."""
    if isinstance(x, Predictions) and x.answers is not None:
        return x.answers.total
    return x.total


def class_counts(pred: Predictions) -> Array:
    """How many observations each class has."""
    if pred.answers is not None:
        return pred.answers.occurred
    return class_totals(pred.labels, pred.weights, pred.k)
