"""Pieces of cubic splines against their conditions and scipy's, bounds against a general optimiser."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.optimize import LinearConstraint, minimize

from calibrant.families.binary.cubic_pieces import Runout, bounded_heights, cubic_pieces

RUNOUTS: list[Runout] = ["natural", "parabolic", "cubic"]


@pytest.mark.parametrize("runout", RUNOUTS)
@pytest.mark.parametrize("knots", [4, 5, 9])
def test_pieces_pass_the_knots_smoothly_and_run_out_as_named(runout: Runout, knots: int) -> None:
    heights = np.random.default_rng(knots).normal(size=knots)
    value, slope, bend, third = (cubic_pieces(knots, runout) @ heights).T
    h = 1 / (knots - 1)
    np.testing.assert_allclose(value, heights[:-1])
    np.testing.assert_allclose(value + slope * h + bend * h**2 + third * h**3, heights[1:])
    np.testing.assert_allclose((slope + 2 * bend * h + 3 * third * h**2)[:-1], slope[1:])
    np.testing.assert_allclose((2 * bend + 6 * third * h)[:-1], 2 * bend[1:])
    ends = {
        "natural": (bend[0], (bend + 3 * third * h)[-1]),
        "parabolic": (third[0], third[-1]),
        "cubic": (third[0] - third[1], third[-1] - third[-2]),
    }[runout]
    np.testing.assert_allclose(ends, 0, atol=1e-9)


@pytest.mark.parametrize("knots", [2, 3, 6, 14])
def test_natural_pieces_are_those_of_scipy(knots: int) -> None:
    heights = np.random.default_rng(knots).normal(size=knots)
    spline = CubicSpline(np.linspace(0, 1, knots), heights, bc_type="natural")
    coefficients = cubic_pieces(knots, "natural") @ heights
    np.testing.assert_allclose(coefficients, spline.c[::-1].T, atol=1e-9)


def test_bounded_heights_against_a_general_optimiser() -> None:
    random = np.random.default_rng(0)
    design = random.normal(size=(30, 4))
    gram = design.T @ design
    free = random.normal(size=4)
    slopes = random.normal(size=(9, 4))
    p = random.random(9)
    found = bounded_heights(free, gram, p, slopes)
    q = p + slopes @ found
    assert q.min() > -1e-8
    assert q.max() < 1 + 1e-8
    best = minimize(
        lambda x: (x - free) @ gram @ (x - free),
        np.zeros(4),
        method="SLSQP",
        constraints=LinearConstraint(slopes, -p, 1 - p),
        options={"ftol": 1e-14, "maxiter": 500},
    )
    np.testing.assert_allclose(found, best.x, atol=1e-5)


def test_heights_within_the_bounds_stay() -> None:
    free = np.array([0.1, -0.1])
    heights = bounded_heights(free, np.eye(2), np.array([0.4, 0.6]), np.eye(2))
    assert heights is free
