"""The bandwidth of Beta kernels against that of dense sums, and where claims tie or crowd."""

import numpy as np
import pytest
from shared_crowds import N, floored_log_odds, pooled
from shared_crowds import claims as claims_of
from shared_kernels import left_out, log_density, two

from calibrant.fitting import beta_bandwidths
from calibrant.fitting.bandwidths import BANDWIDTHS
from calibrant.fitting.beta_bandwidths import (
    best_bandwidth,
    predictive_bandwidth,
    quick_bandwidth,
)
from calibrant.fitting.beta_kernel import BetaKernel
from calibrant.fitting.pooling import Pool


@pytest.mark.parametrize("kind", ["uniform", "piled up", "far odds"])
def test_the_best_bandwidth_is_that_of_dense_sums(kind: str) -> None:
    p = claims_of(kind, 10)
    claims, _ = pooled(p, p > 0.5)
    likelihood = [log_density(two(p), h).sum() for h in BANDWIDTHS]
    assert best_bandwidth(claims) == BANDWIDTHS[np.argmax(likelihood)]


@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_equal_claims_are_left_out_together(decimals: int) -> None:
    random = np.random.default_rng(decimals)
    p = random.beta(2, 1, 2000).round(decimals)
    claims, place = pooled(p, random.random(2000) < p)
    for h in (1e-5, 1e-3, 0.1):
        dense = log_density(two(p), h)
        np.testing.assert_allclose(BetaKernel(claims, h).log_density()[place], dense, atol=1e-5)
    likelihood = [log_density(two(p), h).sum() for h in BANDWIDTHS]
    # With its equals, every claim would be most probable by the narrowest kernel.
    expected = min(BANDWIDTHS[np.argmax(likelihood)], quick_bandwidth(claims))
    assert best_bandwidth(claims) == expected > 1e-5


def test_equal_claims_spread_evenly_have_no_flat_kernel() -> None:
    p = np.repeat(np.linspace(0.01, 0.99, 99), 10)
    claims, _ = pooled(p, np.random.default_rng(0).random(990) < p)
    assert BANDWIDTHS[np.argmax([log_density(two(p), h).sum() for h in BANDWIDTHS])] == 1
    assert best_bandwidth(claims) == quick_bandwidth(claims) < 0.1


def test_narrower_bandwidths_than_usual_are_tried() -> None:
    random = np.random.default_rng(15)
    p = 1e-6 * random.random(300)
    claims, _ = pooled(p, p > 5e-7)
    every = np.concatenate([np.logspace(-8, -5, 12)[:-1], BANDWIDTHS])
    likelihood = [log_density(two(p), h).sum() for h in every]
    assert best_bandwidth(claims) == pytest.approx(every[np.argmax(likelihood)])
    assert best_bandwidth(claims) < BANDWIDTHS[0]


@pytest.mark.parametrize("kind", ["uniform", "piled up", "far odds"])
def test_the_bandwidth_that_predicts_best_is_that_of_dense_sums(kind: str) -> None:
    p = claims_of(kind, 16)
    y = np.random.default_rng(17).random(N) < p
    claims, _ = pooled(p, y)
    loss = [((left_out(two(p), y.astype(int), h)[:, 1] - y) ** 2).sum() for h in BANDWIDTHS]
    assert predictive_bandwidth(claims) == BANDWIDTHS[np.argmin(loss)]


def test_what_predicts_best_is_not_misled_by_crowds() -> None:
    # Right claims as of a network: half of them crowd at 1.
    random = np.random.default_rng(18)
    p = 1 / (1 + np.exp(-random.normal(6, 5, 1000)))
    claims, _ = pooled(p, random.random(1000) < p)
    assert best_bandwidth(claims) < 1e-3 < predictive_bandwidth(claims)


def test_the_quick_bandwidth_is_near_the_best() -> None:
    for shape in [(2, 2), (5, 2), (1, 1)]:
        p = np.random.default_rng(11).beta(*shape, 3000)
        claims, _ = pooled(p, p > 0.5)
        assert 0.2 < quick_bandwidth(claims) / best_bandwidth(claims) < 5


def test_a_single_claim_has_a_bandwidth() -> None:
    claims, _ = pooled(np.full(5, 0.3), np.array([True, False, True, True, False]))
    assert best_bandwidth(claims) == BANDWIDTHS[0] == quick_bandwidth(claims)
    assert predictive_bandwidth(claims) == BANDWIDTHS[0]
    np.testing.assert_allclose(BetaKernel(claims, 1e-5).left_out(event=True), 0.5)


def test_ties_that_only_rounding_tells_apart() -> None:
    random = np.random.default_rng(19)
    odds = random.normal(0, 2, 150)[random.integers(0, 150, 500)]

    def counted(z: np.ndarray) -> Pool:
        claims, times = np.unique(z, return_counts=True)
        return Pool(claims, times.astype(float), np.zeros(len(claims)))

    exact, rounded = counted(odds), counted(odds + random.normal(0, 1e-8, 500))
    assert len(rounded.p) > 2 * len(exact.p)
    assert best_bandwidth(rounded) == best_bandwidth(exact) > 1e-4


def test_many_claims_are_not_taken_for_one() -> None:
    # Closer to each other than rounding, by themselves.
    p = np.linspace(0.4, 0.6, 2_000_000)
    merged = beta_bandwidths._without_rounding(Pool(floored_log_odds(p), np.ones(len(p)), p))
    assert 5000 < len(merged.p) < 20_000
    assert merged.w.sum() == len(p)
