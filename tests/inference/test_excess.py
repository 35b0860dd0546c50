"""What random variation adds to errors, and comparisons that are freed of it."""

import numpy as np
import pytest

from calibrant import (
    View,
    binary,
    brier,
    classwise,
    compare_models,
    ece,
    from_logits,
    simulate,
)
from calibrant.inference.excess import excess


def test_of_one_claim_it_is_the_mean_distance_of_a_share() -> None:
    view = binary([0.5] * 400, [0, 1] * 200)
    expected = np.sqrt(2 / np.pi) * 0.5 / np.sqrt(400)
    # Of 40 draws the mean has a standard error of 0.0024.
    assert excess(ece, view, 0) == pytest.approx(expected, abs=0.007)


def test_it_is_less_the_larger_the_error() -> None:
    right = simulate.task("square", 0.0).sample(1000, 0).view
    wrong = simulate.task("square", 0.1).sample(1000, 0).view
    assert excess(ece, wrong, 0) < excess(ece, right, 0) / 2
    assert excess(ece, right, 0) > 0.01


def test_it_is_near_none_of_what_is_no_error() -> None:
    view = simulate.task("square", 0.1).sample(1000, 0).view
    assert excess(brier, view, 0) == pytest.approx(0, abs=0.01)


def _views(sharpness: float, seed: int, n: int) -> tuple[View, ...]:
    random = np.random.default_rng(seed)
    z = random.normal(0, 1.5, (n, 3))
    labels = (z + random.gumbel(size=z.shape)).argmax(1)
    return classwise(from_logits(sharpness * z, labels))


def test_class_by_class_too_a_comparison_is_freed_of_it() -> None:
    true = ece(_views(1.3, 0, 200_000)) - ece(_views(1.0, 0, 200_000))
    seen, middles = [], []
    for seed in range(8):
        models = {"right": _views(1.0, seed, 400), "sharp": _views(1.3, seed, 400)}
        row = compare_models(models, ece, n_boot=100).rows[1]
        seen.append(row.difference)
        middles.append((row.low + row.high) / 2)
    # Random variation adds more to right claims, so that less of the difference is seen.
    assert np.mean(seen) < 0.75 * true
    assert abs(np.mean(middles) - true) < abs(np.mean(seen) - true) / 2
