"""Six nodes keep polynomials of degree 5, read off and shared out."""

import numpy as np
import pytest

from calibrant.fitting.local_polynomials import SixNodes

NODES = np.sort(np.random.default_rng(0).random(30)) * 4
POINTS = np.sort(np.random.default_rng(1).uniform(NODES[2], NODES[-4], 50))


@pytest.mark.parametrize("degree", range(6))
def test_a_polynomial_is_read_off_and_shared_out_exactly(degree: int) -> None:
    grid = SixNodes(NODES)
    places = grid.places(POINTS)
    weights = np.random.default_rng(2).random(50)
    np.testing.assert_allclose(grid.between(places, NODES**degree), POINTS**degree, rtol=1e-7)
    assert grid.share_out(places, weights) @ NODES**degree == pytest.approx(
        weights @ POINTS**degree, rel=1e-7
    )


def test_sharing_out_is_reading_off_turned_about() -> None:
    grid = SixNodes(NODES)
    places = grid.places(POINTS)
    weights, values = np.random.default_rng(3).random(50), np.random.default_rng(4).random(30)
    assert grid.share_out(places, weights) @ values == pytest.approx(
        weights @ grid.between(places, values), rel=1e-9
    )


def test_a_smooth_function_is_off_by_the_sixth_power_of_the_step() -> None:
    off = []
    for steps in (20, 40):
        grid = SixNodes(np.linspace(-1, 5, steps))
        off.append(
            np.abs(grid.between(grid.places(POINTS), np.sin(grid.nodes)) - np.sin(POINTS)).max()
        )
    assert 40 < off[0] / off[1] < 100
