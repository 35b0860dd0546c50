"""Scores of the probabilities themselves: how far each row is from what happened, on average."""

from typing import Literal

import numpy as np

from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.logspace import floored_log, log_sum_exp
from ..fitting.types import Array
from ..fitting.weights import some, weighted_mean, weighted_sum
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, Scored, top_label
from ..inputs.views import Canonical, Data, View
from .averages import mean_over_views

Score = Literal["nll", "brier"]


def nll(x: Scored) -> float:
    """Mean negative log-likelihood, in nats: of the right class, or of the event for a view.

    >>> from calibrant import from_probs
    >>> round(nll(from_probs([[0.5, 0.5], [0.2, 0.8]], [0, 1])), 4)
    0.4581
    """
    return _mean_loss(x, "nll")


def brier(x: Scored) -> float:
    """Mean squared distance to what happened: summed over classes, or of a view's one chance.

    >>> from calibrant import from_probs
    >>> round(brier(from_probs([[0.5, 0.5], [0.2, 0.8]], [0, 1])), 4)
    0.29
    """
    return _mean_loss(x, "brier")


def top_label_brier(pred: Predictions) -> float:
    """Brier score of the question whether the top label is right."""
    return brier(top_label(pred))


def accuracy(x: Asked) -> float:
    """Share of rows whose top label is right; of a view's, those on the right side of one half."""
    if isinstance(x, Predictions):
        return event_rate(top_label(x))
    return mean_over_views(_accuracy, x)


def event_rate(view: View) -> float:
    """How often the event happened."""
    return weighted_mean(view.y, view.w)


def mean_claim(view: View) -> float:
    """The chance claimed on average."""
    p = view.p.astype(np.float64)
    return weighted_mean(p, view.w)


def row_losses(x: Data, score: Score) -> Array:
    """The NLL or the Brier score of each row."""
    if isinstance(x, View):
        return _view_losses(x, score)

    def losses(rows: slice) -> Array:
        return _vector_losses(x[rows], score)

    blocks = row_blocks(x.n, x.k)
    return np.concatenate(on_all_cores(losses, blocks))


def _mean_loss(x: Scored, score: Score) -> float:
    if isinstance(x, Canonical):
        return _mean_vector_loss(x.pred, score)
    if isinstance(x, Predictions):
        return _mean_vector_loss(x, score)

    def mean_loss(view: View) -> float:
        losses = _view_losses(view, score)
        return weighted_mean(losses, view.w)

    return mean_over_views(mean_loss, x)


def _mean_vector_loss(pred: Predictions, score: Score) -> float:
    def summed(rows: slice) -> float:
        losses = _vector_losses(pred[rows], score)
        w = some(pred.weights, rows)
        return float(weighted_sum(losses, w))

    blocks = row_blocks(pred.n, pred.k)
    return sum(on_all_cores(summed, blocks)) / pred.total


def _view_losses(view: View, score: Score) -> Array:
    if score == "brier":
        p = view.p.astype(np.float64)
        return (p - view.y) ** 2
    # log(1 + e^-z) of the log odds z of what happened, so that no digit is lost near 0 and 1.
    z = view.log_odds
    z_against = np.where(view.y, -z, z)
    return np.logaddexp(0, z_against)


def _vector_losses(pred: Predictions, score: Score) -> Array:
    rows = np.arange(pred.n)
    if score == "brier":
        gap = pred.probs.astype(np.float64)
        gap[rows, pred.labels] -= 1
        return np.einsum("ij,ij->i", gap, gap)
    right = pred.values[rows, pred.labels]
    right = right.astype(np.float64)
    if pred.kind == "probs":
        return -floored_log(right)
    working = np.promote_types(pred.values.dtype, np.float32)
    logits = pred.values.astype(working, copy=False)
    return log_sum_exp(logits) - right


def _accuracy(view: View) -> float:
    says_yes = view.p > 0.5
    is_right = says_yes == view.y
    return weighted_mean(is_right, view.w)
