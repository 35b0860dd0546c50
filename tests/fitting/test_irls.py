"""Logistic regression against a general optimiser, and where rows are certain."""

import numpy as np
import pytest
from scipy.optimize import minimize

from calibrant.fitting.irls import logistic


def _loss(c: np.ndarray, x: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    eta = x @ c
    return float(np.average(np.logaddexp(0, eta) - y * eta, weights=w))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("bounded", [False, True])
def test_against_a_general_optimiser(seed: int, *, bounded: bool) -> None:
    random = np.random.default_rng(seed)
    x = np.column_stack([random.normal(size=(300, 2)) @ random.normal(size=(2, 2)), np.ones(300)])
    y, w = random.random(300), random.integers(0, 3, 300).astype(float)
    lower = np.array([0.0, 0.0, -np.inf]) if bounded else -np.inf
    found, certificate = logistic(x, y, w, lower=lower)
    bounds = [(0, None), (0, None), (None, None)] if bounded else None
    peer = minimize(
        _loss,
        np.zeros(3),
        (x, y, w),
        "L-BFGS-B",
        bounds=bounds,
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    np.testing.assert_allclose(found, peer.x, atol=1e-5)
    assert _loss(found, x, y, w) <= peer.fun + 1e-14
    assert (found >= lower).all()
    assert certificate.slope <= certificate.tolerance


def test_rows_in_several_blocks_are_all_counted() -> None:
    random = np.random.default_rng(0)
    x, y = np.column_stack([random.normal(size=10**5), np.ones(10**5)]), random.random(10**5) < 0.3
    found, _ = logistic(x, y, None)
    q = 1 / (1 + np.exp(-x @ found))
    np.testing.assert_allclose(x.T @ (q - y) / 10**5, 0, atol=1e-14)
    np.testing.assert_allclose(found, logistic(x, y, np.full(10**5, 2.0))[0], atol=1e-12)


def test_separable_rows_give_a_steep_but_finite_fit() -> None:
    x = np.column_stack([[-2.0, -1.0, 1.0, 2.0], np.ones(4)])
    found, certificate = logistic(x, np.array([0.0, 0.0, 1.0, 1.0]), None)
    assert 10 < found[0] < 100
    assert certificate.slope <= certificate.tolerance


@pytest.mark.parametrize("z", [1e2, 1e4, 1e8])
def test_rows_that_start_out_certain_and_wrong_are_heard(z: float) -> None:
    x, wrong = np.array([[z], [-z]]), np.array([0.0, 1.0])
    assert logistic(x, wrong, None, start=np.ones(1), lower=0.0)[0].tolist() == [0.0]
    found, _ = logistic(
        np.repeat(x, 4, 0), np.array([1.0, 0, 0, 0, 1, 1, 1, 0]), None, start=np.ones(1)
    )
    np.testing.assert_allclose(z * found, [-np.log(3)], rtol=1e-9)
