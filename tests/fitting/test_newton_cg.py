"""Newton's method by conjugate gradients reaches the optimum, or says that it does not."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from calibrant.fitting.newton import DidNotConverge
from calibrant.fitting.newton_cg import Point, minimise_many


def test_variables_on_very_different_scales() -> None:
    scale, best = np.logspace(-4, 4, 30), np.linspace(-1, 1, 30)

    def parabola(x: np.ndarray) -> Point:
        return Point(
            float(scale @ (x - best) ** 2), 2 * scale * (x - best), lambda v: 2 * scale * v
        )

    x, certificate = minimise_many(
        parabola, np.zeros(30), lambda v: v / (2 * scale), tolerance=1e-8
    )
    np.testing.assert_allclose(x, best, atol=1e-4)
    assert certificate.slope <= certificate.tolerance
    # Without a word about scales it takes longer, and arrives all the same.
    np.testing.assert_allclose(
        minimise_many(parabola, np.zeros(30), lambda v: v, tolerance=1e-8)[0], best, atol=1e-4
    )


def test_a_function_that_is_no_parabola_against_a_general_optimiser() -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(size=(50, 8)), random.random(50) < 0.5

    def logistic(x: np.ndarray) -> Point:
        q = expit(a @ x)
        value = np.logaddexp(0, a @ x).sum() - (a @ x)[b].sum()
        return Point(float(value), a.T @ (q - b), lambda v: a.T @ (q * (1 - q) * (a @ v)))

    x, _ = minimise_many(logistic, np.full(8, 20.0), lambda v: v, tolerance=1e-7)
    best = minimize(
        lambda x: logistic(x)[:2], np.zeros(8), jac=True, method="BFGS", options={"gtol": 1e-9}
    )
    np.testing.assert_allclose(x, best.x, atol=1e-5)


def test_a_flat_direction_is_left_alone() -> None:
    def valley(x: np.ndarray) -> Point:
        gap = x[0] + x[1] - 3
        return Point(float(gap**2), np.full(2, 2 * gap), lambda v: np.full(2, 2 * v.sum()))

    x, _ = minimise_many(valley, np.array([1.0, 0.0]), lambda v: v, tolerance=1e-9)
    np.testing.assert_allclose(x, [2, 1])


def test_too_few_steps_are_an_error() -> None:
    def quartic(x: np.ndarray) -> Point:
        return Point(float((x**4).sum() + x.sum()), 4 * x**3 + 1, lambda v: 12 * x**2 * v)

    with pytest.raises(DidNotConverge, match="did not converge"):
        minimise_many(quartic, np.full(5, 10.0), lambda v: v, tolerance=1e-9, most_steps=1)
