"""Kuiper's test: the range of a Brownian motion by moments and by walks, and loops over claims."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from shared_claims import claims
from shared_views import ODD_VIEWS

from calibrant import binary, calibration_test, cutoff_error, from_logits, top_label
from calibrant.inference import running_sums as module
from calibrant.inference.running_sums import PATH_95, random_walk, range_tail


def test_the_range_has_the_moments_of_feller() -> None:
    mean, _ = quad(range_tail, 0, 12, points=[1.5])
    square, _ = quad(lambda r: 2 * r * range_tail(r), 0, 12, points=[1.5])
    assert mean == pytest.approx(np.sqrt(8 / np.pi), abs=1e-8)
    assert square == pytest.approx(4 * np.log(2), abs=1e-8)


def test_the_range_is_that_of_walks() -> None:
    random, steps, walks = np.random.default_rng(0), 400, 20_000
    walk = np.cumsum(random.normal(0, steps**-0.5, (walks, steps)), axis=1)
    widest = np.maximum(walk.max(1), 0) - np.minimum(walk.min(1), 0)
    # Between two steps a Brownian path goes further, at either end, by .5826 of a step.
    widest += 2 * 0.5826 * steps**-0.5
    for wide in (0.7, 1, 1.3, 1.6, 2, 2.5, 3):
        chance = range_tail(wide)
        error = np.sqrt(chance * (1 - chance) / walks)
        assert np.mean(widest > wide) == pytest.approx(chance, abs=4 * error + 1e-3)


@pytest.mark.parametrize("wide", [0.5, 0.8, 1.0, 1.499, 1.5, 1.501, 2.0, 3.0])
def test_both_series_agree(wide: float) -> None:
    assert module._far_tail(wide) == pytest.approx(1 - module._near_chance(wide), abs=1e-9)


def test_the_tail_is_defined_and_falls_everywhere() -> None:
    wide = np.concatenate([[0, 1e-300, 1e-8], np.linspace(0.01, 40, 4000), [1e10, np.inf]])
    tail = np.array([range_tail(each) for each in wide])
    assert tail[0] == 1
    assert tail[-1] == 0
    assert ((tail >= 0) & (tail <= 1)).all()
    assert (np.diff(tail) <= 1e-15).all()
    # 8 times the normal tail, far out.
    assert range_tail(8.0) == pytest.approx(8 * 6.2209605742717375e-16, rel=1e-9)


@pytest.mark.parametrize("decimals", [1, 2, 9])
def test_kuiper_against_a_loop_over_claims(decimals: int) -> None:
    random = np.random.default_rng(decimals)
    p = random.uniform(0.01, 0.99, 300).round(decimals).clip(0.05, 0.95)
    y, w = random.random(300) < 0.5, random.integers(0, 4, 300)
    sums = [0.0] + [(w * (y - p))[p <= claim].sum() for claim in np.unique(p[w > 0])]
    deviation = np.sqrt((w * p * (1 - p)).sum())
    found = calibration_test(binary(p, y, weights=w), method="kuiper")
    assert found.statistic == pytest.approx((max(sums) - min(sums)) / deviation, rel=1e-10)
    assert found.p_value == range_tail(found.statistic)
    assert found.statistic * deviation / w.sum() == pytest.approx(
        cutoff_error(binary(p, y, weights=w))
    )


def test_right_claims_stay_within_the_limit_19_times_in_20() -> None:
    # By the reflection principle a path leaves both limits by a series of normal tails.
    k = np.arange(5)
    leaves = 4 * ((-1.0) ** k * norm.sf((2 * k + 1) * PATH_95)).sum()
    assert leaves == pytest.approx(0.05, abs=1e-5)
    random = np.random.default_rng(4)
    p = random.random(400)
    walks = [random_walk(binary(p, random.random(400) < p)) for _ in range(600)]
    within = np.mean([abs(walk.sums).max() <= walk.limit for walk in walks])
    assert 0.93 < within < 0.985


def test_weights_are_counts_and_order_is_irrelevant() -> None:
    random = np.random.default_rng(1)
    p, y, w = random.random(80).round(1), random.random(80) < 0.5, random.integers(0, 4, 80)
    found = calibration_test(binary(p, y, weights=w), method="kuiper")
    twice = calibration_test(binary(np.repeat(p, w), np.repeat(y, w)), method="kuiper")
    turned = calibration_test(binary(p[::-1], y[::-1], weights=w[::-1]), method="kuiper")
    assert twice == pytest.approx(found)
    assert turned == pytest.approx(found)


@pytest.mark.parametrize("kind", ["uniform", "piled up", "two digits"])
def test_level_on_right_claims(kind: str) -> None:
    random = np.random.default_rng(0)
    rejected = 0
    for _ in range(400):
        p = random.random(500) if kind == "uniform" else random.beta(8, 0.5, 500)
        p = p.round(2) if kind == "two digits" else p
        # A claim rounded to 1 stands for those from .995 on.
        chance = np.where(p == 1, 0.9975, p)
        view = binary(p, random.random(500) < chance)
        rejected += calibration_test(view, method="kuiper").p_value <= 0.05
    # Of 400, at most 20 on average; 34 are 3 standard deviations more.
    assert 4 <= rejected <= 34


def test_wrong_claims_are_found() -> None:
    assert calibration_test(claims(1000, slope=0.5), method="kuiper").p_value < 0.01
    assert calibration_test(claims(1000, lift=0.5), method="kuiper").p_value < 0.01


@pytest.mark.parametrize("name", ODD_VIEWS)
def test_odd_views_have_a_defined_answer(name: str) -> None:
    found = calibration_test(ODD_VIEWS[name], method="kuiper")
    assert np.isfinite(found.statistic)
    assert 0 <= found.p_value <= 1


def test_exact_0_and_1_are_as_they_are_read() -> None:
    right = calibration_test(binary([0.0, 1.0] * 20, [0, 1] * 20), method="kuiper")
    wrong = calibration_test(binary([0.0, 1.0] * 20, [1, 0] * 20), method="kuiper")
    assert right.p_value == pytest.approx(1, abs=1e-6)
    assert wrong.p_value < 1e-6
    # A forest of 100 trees whose true chances below 1/200 are told as 0.
    random = np.random.default_rng(2)
    truth = np.append(random.uniform(0, 0.005, 3000), random.random(1000))
    view = binary(truth.round(2), random.random(4000) < truth)
    assert calibration_test(view, method="kuiper").p_value > 0.05


def test_certain_logits() -> None:
    logits = np.tile([[1e4, -1e4]], (10, 1))
    right = calibration_test(top_label(from_logits(logits, np.zeros(10, int))), method="kuiper")
    wrong = calibration_test(top_label(from_logits(logits, np.ones(10, int))), method="kuiper")
    assert right == (0, 1)
    assert wrong.p_value == 0


def test_shares_are_no_further_off_than_what_happened() -> None:
    random = np.random.default_rng(3)
    p = random.random(2000)
    votes = random.binomial(5, p) / 5
    found = [
        calibration_test(binary(p, y), method="kuiper") for y in (votes, random.random(2000) < p)
    ]
    # Five votes vary less than one outcome does, so that the test is conservative.
    assert found[0].statistic < found[1].statistic
