"""Sums of Beta kernels by the grid against dense ones, and against exact arithmetic."""

import mpmath
import numpy as np
import pytest
from shared_crowds import N, floored_log_odds, pooled
from shared_crowds import claims as claims_of
from shared_kernels import left_out, log_density, pairs_left_out, two
from shared_kernels import log_kernels as dense_kernels

from calibrant.fitting import beta_kernel, beta_neighbours
from calibrant.fitting.beta_bandwidths import (
    best_bandwidth,
    predictive_bandwidth,
    quick_bandwidth,
)
from calibrant.fitting.beta_kernel import BetaKernel

WIDTHS = [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0]
KINDS = ["uniform", "piled up", "far odds", "tiny", "near one", "a pile and strays"]


@pytest.mark.parametrize("h", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_grid_against_dense_sums(kind: str, h: float) -> None:
    p = claims_of(kind)
    y = np.random.default_rng(1).random(N) < 0.2 + 0.6 * p
    claims, place = pooled(p, y)
    assert len(claims.p) > beta_kernel._FEW
    kernel = BetaKernel(claims, h)
    found = np.where(y, kernel.left_out(event=True)[place], kernel.left_out(event=False)[place])
    np.testing.assert_allclose(found, left_out(two(p), y.astype(int), h)[:, 1], atol=5e-6)
    np.testing.assert_allclose(kernel.log_density()[place], log_density(two(p), h), atol=1e-5)


@pytest.mark.parametrize("h", WIDTHS)
def test_new_claims_against_dense_sums(h: float) -> None:
    p = claims_of("piled up", 2)
    y = np.random.default_rng(3).random(N) < p
    new = np.concatenate(
        [np.random.default_rng(4).random(200), [0, 1e-300, 1e-9, 0.5, 1 - 1e-16, 1]]
    )
    logs = dense_kernels(two(new), two(p), h)
    weights = np.exp(logs - logs.max(1, keepdims=True))
    found = BetaKernel(pooled(p, y)[0], h).at(floored_log_odds(new))
    np.testing.assert_allclose(found, weights @ y / weights.sum(1), atol=5e-6)


@pytest.mark.parametrize("h", [1e-5, 1e-3, 0.1, 1.0])
@pytest.mark.parametrize("n", [3, 40])
def test_pairs_against_exact_arithmetic(n: int, h: float) -> None:
    random = np.random.default_rng(n)
    p = np.concatenate([random.random(n - 1), [0.9999999]])
    y = random.random(n) < 0.5
    claims, place = pooled(p, y)
    kernel = BetaKernel(claims, h)
    found = np.where(
        y, kernel.pairs_left_out(event=True)[place], kernel.pairs_left_out(event=False)[place]
    )
    np.testing.assert_allclose(
        found, pairs_left_out(two(p), y.astype(int), h)[:, 1], rtol=1e-8, atol=1e-12
    )


@pytest.mark.parametrize("h", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_pairs_by_the_grid_as_one_by_one(
    kind: str, h: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    p = claims_of(kind, 5)
    claims, _ = pooled(
        p,
        np.random.default_rng(6).random(N) < 0.3,
        np.random.default_rng(7).integers(1, 4, N) * 1.0,
    )
    by_grid = [BetaKernel(claims, h).pairs_left_out(event=event) for event in (True, False)]
    monkeypatch.setattr(beta_kernel, "_FEW", N)
    one_by_one = [BetaKernel(claims, h).pairs_left_out(event=event) for event in (True, False)]
    np.testing.assert_allclose(by_grid, one_by_one, atol=1e-5)


def test_a_lonely_claim_against_exact_arithmetic() -> None:
    # Its neighbours' kernels are below 1e-308 beside its own: only logarithms can tell them apart.
    p, y, h = np.array([0.1, 0.5, 0.95]), np.array([True, False, False]), 1e-5
    with mpmath.workdps(50):

        def kernel(z: float, about: float) -> mpmath.mpf:
            a, b = mpmath.mpf(about) / h + 1, (1 - mpmath.mpf(about)) / h + 1
            return mpmath.mpf(z) ** (a - 1) * (1 - mpmath.mpf(z)) ** (b - 1) / mpmath.beta(a, b)

        near, far = kernel(0.5, 0.1), kernel(0.5, 0.95)
        expected = float(near / (near + far))
    assert near < mpmath.mpf(10) ** -308
    found = BetaKernel(pooled(p, y)[0], h).left_out(event=False)
    assert found[1] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("few", [0, N])
def test_weights_are_counts(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beta_kernel, "_FEW", few)
    random = np.random.default_rng(8)
    p, y, w = random.random(100).round(2), random.random(100) < 0.5, random.integers(0, 4, 100)
    weighted, repeated = (
        pooled(p, y, w.astype(float))[0],
        pooled(np.repeat(p, w), np.repeat(y, w))[0],
    )
    for h in (1e-5, 0.01):
        ours, theirs = BetaKernel(weighted, h), BetaKernel(repeated, h)
        np.testing.assert_allclose(ours.log_density(), theirs.log_density(), rtol=1e-12)
        for event in (True, False):
            np.testing.assert_allclose(
                ours.left_out(event=event), theirs.left_out(event=event), atol=1e-12
            )
            np.testing.assert_allclose(
                ours.pairs_left_out(event=event), theirs.pairs_left_out(event=event), atol=1e-12
            )
    assert best_bandwidth(weighted) == best_bandwidth(repeated)
    assert predictive_bandwidth(weighted) == predictive_bandwidth(repeated)
    assert quick_bandwidth(weighted) == pytest.approx(quick_bandwidth(repeated))


def test_lonely_claims_are_summed_alike_in_blocks_of_any_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    p = np.random.default_rng(12).random(200)
    kernel = BetaKernel(pooled(p, p > 0.4)[0], 1e-4)
    new = floored_log_odds(np.random.default_rng(13).random(300))

    def sums() -> tuple[np.ndarray, ...]:
        return kernel.at(new), kernel.log_density(), kernel.pairs_left_out(event=True)

    expected = sums()
    monkeypatch.setattr(beta_neighbours, "_CELLS_AT_ONCE", 100)
    monkeypatch.setattr(beta_neighbours, "_ROWS_AT_ONCE", 7)
    for ours, theirs in zip(sums(), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-20)


def test_a_row_that_weighs_less_than_one_is_left_out_whole() -> None:
    # So weights that sum to one are as good as counts.
    random = np.random.default_rng(9)
    p, y = random.random(30), random.random(30) < 0.5
    whole, part = pooled(p, y)[0], pooled(p, y, np.full(30, 1 / 30))[0]
    for event in (True, False):
        np.testing.assert_allclose(
            BetaKernel(part, 0.01).left_out(event=event),
            BetaKernel(whole, 0.01).left_out(event=event),
            rtol=1e-12,
        )
    assert best_bandwidth(part) == best_bandwidth(whole)
    assert predictive_bandwidth(part) == predictive_bandwidth(whole)


def test_ties_on_the_grid_against_dense_sums() -> None:
    # More claims than are summed one by one, some of them made by most rows.
    random = np.random.default_rng(14)
    p = random.random(500).round(6)
    w = np.where(np.arange(500) % 50, 1, 300)
    claims, place = pooled(p, p > 0.5, w.astype(float))
    rows = np.repeat(p, w)
    assert len(claims.p) > beta_kernel._FEW
    for h in (1e-5, 1e-3, 0.1):
        logs = dense_kernels(two(p), two(p), h) + np.log(w)
        np.fill_diagonal(logs, -np.inf)
        expected = np.logaddexp.reduce(logs, axis=1)
        np.testing.assert_allclose(BetaKernel(claims, h).log_density()[place], expected, atol=1e-5)
    assert len(rows) > 3000
