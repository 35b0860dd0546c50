"""Scores against scikit-learn and their own formulas."""

import warnings

import numpy as np
import pytest
from numpy.typing import DTypeLike
from shared_claims import claims
from sklearn.metrics import brier_score_loss, log_loss

from calibrant import (
    Identity,
    Isotonic,
    Temperature,
    accuracy,
    binary,
    brier,
    canonical,
    classwise,
    entropy,
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


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("k", [2, 5])
def test_zeros_cost_what_they_cost_in_scikit_learn(kind: DTypeLike, k: int) -> None:
    random = np.random.default_rng(k)
    probs = random.dirichlet(np.full(k, 0.2), 300)
    probs[probs < 0.01] = 0
    probs /= probs.sum(1, keepdims=True)
    probs = probs.astype(kind)
    labels, w = random.integers(0, k, 300), random.integers(1, 4, 300)
    assert (probs[np.arange(300), labels] == 0).any()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sums of float32 are one to 1e-7
        expected = log_loss(labels, probs, sample_weight=w, labels=np.arange(k))
    assert nll(from_probs(probs, labels, weights=w)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_certain_claims_cost_what_they_cost_in_scikit_learn(kind: DTypeLike) -> None:
    p = np.array([0, 0, 1, 1, 1e-9, 1 - 1e-9, 0.3, 1e-30], kind)
    y = np.array([0, 1, 0, 1, 1, 0, 1, 1])
    assert nll(binary(p, y)) == pytest.approx(log_loss(y, p), rel=1e-7)
    assert nll(from_probs(p, y)) == pytest.approx(log_loss(y, p), rel=1e-7)


def test_what_a_map_gives_is_scored_in_log_space() -> None:
    view = binary(np.full(1000, 1e-20), np.arange(1000) == 0)
    fitted = Isotonic().fit(binary([1e-20] * 1000 + [1.0], [0] * 1001))
    clipped = -np.log(np.finfo(float).eps)
    assert nll(view) == pytest.approx(clipped / 1000, rel=1e-6)
    # A map that says 0 is not spared as a given 0 is: the least normal float32 is what it says.
    assert fitted([1e-20]) == 0
    assert nll(fitted.apply(view)) == pytest.approx(-np.log(np.finfo(np.float32).tiny) / 1000)
    logits = from_logits([[0.0, 60.0]], [0])
    assert nll(Identity().fit(logits).apply(logits)) == pytest.approx(60)


def test_shares_cost_the_mean_of_what_their_classes_cost() -> None:
    shares = R.dirichlet(np.full(4, 0.5), 500)
    for make, values in ((from_logits, PRED.values), (from_probs, PRED.probs)):
        pred = make(values, shares, weights=PRED.weights)
        expected = -(shares * PRED.log_probs).sum(1)
        assert nll(pred) == pytest.approx(np.average(expected, weights=PRED.weights))
        squares = np.square(PRED.probs[:, None] - np.eye(4)).sum(2)
        expected = (shares * squares).sum(1)
        assert brier(pred) == pytest.approx(np.average(expected, weights=PRED.weights))
    y = shares[:, 0]
    view = binary(P, y, weights=W)
    losses = -(y * np.log(P) + (1 - y) * np.log(1 - P))
    assert nll(view) == pytest.approx(np.average(losses, weights=W))
    assert accuracy(view) == pytest.approx(np.average(np.where(P > 0.5, y, 1 - y), weights=W))


def test_entropy_against_its_formula() -> None:
    summed = -(PRED.probs * PRED.log_probs).sum(1)
    assert entropy(PRED) == pytest.approx(np.average(summed, weights=PRED.weights))
    assert entropy(canonical(PRED)) == entropy(PRED)
    both = -(P * np.log(P) + (1 - P) * np.log(1 - P))
    assert entropy(VIEW) == pytest.approx(np.average(both, weights=W))
    views = classwise(PRED)
    assert entropy(views) == pytest.approx(np.mean([entropy(view) for view in views]))


def test_entropy_of_certain_claims_is_0_and_of_even_ones_log_k() -> None:
    assert entropy(from_logits([[1e4, 0.0, -1e4]])) == 0
    assert entropy(from_probs([[0.0, 1.0]])) == 0
    assert entropy(from_logits(np.zeros((3, 7)))) == pytest.approx(np.log(7))


def test_at_the_best_temperature_entropy_is_the_nll() -> None:
    tempered = Temperature().fit(PRED).apply(PRED)
    assert entropy(tempered) == pytest.approx(nll(tempered), abs=1e-6)
