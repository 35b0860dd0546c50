"""The joint test: exact under right claims, sharp under wrong ones, the same seen in a mirror."""

import numpy as np
import pytest

from calibrant import View, binary, calibration_test
from calibrant.inference.joint_test import joint_p_value
from calibrant.measures.draws import cells


def p_value(view: View, n_draws: int = 1000, seed: int = 0) -> float:
    return joint_p_value(cells(view), n_draws=n_draws, seed=seed)


@pytest.mark.parametrize("shape", [(1, 1), (0.3, 6), (8, 0.4)], ids=str)
def test_right_claims_are_told_to_be_wrong_one_time_in_twenty(shape: tuple[float, float]) -> None:
    rng = np.random.default_rng(7)
    p = rng.beta(*shape, 60)
    found = np.array([p_value(binary(p, rng.random(60) < p), 99, seed) for seed in range(400)])
    # Four standard deviations of a count of 400 with chance 1/20, and of one with chance 1/2.
    assert 0.05 - 4 * 0.0109 < np.mean(found <= 0.05) < 0.05 + 4 * 0.0109
    assert abs(np.mean(found <= 0.5) - 0.5) < 4 * 0.025


def test_what_no_draw_comes_near_has_the_least_p_value() -> None:
    p = np.linspace(0.01, 0.99, 500)
    assert p_value(binary(p, p > 0.5)) == 1 / 1001
    assert p_value(binary(p, p < 0)) == 1 / 1001


def test_of_one_claim_it_is_the_binomial_test() -> None:
    view = binary([0.3] * 50, [1] * 22 + [0] * 28)
    rng = np.random.default_rng(1)
    drawn = rng.binomial(50, 0.3, 200_000)
    exact = np.mean(np.abs(drawn - 15) >= 7)
    assert p_value(view, 20_000) == pytest.approx(exact, abs=0.006)
    # Evidence alone would have said about the same.
    assert calibration_test(view, n_draws=20_000).p_value == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize("seed", range(8))
def test_a_mirror_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.choice([0.4, 1, 3], 2)
    p = rng.beta(a, b, 300)
    p[:20] = rng.choice([0.0, 1.0], 20)
    y = rng.random(300) < p**1.3
    w = rng.integers(0, 4, 300) if seed % 2 else np.ones(300)
    view = binary(p, y, weights=w)
    mirrored = binary(1 - p, ~y, weights=w)
    assert p_value(mirrored) == p_value(view)
