"""The kernel error of whole vectors against a loop over pairs, and its test against models that are right."""

import sys

import numpy as np
import pytest
from shared_terminal import Terminal

from calibrant import Predictions, binary, canonical, from_logits, from_probs, skce
from calibrant.measures import skce as kernel_vectors
from calibrant.measures.mmce import Estimator
from calibrant.measures.skce import sign_flips

ESTIMATORS: list[Estimator] = ["unbiased", "biased", "block"]


def _pairs(pred: Predictions) -> tuple[float, float]:
    """Sums over pairs of different rows, and over each with itself."""
    p, missed = pred.probs.astype(float), np.eye(pred.k)[pred.labels] - pred.probs
    apart = itself = 0.0
    for i in range(pred.n):
        for j in range(pred.n):
            alike = np.exp(-8 * np.square(p[i] - p[j]).sum()) * (missed[i] @ missed[j])
            apart, itself = (apart, itself + alike) if i == j else (apart + alike, itself)
    return apart, itself


def _drawn(n: int, k: int, seed: int, power: float = 1.0) -> Predictions:
    """Vectors that are right, or by a power too bold."""
    random = np.random.default_rng(seed)
    p = random.dirichlet(np.full(k, 0.5), n)
    labels = (p.cumsum(1) < random.random((n, 1))).sum(1).clip(0, k - 1)
    return from_probs(p**power / (p**power).sum(1, keepdims=True), labels)


@pytest.mark.parametrize("rows", [7, 1024])
@pytest.mark.parametrize("k", [2, 3, 10])
def test_vectors_against_a_loop_over_pairs(
    k: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_vectors, "_ROWS", rows)
    pred = _drawn(40, k, seed=k, power=2.0)
    apart, itself = _pairs(pred)
    assert skce(canonical(pred)) == pytest.approx(apart / (40 * 39), abs=1e-14)
    assert skce(canonical(pred), estimator="biased") == pytest.approx(
        (apart + itself) / 40**2, abs=1e-14
    )
    assert skce(canonical(pred), estimator="block", block=40) == pytest.approx(
        apart / (40 * 39), abs=1e-14
    )


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_order_repetition_and_types(estimator: Estimator) -> None:
    random = np.random.default_rng(0)
    logits, labels, w = (
        random.normal(0, 2, (150, 4)),
        random.integers(0, 4, 150),
        random.integers(0, 4, 150),
    )
    rows, order = np.repeat(np.arange(150), w), random.permutation(150)
    plain = from_logits(logits, labels)
    weighted = skce(canonical(from_logits(logits, labels, weights=w)), estimator=estimator)
    assert weighted == pytest.approx(skce(canonical(plain[rows]), estimator=estimator), abs=1e-14)
    found = skce(canonical(plain), estimator=estimator)
    assert skce(canonical(plain[order]), estimator=estimator) == pytest.approx(found, abs=1e-14)
    single = canonical(from_logits(logits.astype(np.float32), labels))
    assert skce(single, estimator=estimator) == pytest.approx(found, abs=1e-5)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_extremes(estimator: Estimator) -> None:
    certain = from_probs([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0, 1, 2])
    assert skce(canonical(certain), estimator=estimator) == 0
    one = canonical(from_probs([[0.5, 0.25, 0.25]], [0]))
    assert skce(one, estimator=estimator) == (0.375 if estimator == "biased" else 0)
    far = canonical(from_logits([[1e4, -1e4, 0.0], [0.0, 1e4, -1e4], [-1e4, 0.0, 1e4]], [0, 0, 2]))
    assert np.isfinite(skce(far, estimator=estimator))
    assert np.isfinite(skce(canonical(_drawn(50, 1000, seed=1)), estimator=estimator))


def test_signs_give_the_error_and_copies_flip_apart() -> None:
    pred = _drawn(60, 3, seed=2, power=2.0)
    seen, flipped = sign_flips(canonical(pred), 500, seed=0)
    assert seen == pytest.approx(skce(canonical(pred)), abs=1e-14)
    assert flipped.mean() == pytest.approx(0, abs=4 * flipped.std() / np.sqrt(500))
    shuffled = sign_flips(canonical(pred[np.random.default_rng(0).permutation(60)]), 500, seed=0)[1]
    np.testing.assert_allclose(shuffled, flipped, atol=1e-14)
    w = np.full(60, 3)
    weighted = sign_flips(canonical(from_probs(pred.probs, pred.labels, weights=w)), 2000, seed=0)[
        1
    ]
    repeated = sign_flips(canonical(pred[np.repeat(np.arange(60), w)]), 2000, seed=1)[1]
    assert weighted.std() == pytest.approx(repeated.std(), rel=0.1)
    assert (sign_flips(canonical(pred[:1]), 100, seed=0)[1] == 0).all()


def test_signs_reject_as_often_as_said_and_find_what_is_too_bold() -> None:
    def p_value(seed: int, n: int, power: float) -> float:
        seen, flipped = sign_flips(canonical(_drawn(n, 4, seed, power)), 99, seed)
        return float((1 + (flipped >= seen).sum()) / 100)

    right = np.array([p_value(seed, 150, 1.0) for seed in range(400)])
    # Four standard errors of a share of 400.
    for level in (0.05, 0.2, 0.5):
        assert (right <= level).mean() == pytest.approx(
            level, abs=4 * np.sqrt(level * (1 - level) / 400)
        )
    assert np.mean([p_value(seed, 250, 2.0) <= 0.05 for seed in range(50)]) > 0.9


def test_pairs_of_vectors_show_progress_and_chances_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    skce(binary([0.2, 0.7], [0, 1]))
    assert not screen.getvalue()
    skce(canonical(_drawn(30, 3, seed=0)))
    assert "pairs of rows" in screen.getvalue()
