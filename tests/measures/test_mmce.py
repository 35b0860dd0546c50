"""Kernel errors against loops over pairs, and against the published table."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from calibrant import View, binary, canonical, classwise, from_logits, skce, top_label
from calibrant.measures.mmce import Estimator, mmce, weighted_mmce
from calibrant.simulate import ERRORS, Shape, task

ESTIMATORS: list[Estimator] = ["unbiased", "biased", "block"]


def _pairs(p: np.ndarray, y: np.ndarray) -> float:
    n, total = len(p), 0.0
    for i in range(n):
        for j in range(n):
            if i != j:
                total += np.exp(-((p[i] - p[j]) ** 2) / 2) * (y[i] - p[i]) * (y[j] - p[j])
    return 2 * (1 - np.exp(-0.5)) * total / (n * (n - 1))


@pytest.mark.parametrize("decimals", [1, 9])
def test_skce_against_a_loop_over_pairs(decimals: int) -> None:
    random = np.random.default_rng(0)
    p = np.append(random.random(60).round(decimals), [0, 0, 1, 1])
    y = (random.random(64) < 0.4).astype(float)
    assert skce(binary(p, y)) == pytest.approx(_pairs(p, y), abs=1e-14)
    w = random.integers(0, 4, 64)
    assert skce(binary(p, y, weights=w)) == pytest.approx(
        _pairs(np.repeat(p, w), np.repeat(y, w)), abs=1e-14
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
    # Paper 004, Table F22, column KCE; benchmarks/synthetic.py takes all five shapes.
    away = []
    for error, n, seed in product(ERRORS, (1000, 3000, 10000), range(5)):
        view, truth = task(shape, error).sample(n, seed)
        away.append(abs(skce(view) - np.square(view.p - truth).mean()))
    assert round(1000 * np.mean(away), 2) == printed


def test_biased_skce_pairs_each_row_with_itself() -> None:
    random = np.random.default_rng(2)
    p, y = random.random(50), random.random(50) < 0.5
    itself = 2 * (1 - np.exp(-0.5)) * np.square(y - p).sum()
    expected = (_pairs(p, y) * 50 * 49 + itself) / 50**2
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


def _laplacian(p: np.ndarray, mass: np.ndarray) -> float:
    return float(np.sqrt(mass @ np.exp(-np.abs(np.subtract.outer(p, p)) / 0.4) @ mass))


def _dense_mmce(p: np.ndarray, y: np.ndarray) -> float:
    return _laplacian(p, (y - p) / len(p))


def _dense_weighted(p: np.ndarray, y: np.ndarray) -> float:
    k = np.exp(-np.abs(np.subtract.outer(p, p)) / 0.4)
    n1, n0 = max(y.sum(), 1), max((~y).sum(), 1)
    wrong, right = np.where(y, 0, p), np.where(y, 1 - p, 0)
    total = (
        wrong @ k @ wrong / n0**2 + right @ k @ right / n1**2 - 2 * right @ k @ wrong / (n0 * n1)
    )
    return float(np.sqrt(max(0, total)))


each_mmce = pytest.mark.parametrize(
    ("measure", "dense"), [(mmce, _dense_mmce), (weighted_mmce, _dense_weighted)]
)


@each_mmce
@pytest.mark.parametrize("decimals", [1, 9])
def test_mmce_against_all_pairs(
    measure: Callable[[View], float],
    dense: Callable[[np.ndarray, np.ndarray], float],
    decimals: int,
) -> None:
    random = np.random.default_rng(0)
    p = np.append(random.random(500).round(decimals), [0, 0, 1, 1])
    y = random.random(504) < p**2
    assert measure(binary(p, y)) == pytest.approx(dense(p, y), abs=1e-12)
    assert measure(binary(p[::-1], y[::-1])) == measure(binary(p, y))
    w = random.integers(0, 4, 504)
    assert measure(binary(p, y, weights=w)) == pytest.approx(
        dense(np.repeat(p, w), np.repeat(y, w)), abs=1e-12
    )
    single = p.astype(np.float32)
    assert measure(binary(single, y)) == pytest.approx(dense(single.astype(float), y), abs=1e-12)


@each_mmce
@pytest.mark.parametrize(
    ("p", "y"),
    [
        ([0.3], [1]),
        ([0.3], [0]),
        ([0.4] * 3, [1, 0, 0]),
        ([0, 1, 0, 1], [0, 1, 1, 0]),
        ([0.2, 0.9], [1, 1]),
    ],
    ids=["one row", "one row that failed", "one claim", "exact 0 and 1", "all true"],
)
def test_extremes_of_mmce(
    measure: Callable[[View], float], dense: Callable[..., float], p: list[float], y: list[int]
) -> None:
    assert measure(binary(p, y)) == pytest.approx(
        dense(np.array(p, float), np.array(y, bool)), abs=1e-12
    )


def test_mmce_of_right_claims_is_zero_and_of_views_the_mean() -> None:
    assert mmce(binary([0.25] * 4, [1, 0, 0, 0])) == 0
    random = np.random.default_rng(1)
    pred = from_logits(random.normal(0, 2, (100, 3)), random.integers(0, 3, 100))
    for measure in (mmce, weighted_mmce):
        assert measure(pred) == measure(top_label(pred))
        assert measure(classwise(pred)) == pytest.approx(
            np.mean([measure(view) for view in classwise(pred)])
        )
    with pytest.raises(
        ValueError, match="expected Predictions, a View or a sequence of Views, got Canonical"
    ):
        mmce(canonical(pred))  # type: ignore[arg-type]
