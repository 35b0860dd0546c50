"""Sums of Beta kernels at the nodes against dense ones."""

import numpy as np
import pytest

from calibrant.fitting.beta_density import FLOOR, key_table, log_chances, log_heights
from calibrant.fitting.beta_grid import BetaGrid, NoGrid, _nodes

ODDS = np.sort(np.random.default_rng(0).normal(0, 3, 400))
WEIGHTS = np.random.default_rng(1).random(400)
WIDTHS = [1e-5, 1e-3, 0.1, 1.0]


@pytest.mark.parametrize("h", WIDTHS)
def test_nodes_ascend_alike_on_both_sides_and_reach_the_floor(h: float) -> None:
    nodes = _nodes(h)
    assert (np.diff(nodes) > 0).all()
    np.testing.assert_allclose(nodes, -nodes[::-1], atol=1e-15)
    # Points between the third node and the third last can be interpolated.
    assert nodes[2] <= FLOOR
    assert nodes[-3] >= -FLOOR


@pytest.mark.parametrize("h", WIDTHS)
@pytest.mark.parametrize("power", [1, 2])
def test_sums_against_dense_ones(h: float, power: int) -> None:
    grid = BetaGrid(ODDS, h)
    sums = grid.sums(WEIGHTS) if power == 1 else grid.sums_of_squares(WEIGHTS)
    found = grid.read(grid.own_places, sums)
    kernels = np.exp(power * (log_chances(ODDS) @ key_table(ODDS, h)))
    expected = kernels @ WEIGHTS
    # Of a claim's own kernel, which is the largest of all.
    own = np.exp(power * log_heights(ODDS, h))
    np.testing.assert_array_less(np.abs(found - expected), 1e-5 * (expected + own))


@pytest.mark.parametrize("h", WIDTHS)
def test_heights_are_read_off_anywhere(h: float) -> None:
    grid = BetaGrid(ODDS, h)
    new = np.linspace(-20, 20, 99)
    found = grid.read(grid.places(new), grid.heights)
    np.testing.assert_allclose(found, np.exp(log_heights(new, h)), rtol=1e-5)


def test_without_a_grid_there_is_nothing_anywhere() -> None:
    grid = NoGrid(ODDS)
    for sums in (grid.heights, grid.sums(WEIGHTS), grid.sums_of_squares(WEIGHTS)):
        assert len(sums) == 0
        np.testing.assert_array_equal(grid.read(grid.own_places, sums), np.zeros(400))
        np.testing.assert_array_equal(grid.read(grid.places(ODDS[:5]), sums), np.zeros(5))
