"""The squared kernel error against loops over pairs and the published table."""

import sys
from itertools import product

import numpy as np
import pytest
from shared_terminal import Terminal

from calibrant import Predictions, binary, canonical, classwise, from_logits, from_probs, skce
from calibrant.measures import vector_pairs
from calibrant.measures.skce import Estimator
from calibrant.simulate import ERRORS, Shape, task

ESTIMATORS: list[Estimator] = ["unbiased", "biased", "block"]


def _chance_pairs(p: np.ndarray, y: np.ndarray) -> float:
    n, total = len(p), 0.0
    for i in range(n):
        for j in range(n):
            if i != j:
                total += np.exp(-((p[i] - p[j]) ** 2) / 2) * (y[i] - p[i]) * (y[j] - p[j])
    return 2 * (1 - np.exp(-0.5)) * total / (n * (n - 1))


@pytest.mark.parametrize("decimals", [1, 9])
def test_skce_against_a_loop_over_chance_pairs(decimals: int) -> None:
    random = np.random.default_rng(0)
    p = np.append(random.random(60).round(decimals), [0, 0, 1, 1])
    y = (random.random(64) < 0.4).astype(float)
    assert skce(binary(p, y)) == pytest.approx(_chance_pairs(p, y), abs=1e-14)
    w = random.integers(0, 4, 64)
    assert skce(binary(p, y, weights=w)) == pytest.approx(
        _chance_pairs(np.repeat(p, w), np.repeat(y, w)), abs=1e-14
    )
    assert skce(binary(p[::-1], y[::-1])) == pytest.approx(skce(binary(p, y)), abs=1e-15)


def test_skce_of_one_row_and_of_several_views() -> None:
    assert skce(binary([0.3], [1])) == 0
    random = np.random.default_rng(1)
    views = classwise(from_logits(random.normal(0, 2, (100, 3)), random.integers(0, 3, 100)))
    assert skce(views) == pytest.approx(np.mean([skce(view) for view in views]))


def test_skce_has_no_bias() -> None:
    random = np.random.default_rng(0)
    p = random.random(30)
    found = [skce(binary(p, random.random(30) < p)) for _ in range(2000)]
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(2000)


@pytest.mark.parametrize(("shape", "printed"), [("square", 1.62), ("beta1", 4.00)])
def test_skce_against_the_published_table(shape: Shape, printed: float) -> None:
    # Kängsepp et al. 2022, Table F22, column KCE; benchmarks/synthetic.py takes all five shapes.
    away = []
    for error, n, seed in product(ERRORS, (1000, 3000, 10000), range(5)):
        view, truth = task(shape, error).sample(n, seed)
        away.append(abs(skce(view) - np.square(view.p - truth).mean()))
    assert round(1000 * np.mean(away), 2) == printed


def test_biased_skce_pairs_each_row_with_itself() -> None:
    random = np.random.default_rng(2)
    p, y = random.random(50), random.random(50) < 0.5
    itself = 2 * (1 - np.exp(-0.5)) * np.square(y - p).sum()
    expected = (_chance_pairs(p, y) * 50 * 49 + itself) / 50**2
    assert skce(binary(p, y), estimator="biased") == pytest.approx(expected, abs=1e-14)
    assert skce(binary([0.3], [1]), estimator="biased") == pytest.approx(
        2 * (1 - np.exp(-0.5)) * 0.49
    )


def test_blocks_are_unbiased_and_one_block_of_all_is_all() -> None:
    random = np.random.default_rng(3)
    p, y = random.random(40), random.random(40) < 0.7
    view = binary(p, y)
    assert skce(view, estimator="block", block=40) == pytest.approx(skce(view), abs=1e-14)
    found = [skce(view, estimator="block", block=3, seed=seed) for seed in range(2000)]
    assert np.mean(found) == pytest.approx(skce(view), abs=4 * float(np.std(found)) / np.sqrt(2000))
    assert len(set(found)) > 1000


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_estimators_know_neither_order_nor_repetition(estimator: Estimator) -> None:
    random = np.random.default_rng(4)
    p, y, w = random.random(90).round(1), random.random(90) < 0.4, random.integers(0, 4, 90)
    order = random.permutation(90)
    weighted, repeated = binary(p, y, weights=w), binary(np.repeat(p, w), np.repeat(y, w))
    assert skce(weighted, estimator=estimator) == pytest.approx(
        skce(repeated, estimator=estimator), abs=1e-14
    )
    found = skce(binary(p, y), estimator=estimator)
    assert skce(binary(p[order], y[order]), estimator=estimator) == pytest.approx(found, abs=1e-14)


def test_other_estimators_blocks_and_weights_are_refused() -> None:
    view = binary([0.2, 0.4], [0, 1], weights=[0.5, 1])
    with pytest.raises(
        ValueError, match="estimator must be 'unbiased' or 'biased' or 'block', got 'linear'"
    ):
        skce(view, estimator="linear")  # type: ignore[arg-type]
    for block in (1, 2.5):
        with pytest.raises(
            ValueError, match=f"block must be a whole number of rows, at least 2, got {block}"
        ):
            skce(view, block=block)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='whole counts; use estimator="unbiased"'):
        skce(view, estimator="block")


def _vector_pairs(pred: Predictions) -> tuple[float, float]:
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
def test_vectors_against_a_loop_over_vector_pairs(
    k: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_pairs, "_ROWS", rows)
    pred = _drawn(40, k, seed=k, power=2.0)
    apart, itself = _vector_pairs(pred)
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


def test_pairs_of_vectors_show_progress_and_chances_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    skce(binary([0.2, 0.7], [0, 1]))
    assert not screen.getvalue()
    skce(canonical(_drawn(30, 3, seed=0)))
    assert "pairs of rows" in screen.getvalue()


@pytest.mark.parametrize("n", [2, 40])
def test_a_fractional_outcome_is_one_row(n: int) -> None:
    random = np.random.default_rng(n)
    p = random.random(n).round(1)
    y = random.random(n)
    w = random.integers(0, 3, n)
    w[0] = 2
    assert skce(binary(p, y)) == pytest.approx(_chance_pairs(p, y), abs=1e-14)
    repeated = _chance_pairs(np.repeat(p, w), np.repeat(y, w))
    assert skce(binary(p, y, weights=w)) == pytest.approx(repeated, abs=1e-14)
    assert skce(binary(p, y), estimator="block", block=n) == pytest.approx(
        _chance_pairs(p, y), abs=1e-14
    )


def test_a_row_of_shares_of_classes_is_one_row() -> None:
    random = np.random.default_rng(0)
    probs, shares = random.dirichlet([1, 1, 1], (2, 30))
    total = 0.0
    for i, j in product(range(30), range(30)):
        if i != j:
            kernel = np.exp(-8 * np.square(probs[i] - probs[j]).sum())
            total += kernel * (shares[i] - probs[i]) @ (shares[j] - probs[j])
    pred = from_probs(probs, shares)
    assert skce(canonical(pred)) == pytest.approx(total / (30 * 29), abs=1e-14)


def test_fractional_outcomes_of_a_calibrated_model_have_a_mean_of_zero() -> None:
    random = np.random.default_rng(0)
    p = random.random(50)
    unbiased, biased = [], []
    for _ in range(400):
        view = binary(p, random.binomial(4, p) / 4)
        unbiased.append(skce(view))
        biased.append(skce(view, estimator="biased"))
    error = np.std(unbiased) / 20
    assert abs(np.mean(unbiased)) < 4 * error
    assert np.mean(biased) > 10 * error
