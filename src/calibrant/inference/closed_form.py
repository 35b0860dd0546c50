"""Intervals by formula: Wilson's for a share of rows, Student's for a mean over rows."""

from collections.abc import Callable, Hashable

import numpy as np
from scipy.special import ndtri, stdtrit

from ..fitting import weights
from ..fitting.types import Array
from ..fitting.weights import Weights, weighted_mean
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, top_label
from ..inputs.views import Data, View
from ..measures.rows import weights_of
from ..measures.scores import (
    Score,
    accuracy,
    brier,
    entropy,
    event_rate,
    mean_claim,
    nll,
    row_entropies,
    row_losses,
    top_label_brier,
)
from .measuring import Ends, Measure


def wilson(share: float, total: float, level: float) -> Ends:
    """Wilson's interval of a share of rows: it has a width even where all rows agree."""
    tail = (1 + level) / 2
    z = float(ndtri(tail))
    shrinkage = 1 + z**2 / total
    middle = share + z**2 / (2 * total)
    middle /= shrinkage
    variance = share * (1 - share) / total
    variance += z**2 / (4 * total**2)
    half = z / shrinkage * np.sqrt(variance)
    low = float(middle - half)
    high = float(middle + half)
    return max(0.0, low), min(1.0, high)


def student(x: Array, w: Weights, level: float) -> Ends:
    """Student's interval for the mean of rows, weights being counts."""
    mean = weighted_mean(x, w)
    variance = weighted_mean((x - mean) ** 2, w)
    return _student(mean, variance, weights.total(w, len(x)), level)


def _student(mean: float, variance: float, total: float, level: float) -> Ends:
    if total <= 1:
        raise ValueError(f"a mean of {total:g} rows has no interval; at least 2 are needed")
    error = np.sqrt(variance / (total - 1))
    quantile = stdtrit(total - 1, (1 + level) / 2)
    half = float(quantile * error)
    return mean - half, mean + half


def closed_form(measure: Measure, x: Asked, level: float) -> Ends | None:
    """The ends of a measure's interval by its formula, or None where it has none.

    None has the mean of several views, which are of the same rows and vary together.
    """
    if not isinstance(measure, Hashable) or not isinstance(x, Predictions | View):
        return None
    formula = CLOSED_FORMS.get(measure)
    if formula is None:
        return None
    return formula(x, level)


def _accuracy(x: Data, level: float) -> Ends:
    asked = top_label(x) if isinstance(x, Predictions) else x
    return wilson(accuracy(x), asked.total, level)


def _event_rate(view: View, level: float) -> Ends:
    return wilson(event_rate(view), view.total, level)


def _mean_claim(view: View, level: float) -> Ends:
    return student(view.p.astype(np.float64), view.w, level)


def _nll(x: Data, level: float) -> Ends:
    return _mean_score(x, "nll", level)


def _brier(x: Data, level: float) -> Ends:
    return _mean_score(x, "brier", level)


def _mean_score(x: Data, score: Score, level: float) -> Ends:
    if isinstance(x, Predictions) and x.answers is not None:
        found = x.answers.moments(score)
        return _student(found.mean, found.square - found.mean**2, x.answers.total, level)
    return student(row_losses(x, score), weights_of(x), level)


def _entropy(x: Data, level: float) -> Ends:
    return student(row_entropies(x), weights_of(x), level)


def _top_label_brier(pred: Predictions, level: float) -> Ends:
    return _brier(top_label(pred), level)


CLOSED_FORMS: dict[Hashable, Callable[..., Ends]] = {
    accuracy: _accuracy,
    event_rate: _event_rate,
    mean_claim: _mean_claim,
    nll: _nll,
    brier: _brier,
    entropy: _entropy,
    top_label_brier: _top_label_brier,
}
