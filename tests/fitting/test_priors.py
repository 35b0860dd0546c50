"""Shares of classes against plain expectation and maximisation, a thousand steps of it."""

import numpy as np
import pytest

from calibrant.fitting.priors import best_shares, information


def by_em(p: np.ndarray, prior: np.ndarray, w: np.ndarray) -> np.ndarray:
    shares = prior
    for _ in range(20_000):
        posterior = p * shares / prior
        posterior /= posterior.sum(1, keepdims=True)
        shares = w @ posterior / w.sum()
    return shares


@pytest.mark.parametrize("k", [2, 3, 7])
def test_against_plain_em(k: int) -> None:
    random = np.random.default_rng(k)
    p = random.dirichlet(np.full(k, 0.4), 500)
    prior = random.dirichlet(np.full(k, 3.0))
    w = random.integers(0, 3, 500).astype(float)
    np.testing.assert_allclose(best_shares(p, prior, w), by_em(p, prior, w), atol=2e-4)
    found = information(p, prior, w, best_shares(p, prior, w))
    assert found.gain.max() < 1 + 1e-8


def test_weights_are_counts_and_order_is_irrelevant() -> None:
    random = np.random.default_rng(0)
    p = random.dirichlet(np.ones(3), 200)
    prior = np.array([0.2, 0.3, 0.5])
    once = best_shares(p, prior)
    np.testing.assert_allclose(best_shares(np.tile(p, (2, 1)), prior), once, atol=1e-12)
    np.testing.assert_allclose(best_shares(p, prior, np.full(200, 2.0)), once, atol=1e-12)
    np.testing.assert_allclose(best_shares(p[::-1], prior), once, atol=1e-9)


def test_a_class_that_is_gone_and_many_rows() -> None:
    random = np.random.default_rng(1)
    q = random.random(60_000) * 0.3
    p = np.stack([1 - q, q], 1)
    shares = best_shares(p, np.array([0.5, 0.5]))
    assert shares[1] < 1e-3
    assert np.isfinite(shares).all()
