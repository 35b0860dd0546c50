"""Scores of the probabilities themselves: how far each row is from what happened, on average."""

from dataclasses import replace
from typing import Literal

import numpy as np
from scipy.special import entr

from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.logspace import log_sum_exp
from ..fitting.types import Array, Outcomes
from ..fitting.weights import some, weighted_mean, weighted_sum
from ..inputs.habits import takes_one
from ..inputs.labels import are_shares
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, Scored, canonical, top_label
from ..inputs.views import Canonical, Data, View
from .averages import mean_over_questions, mean_over_views

Score = Literal["nll", "brier"]


@takes_one
def nll(x: Scored) -> float:
    """Mean negative log-likelihood, in nats: of the right class, or of the event for a view.

    Probabilities that were given are clipped at their type's eps, as in scikit-learn's `log_loss`;
    logits, and what a map gives, are scored as they are.

    >>> from calibrant import from_probs
    >>> round(nll(from_probs([[0.5, 0.5], [0.2, 0.8]], [0, 1])), 4)
    0.4581
    """
    return _mean_loss(x, "nll")


@takes_one
def brier(x: Scored) -> float:
    """Mean squared distance to what happened: summed over classes, or of a view's one chance.

    >>> from calibrant import from_probs
    >>> round(brier(from_probs([[0.5, 0.5], [0.2, 0.8]], [0, 1])), 4)
    0.29
    """
    return _mean_loss(x, "brier")


@takes_one
def top_label_brier(pred: Predictions) -> float:
    """Brier score of the question whether the top label is right."""
    return brier(top_label(pred))


@takes_one
def accuracy(x: Asked) -> float:
    """Share of rows whose top label is right; of a view's, those on the right side of one half."""
    if isinstance(x, Predictions):
        return event_rate(top_label(x))
    return mean_over_views(_accuracy, x)


@takes_one
def entropy(x: Scored) -> float:
    """Mean entropy of the claims, in nats: the NLL that they would have if they were right.

    Labels are not looked at. At the best temperature it equals the NLL (Guo et al. 2017).

    >>> from calibrant import from_probs
    >>> round(entropy(from_probs([[0.5, 0.5], [0.0, 1.0]])), 4)
    0.3466
    """

    def mean_entropy(question: View | Canonical) -> float:
        data = question.pred if isinstance(question, Canonical) else question
        return weighted_mean(row_entropies(data), question.w)

    whole = canonical(x) if isinstance(x, Predictions) else x
    return mean_over_questions(mean_entropy, whole)


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


def row_entropies(x: Data) -> Array:
    """The entropy of each row's claims, of a view's those of the event and of the rest."""
    if isinstance(x, View):
        p = x.p.astype(np.float64)
        both: Array = entr(p) + entr(1 - p)
        return both

    def entropies(rows: slice) -> Array:
        p = x[rows].probs.astype(np.float64)
        summed: Array = entr(p).sum(1)
        return summed

    blocks = row_blocks(x.n, x.k)
    return np.concatenate(on_all_cores(entropies, blocks))


def expected_loss(y: Outcomes, of_event: Array, of_rest: Array) -> Array:
    """The loss of each row: that of the event where it happened, a mean where it did in part."""
    if y.dtype == np.bool_:
        return np.where(y, of_event, of_rest)
    return y * of_event + (1 - y) * of_rest


def clip_of(given: Array, clip: float | None) -> float:
    """Where probabilities are clipped: at their type's eps, as scikit-learn's `log_loss` does."""
    if clip is None:
        return float(np.finfo(given.dtype).eps)
    return clip


def clipped_log(p: Array, least: float) -> Array:
    """Logarithms of probabilities clipped from both sides."""
    return np.log(np.clip(p, least, 1 - least))


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
    if pred.answers is not None:
        return pred.answers.moments(score).mean

    def summed(rows: slice) -> float:
        losses = _vector_losses(pred[rows], score)
        w = some(pred.weights, rows)
        return float(weighted_sum(losses, w))

    blocks = row_blocks(pred.n, pred.k)
    return sum(on_all_cores(summed, blocks)) / pred.total


def _view_losses(view: View, score: Score) -> Array:
    if score == "brier":
        p = view.p.astype(np.float64)
        return expected_loss(view.y, (1 - p) ** 2, p**2)
    if view.clip == 0:
        # log(1 + e^-z) of the log odds z, so that no digit is lost near 0 and 1.
        z = view.log_odds
        return expected_loss(view.y, np.logaddexp(0, -z), np.logaddexp(0, z))
    p = view.p.astype(np.float64)
    least = clip_of(view.p, view.clip)
    of_event = -clipped_log(p, least)
    of_rest = -clipped_log(1 - p, least)
    return expected_loss(view.y, of_event, of_rest)


def _vector_losses(pred: Predictions, score: Score) -> Array:
    if are_shares(pred.labels):
        return _expected_vector_losses(pred, score)
    rows = np.arange(pred.n)
    if score == "brier":
        gap = pred.probs.astype(np.float64)
        gap[rows, pred.labels] -= 1
        return np.einsum("ij,ij->i", gap, gap)
    right = pred.values[rows, pred.labels]
    right = right.astype(np.float64)
    if pred.kind == "probs":
        return -clipped_log(right, clip_of(pred.values, pred.clip))
    working = np.promote_types(pred.values.dtype, np.float32)
    logits = pred.values.astype(working, copy=False)
    return log_sum_exp(logits) - right


def _expected_vector_losses(pred: Predictions, score: Score) -> Array:
    """Losses of rows whose class is each of several to some share."""
    losses = []
    for k in range(pred.k):
        labels = np.full(pred.n, k)
        of_class = _vector_losses(replace(pred, known_labels=labels), score)
        losses.append(of_class)
    return np.einsum("kn,nk->n", losses, pred.labels)


def _accuracy(view: View) -> float:
    says_yes = view.p > 0.5
    share = np.where(says_yes, view.y, 1.0 - view.y)
    return weighted_mean(share, view.w)
