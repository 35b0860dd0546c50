"""Interpolation and its transpose keep polynomials of degree 5."""

import numpy as np
import pytest

from calibrant.fitting.local_polynomials import LagrangeGrid

NODES = np.sort(np.random.default_rng(0).random(30)) * 4
POINTS = np.sort(np.random.default_rng(1).uniform(NODES[2], NODES[-4], 50))


@pytest.mark.parametrize("degree", range(6))
def test_a_polynomial_is_interpolated_and_spread_exactly(degree: int) -> None:
    grid = LagrangeGrid(NODES)
    places = grid.places(POINTS)
    weights = np.random.default_rng(2).random(50)
    found = grid.interpolate(places, NODES**degree)
    np.testing.assert_allclose(found, POINTS**degree, rtol=1e-7)
    moment = grid.spread(places, weights) @ NODES**degree
    assert moment == pytest.approx(weights @ POINTS**degree, rel=1e-7)


def test_spreading_is_the_transpose_of_interpolation() -> None:
    grid = LagrangeGrid(NODES)
    places = grid.places(POINTS)
    weights = np.random.default_rng(3).random(50)
    values = np.random.default_rng(4).random(30)
    expected = weights @ grid.interpolate(places, values)
    assert grid.spread(places, weights) @ values == pytest.approx(expected, rel=1e-9)


def test_a_smooth_function_is_off_by_the_sixth_power_of_the_step() -> None:
    off = []
    for steps in (20, 40):
        grid = LagrangeGrid(np.linspace(-1, 5, steps))
        found = grid.interpolate(grid.places(POINTS), np.sin(grid.nodes))
        off.append(np.abs(found - np.sin(POINTS)).max())
    assert 40 < off[0] / off[1] < 100
