"""Scores against scikit-learn and their own formulas."""

import numpy as np
import pytest
from shared_claims import claims
from sklearn.metrics import brier_score_loss, log_loss

from calibrant import (
    accuracy,
    binary,
    brier,
    canonical,
    classwise,
    from_logits,
    from_probs,
    nll,
    top_label,
    top_label_brier,
)
from calibrant.measures.scores import row_losses

R = np.random.default_rng(0)
PRED = from_logits(R.normal(0, 2, (500, 4)), R.integers(0, 4, 500), weights=R.integers(1, 4, 500))
P, Y, W = R.beta(2, 2, 500), R.random(500) < 0.6, R.integers(1, 4, 500)
VIEW = binary(P, Y, weights=W)


def test_log_loss_and_brier_against_scikit_learn() -> None:
    assert nll(PRED) == pytest.approx(log_loss(PRED.labels, PRED.probs, sample_weight=PRED.weights))
    assert nll(VIEW) == pytest.approx(log_loss(Y, P, sample_weight=W))
    assert brier(VIEW) == pytest.approx(brier_score_loss(Y, P, sample_weight=W))
    one_hot = np.eye(4)[PRED.labels]
    assert brier(PRED) == pytest.approx(
        np.average(((PRED.probs - one_hot) ** 2).sum(1), weights=PRED.weights)
    )
    assert nll(canonical(PRED)) == nll(PRED)
    assert nll(from_probs(PRED.probs, PRED.labels, weights=PRED.weights)) == pytest.approx(
        nll(PRED)
    )


def test_views_of_predictions() -> None:
    assert top_label_brier(PRED) == brier(top_label(PRED))
    assert nll(classwise(PRED)) == pytest.approx(np.mean([nll(view) for view in classwise(PRED)]))
    assert accuracy(PRED) == pytest.approx(
        np.average(PRED.probs.argmax(1) == PRED.labels, weights=PRED.weights)
    )
    assert accuracy(VIEW) == pytest.approx(np.average((P > 0.5) == Y, weights=W))


def test_losses_far_from_one_half_are_exact() -> None:
    assert nll(from_logits([[1e4, 0.0]], [1])) == 1e4
    assert nll(top_label(from_logits([[1e4, 0.0]], [1]))) == 1e4
    assert nll(from_logits([[50.0, 0.0]], [0])) == pytest.approx(np.exp(-50), rel=1e-3, abs=1e-16)
    assert np.isfinite(nll(from_probs([[0.0, 1.0]], [0])))


def test_row_losses_average_to_the_scores() -> None:
    pred = from_logits(R.normal(size=(50, 3)), R.integers(0, 3, 50))
    for x in (pred, claims(50)):
        assert row_losses(x, "nll").mean() == pytest.approx(nll(x))
        assert row_losses(x, "brier").mean() == pytest.approx(brier(x))
