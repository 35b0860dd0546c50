"""Models of penalised splines: what they span, and what their penalties leave free."""

import numpy as np
import pytest
from scipy.special import expit

from calibrant.families.binary.penalised_splines import LIMIT, points
from calibrant.families.binary.shift_models import Model, PriorOdds, models

Z = np.linspace(-3, 3, 50)
PRIOR = PriorOdds(identity=0.1, temperature=0.1)


def test_points_ascend_over_all_log_odds_that_matter() -> None:
    at = points()
    assert (np.diff(at) > 0).all()
    assert (at[0], at[-1]) == (-LIMIT, LIMIT)
    np.testing.assert_allclose(at, -at[::-1], atol=1e-9)


@pytest.mark.parametrize("model", models(Z, PRIOR)[:3])
def test_splines_sum_to_one_at_every_point(model: Model) -> None:
    np.testing.assert_allclose(model.basis.sum(1), 1)


def _line(place: int, z: np.ndarray) -> np.ndarray:
    """A straight line along each of the scales."""
    angle = 2 / np.pi * np.arctan(np.exp(z / 2))
    lines = [expit(z) - 0.5, angle - 0.5, np.clip(z, Z[0], Z[-1])]
    return lines[place]


@pytest.mark.parametrize("place", range(3))
def test_a_line_along_the_scale_costs_its_prior_alone(place: int) -> None:
    model = models(Z, PRIOR)[place]
    coefficients = np.linalg.lstsq(model.basis, _line(place, points()))[0]
    of_lines = model.penalties[8:]
    costs = [coefficients @ penalty @ coefficients for penalty in of_lines]
    slope_sd = [2.0, 2.0, 0.5][place]
    np.testing.assert_allclose(costs, 1 / slope_sd**2, rtol=1e-4)


def test_a_stronger_penalty_costs_more() -> None:
    wave = np.sin(np.arange(24))
    for model in models(Z, PRIOR)[:3]:
        costs = [wave @ penalty @ wave for penalty in model.penalties]
        assert (np.diff(costs[:8]) > 0).all()
        assert (np.diff(costs[8:]) > 0).all()


def test_one_claim_alone_has_a_scale() -> None:
    for model in models(np.array([2.0]), PRIOR):
        assert np.isfinite(model.basis).all()
        assert np.isfinite(model.penalties).all()
