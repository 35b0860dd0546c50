"""Newton's method by conjugate gradients reaches the optimum, or says that it does not."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from calibrant.fitting.newton import DidNotConverge
from calibrant.fitting.newton_cg import LinearOperator, Point, Preconditioner, minimise_many


def _always(solve: LinearOperator) -> Preconditioner:
    return lambda products: solve  # noqa: ARG005 - however many


PLAIN = _always(lambda v: v)


def test_variables_on_very_different_scales() -> None:
    scale, best = np.logspace(-4, 4, 30), np.linspace(-1, 1, 30)

    # Without a word about scales it takes longer, and arrives all the same.
    for preconditioner in (_always(lambda v: v / (2 * scale)), PLAIN):

        def parabola(x: np.ndarray, preconditioner: Preconditioner = preconditioner) -> Point:
            gradient = 2 * scale * (x - best)
            value = float(scale @ (x - best) ** 2)
            return Point(value, gradient, lambda v: 2 * scale * v, preconditioner)

        x, certificate = minimise_many(parabola, np.zeros(30), tolerance=1e-8)
        np.testing.assert_allclose(x, best, atol=1e-4)
        assert certificate.slope <= certificate.tolerance


def test_a_function_that_is_no_parabola_against_a_general_optimiser() -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(size=(50, 8)), random.random(50) < 0.5

    def logistic(x: np.ndarray) -> Point:
        q = expit(a @ x)
        value = np.logaddexp(0, a @ x).sum() - (a @ x)[b].sum()
        return Point(float(value), a.T @ (q - b), lambda v: a.T @ (q * (1 - q) * (a @ v)), PLAIN)

    x, _ = minimise_many(logistic, np.full(8, 20.0), tolerance=1e-7)
    best = minimize(
        lambda x: logistic(x)[:2], np.zeros(8), jac=True, method="BFGS", options={"gtol": 1e-9}
    )
    np.testing.assert_allclose(x, best.x, atol=1e-5)


def test_a_flat_direction_is_left_alone() -> None:
    def valley(x: np.ndarray) -> Point:
        gap = x[0] + x[1] - 3
        return Point(float(gap**2), np.full(2, 2 * gap), lambda v: np.full(2, 2 * v.sum()), PLAIN)

    x, _ = minimise_many(valley, np.array([1.0, 0.0]), tolerance=1e-9)
    np.testing.assert_allclose(x, [2, 1])


def test_too_few_steps_are_an_error() -> None:
    def quartic(x: np.ndarray) -> Point:
        value = float((x**4).sum() + x.sum())
        return Point(value, 4 * x**3 + 1, lambda v: 12 * x**2 * v, PLAIN)

    with pytest.raises(DidNotConverge, match="did not converge"):
        minimise_many(quartic, np.full(5, 10.0), tolerance=1e-9, most_steps=1)


def test_a_preconditioner_that_sees_no_slope_is_not_believed() -> None:
    def parabola(x: np.ndarray) -> Point:
        return Point(float(x @ x), 2 * x, lambda v: 2 * v, _always(lambda v: 1e-20 * v))

    x, _ = minimise_many(parabola, np.ones(3), tolerance=1e-6)
    np.testing.assert_allclose(x, 0, atol=1e-6)


def test_a_function_that_falls_for_ever_is_followed_to_its_infimum() -> None:
    def decay(x: np.ndarray) -> Point:
        value = float(np.exp(-x[0]))
        return Point(value, -np.exp(-x), lambda v: value * v, _always(lambda v: v / value))

    x, certificate = minimise_many(decay, np.zeros(1), tolerance=1e-7)
    assert np.exp(-x[0]) < 1e-14
    assert certificate.steps < 20


def test_a_slope_that_is_no_number_is_an_error() -> None:
    def nowhere(x: np.ndarray) -> Point:
        return Point(float("nan"), np.full_like(x, np.nan), lambda v: v, PLAIN)

    with pytest.raises(DidNotConverge, match="its slope is nan"):
        minimise_many(nowhere, np.zeros(2), tolerance=1e-7)
