"""MMCE against sums over all pairs."""

from collections.abc import Callable

import numpy as np
import pytest

from calibrant import View, binary, canonical, classwise, from_logits, top_label
from calibrant.measures.mmce import mmce, weighted_mmce


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
