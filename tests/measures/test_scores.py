"""Scores against scikit-learn and their own formulas."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss

from calibrant import (
    Isotonic,
    accuracy,
    binary,
    brier,
    canonical,
    classwise,
    decompose,
    from_logits,
    from_probs,
    nll,
    observed_expected,
    slope_intercept,
    top_label,
    top_label_brier,
)

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


def test_slope_and_intercept_against_scikit_learn() -> None:
    peer = LogisticRegression(C=np.inf, tol=1e-10).fit(
        np.log(P / (1 - P))[:, None], Y, sample_weight=W
    )
    line = slope_intercept(VIEW)
    assert line.slope == pytest.approx(peer.coef_[0, 0], abs=1e-5)
    assert line.intercept == pytest.approx(peer.intercept_[0], abs=1e-5)


def test_a_slope_below_one_means_claims_too_extreme() -> None:
    z = R.normal(0, 2, 20_000)
    y = R.random(20_000) < 1 / (1 + np.exp(-z / 2))
    assert slope_intercept(binary(1 / (1 + np.exp(-z)), y)).slope == pytest.approx(0.5, abs=0.03)


def test_observed_over_expected() -> None:
    assert observed_expected(VIEW) == pytest.approx((W @ Y) / (W @ P))
    with pytest.raises(ValueError, match="needs claims above 0"):
        observed_expected(binary([0.0, 0.0], [1, 0]))


@pytest.mark.parametrize("score", ["brier", "log"])
def test_the_parts_make_up_the_score(score: str) -> None:
    parts = decompose(VIEW, score=score)  # type: ignore[arg-type]
    whole = brier(VIEW) if score == "brier" else nll(VIEW)
    assert parts.miscalibration - parts.discrimination + parts.uncertainty == pytest.approx(whole)
    assert min(parts) >= 0
    base = np.average(Y, weights=W)
    expected = (
        base * (1 - base)
        if score == "brier"
        else -base * np.log(base) - (1 - base) * np.log(1 - base)
    )
    assert parts.uncertainty == pytest.approx(expected)


def test_miscalibration_is_what_isotonic_regression_would_gain() -> None:
    q = Isotonic().fit(VIEW)(VIEW)
    assert decompose(VIEW).miscalibration == pytest.approx(
        brier(VIEW) - np.average((q - Y) ** 2, weights=W)
    )


@pytest.mark.parametrize(
    ("p", "y", "why"),
    [
        ([0.2, 0.7], [1, 1], "every outcome is the same"),
        ([0.3, 0.3], [1, 0], "all claims are the same"),
        ([0.2, 0.7, 0.9], [0, 1, 1], "one threshold parts the outcomes"),
        ([0.2, 0.7, 0.9], [1, 0, 0], "one threshold parts the outcomes"),
    ],
)
def test_a_line_that_no_outcomes_settle_is_refused(p: list[float], y: list[int], why: str) -> None:
    with pytest.raises(ValueError, match=f"no slope and intercept fit best: {why}"):
        slope_intercept(binary(p, y))
