"""Differential evolution against a search of a grid, on functions of many dips."""

from itertools import combinations

import numpy as np

from calibrant.fitting.evolution import evolve

WAVES = np.array([7.0, 11.0, 19.0])


def dips(places: np.ndarray, wave: float) -> np.ndarray:
    """A function of ascending places with many local minima."""
    height = np.cos(wave * np.pi * places) + 2 * (places - 0.4) ** 2
    return height.sum(-1) - np.ptp(places, axis=-1)


def losses(members: np.ndarray) -> np.ndarray:
    """A wave for each problem."""
    return np.stack([dips(each, wave) for each, wave in zip(members, WAVES, strict=True)])


def test_several_problems_reach_the_least_of_a_fine_grid() -> None:
    found = evolve(losses, len(WAVES), 2)
    grid = np.array(list(combinations(np.linspace(0, 1, 301), 2)))
    for places, wave in zip(found, WAVES, strict=True):
        assert 0 <= places[0] <= places[1] <= 1
        assert dips(places, wave) <= dips(grid, wave).min() + 1e-9


def test_the_seed_settles_what_is_found() -> None:
    again = evolve(losses, len(WAVES), 2, seed=3)
    np.testing.assert_array_equal(evolve(losses, len(WAVES), 2, seed=3), again)
