"""Shares of least log loss against a general optimiser, and on corners."""

import numpy as np
import pytest
from scipy.optimize import minimize

from calibrant.fitting.mixture import mixture_weights


@pytest.mark.parametrize("columns", [2, 3, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_against_a_general_optimiser(columns: int, *, weighted: bool) -> None:
    random = np.random.default_rng(columns)
    parts = random.random((300, columns)) ** 2
    w = random.integers(0, 4, 300).astype(float) if weighted else None

    def loss(x: np.ndarray) -> float:
        return float(-np.average(np.log(parts @ x), weights=w))

    bounds, total = [(0, 1)] * columns, {"type": "eq", "fun": lambda x: x.sum() - 1}
    best = minimize(
        loss,
        np.full(columns, 1 / columns),
        bounds=bounds,
        constraints=total,
        method="SLSQP",
        tol=1e-12,
    )
    shares, certificate = mixture_weights(parts, w)
    assert loss(shares) <= best.fun + 1e-9
    assert certificate.slope <= certificate.tolerance
    assert shares.sum() == pytest.approx(1)


def test_a_part_that_is_always_better_takes_all() -> None:
    parts = np.column_stack([np.full(50, 0.9), np.full(50, 0.3), np.full(50, 0.89)])
    np.testing.assert_allclose(mixture_weights(parts, None)[0], [1, 0, 0], atol=1e-9)


def test_equal_parts_stay_even() -> None:
    assert mixture_weights(np.full((20, 2), 0.5), None)[0].tolist() == [0.5, 0.5]


def test_a_row_of_next_to_no_weight_is_heard() -> None:
    """Nearly all weight is against the second part, without which the first row is impossible."""
    parts = np.array([[1e-200, 0.5], [0.9, 0.1]])
    w = np.array([1e-9, 1e9])
    shares, certificate = mixture_weights(parts, w)
    assert certificate.slope <= certificate.tolerance
    # Where the slope is nil: w[0] / x = w[1] * (0.9 - 0.1) / 0.9 for the second part's share x.
    assert shares[1] == pytest.approx(1e-18 * 0.9 / 0.8, rel=1e-3)
