"""Newton's method against problems whose answer is known."""

import numpy as np
import pytest
from scipy.optimize import nnls

from calibrant.fitting.newton import Derivatives, DidNotConverge, minimise
from calibrant.fitting.types import Array


def _least_squares(a: np.ndarray, b: np.ndarray, x: Array) -> Derivatives:
    gap = a @ x - b
    return float(gap @ gap), 2 * a.T @ gap, 2 * a.T @ a


@pytest.mark.parametrize("seed", range(30))
def test_bounded_least_squares_against_nnls(seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(20, 5)) @ random.normal(size=(5, 5)), random.normal(size=20)
    start = random.random(5) * random.integers(0, 2, 5)
    x, certificate = minimise(lambda x: _least_squares(a, b, x), start, lower=0.0)
    np.testing.assert_allclose(x, nnls(a, b)[0], atol=1e-9)
    assert certificate.slope <= certificate.tolerance


def test_each_variable_may_have_its_own_bound() -> None:
    lower = np.array([0.0, -np.inf, 2.0])
    x, _ = minimise(
        lambda x: _least_squares(np.eye(3), np.array([-1.0, -1.0, 1.0]), x),
        np.full(3, 5.0),
        lower=lower,
    )
    assert x.tolist() == [0.0, -1.0, 2.0]


def test_scales_far_apart_do_not_matter() -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(size=(20, 3)), random.normal(size=20)
    scale = np.array([1e-9, 1.0, 1e9])
    x, _ = minimise(lambda x: _least_squares(a * scale, b, x), np.zeros(3))
    np.testing.assert_allclose(x * scale, np.linalg.lstsq(a, b)[0], rtol=1e-9)


def test_what_the_function_does_not_depend_on_stays() -> None:
    x, _ = minimise(
        lambda x: _least_squares(np.array([[1.0, 0.0]]), np.array([3.0]), x), np.array([0.0, 7.0])
    )
    assert x.tolist() == [3.0, 7.0]


def test_a_function_without_a_minimum_is_an_error() -> None:
    def falling(x: Array) -> Derivatives:
        return (
            -float(np.log(1 + x[0])),
            np.array([-1 / (1 + x[0])]),
            np.array([[1 / (1 + x[0]) ** 2]]),
        )

    with pytest.raises(DidNotConverge, match=r"slope 1 after 50 steps"):
        minimise(falling, np.zeros(1), most_steps=50)


def test_a_function_that_is_not_a_number_is_an_error() -> None:
    with pytest.raises(DidNotConverge, match=r"did not converge: slope 1 after 0 steps"):
        minimise(lambda x: (1.0 if x[0] == 0 else np.nan, np.array([-1.0]), np.eye(1)), np.zeros(1))


def test_derivatives_that_are_no_numbers_are_no_optimum() -> None:
    def nowhere(x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        return 0.0, np.full_like(x, np.nan), np.eye(x.size)

    with pytest.raises(DidNotConverge, match="not finite after 0 steps"):
        minimise(nowhere, np.zeros(2))
