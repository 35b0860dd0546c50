"""Tests of calibration against exact distributions and textbooks; their level on right claims."""

import numpy as np
import pytest
from scipy.stats import binom, norm
from shared_claims import claims

from calibrant import binary, canonical, classwise, from_logits, from_probs, ks_error, one_class
from calibrant.inference.tests import Method, calibration_test, ks_limit
from calibrant.measures.skce import skce
from calibrant.simulate import task

METHODS: list[Method] = ["smooth", "ks", "skce", "spiegelhalter"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("piled_up", [False, True])
def test_level_on_right_claims(method: Method, piled_up: bool) -> None:
    random, rejected = np.random.default_rng(0), 0
    for seed in range(200):
        p = random.beta(8, 0.5, 200) if piled_up else random.random(200)
        view = binary(p, random.random(200) < p)
        rejected += calibration_test(view, method=method, n_draws=199, seed=seed).p_value <= 0.05
    # Of 200, 10 on average; 2 and 20 are beyond 2.5 standard deviations.
    assert 2 <= rejected <= 20


@pytest.mark.parametrize("method", METHODS)
def test_wrong_claims_are_found(method: Method) -> None:
    assert calibration_test(claims(1000, slope=0.5), method=method).p_value < 0.01


def test_what_spiegelhalter_cannot_see() -> None:
    # Every claim too low: neither too bold nor too timid.
    view = claims(2000, lift=0.4)
    assert calibration_test(view).p_value < 0.01
    assert calibration_test(view, method="spiegelhalter").p_value > 0.01


def test_p_values_of_one_claim_are_those_of_a_binomial_count() -> None:
    n, k, p = 40, 15, 0.5
    exact = 2 * binom.cdf(k, n, p)
    view = binary([p] * n, [1] * k + [0] * (n - k))
    for method in ("ks", "skce"):
        found = calibration_test(view, method=method, n_draws=20_000)
        assert found.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact / 20_000))
    assert calibration_test(view, method="ks").statistic == pytest.approx(ks_error(view))
    assert calibration_test(view, method="skce").statistic == skce(view)


def test_spiegelhalter_by_its_formula() -> None:
    random = np.random.default_rng(0)
    p, w = random.random(50), random.integers(0, 3, 50)
    y = random.random(50) < p
    z = (w * (y - p) * (1 - 2 * p)).sum() / np.sqrt((w * (1 - 2 * p) ** 2 * p * (1 - p)).sum())
    found = calibration_test(binary(p, y, weights=w), method="spiegelhalter")
    assert found == pytest.approx((z, 2 * norm.sf(abs(z))))


@pytest.mark.parametrize("method", METHODS)
def test_laws_of_order_and_weights(method: Method) -> None:
    random = np.random.default_rng(0)
    p = random.random(80).round(1)
    y, w = random.random(80) < 0.5, random.integers(0, 4, 80)
    found = calibration_test(binary(p, y, weights=w), method=method)
    assert calibration_test(
        binary(np.repeat(p, w), np.repeat(y, w)), method=method
    ) == pytest.approx(found)
    assert calibration_test(
        binary(p[::-1], y[::-1], weights=w[::-1]), method=method
    ) == pytest.approx(found)


@pytest.mark.parametrize("method", METHODS[:2])
def test_many_rows_are_tested_by_their_neighbourhoods(method: Method) -> None:
    random = np.random.default_rng(0)
    p = random.random(20_000)
    assert calibration_test(binary(p, random.random(20_000) < p), method=method).p_value > 0.01
    assert (
        calibration_test(task("square", 0.02).sample(20_000, 0).view, method=method).p_value < 0.01
    )


def test_of_several_views_the_worst_counts() -> None:
    random = np.random.default_rng(0)
    pred = from_logits(random.normal(0, 2, (300, 3)), random.integers(0, 3, 300))
    each = [calibration_test(one_class(pred, k)) for k in range(3)]
    found = calibration_test(classwise(pred))
    assert found.p_value == pytest.approx(min(1, 3 * min(one.p_value for one in each)))
    assert found.statistic in [one.statistic for one in each]


@pytest.mark.parametrize("method", METHODS)
def test_sure_claims(method: Method) -> None:
    right = calibration_test(binary([0.0, 1.0] * 20, [0, 1] * 20), method=method)
    wrong = calibration_test(binary([0.0, 1.0] * 20, [1, 0] * 20), method=method)
    # They are read as rounded, so that two or three of forty might have failed.
    assert right.p_value > 0.3
    assert wrong.p_value < 0.01


@pytest.mark.parametrize("method", ["ks", "skce"])
def test_what_no_draw_matches_is_still_not_impossible(method: Method) -> None:
    assert calibration_test(claims(1000, lift=-2), method=method, n_draws=199).p_value == 1 / 200


def test_whole_vectors() -> None:
    random = np.random.default_rng(0)
    p = random.dirichlet(np.ones(4), 300)
    labels = (p.cumsum(1) < random.random((300, 1))).sum(1)
    bold = p**2 / (p**2).sum(1, keepdims=True)
    right, wrong = (
        calibration_test(canonical(from_probs(q, labels)), method="skce") for q in (p, bold)
    )
    assert wrong.p_value < 0.01 < right.p_value
    assert wrong.statistic == pytest.approx(skce(canonical(from_probs(bold, labels))), rel=1e-12)
    with pytest.raises(
        ValueError, match="whole vectors are tested by method=\"skce\", got 'smooth'"
    ):
        calibration_test(canonical(from_probs(p, labels)))


def test_what_means_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="method must be 'smooth' or 'ks' or 'skce'"):
        calibration_test(claims(50), method="hosmer")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="n_draws must be a whole number"):
        calibration_test(claims(50), n_draws=5)
    with pytest.raises(ValueError, match="expected Predictions"):
        calibration_test([0.5])  # type: ignore[list-item]


def test_right_claims_stay_below_the_limit_19_times_in_20() -> None:
    views = [claims(400, seed=seed) for seed in range(600)]
    below = [ks_error(view) <= ks_limit(view) for view in views]
    assert 0.93 < np.mean(below) < 0.985
