"""L-BFGS reaches the optimum whatever the scales, and says when it does not."""

import numpy as np
import pytest

from calibrant.fitting.newton import DidNotConverge
from calibrant.fitting.quasi_newton import minimise_many


def test_variables_on_very_different_scales() -> None:
    scale = np.logspace(-4, 4, 30)
    best = np.linspace(-1, 1, 30)

    def parabola(x: np.ndarray) -> tuple[float, np.ndarray]:
        return float(scale @ (x - best) ** 2), 2 * scale * (x - best)

    x, certificate = minimise_many(parabola, np.zeros(30), 2 * scale, tolerance=1e-8)
    np.testing.assert_allclose(x, best, atol=1e-4)
    assert certificate.slope <= certificate.tolerance


def test_too_few_steps_are_an_error() -> None:
    def rosen(x: np.ndarray) -> tuple[float, np.ndarray]:
        return float((x**4).sum() + x.sum()), 4 * x**3 + 1

    with pytest.raises(DidNotConverge, match="did not converge"):
        minimise_many(rosen, np.full(5, 10.0), np.ones(5), tolerance=1e-9, most_steps=1)
