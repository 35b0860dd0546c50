"""The squared kernel error against a loop over pairs."""

import numpy as np
import pytest

from calibrant import binary, classwise, from_logits, skce


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
    assert skce(binary(p, y, weights=w)) == pytest.approx(_pairs(np.repeat(p, w), np.repeat(y, w)), abs=1e-14)
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
