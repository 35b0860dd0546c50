"""Models of a shift: a slope, splines, and a jump at claims of exactly 0 and 1 where there are any."""

import numpy as np
import pytest

from calibrant import binary
from calibrant.families.binary.penalised_splines import points
from calibrant.families.binary.shift_models import PriorOdds, exact_gaps, models

PRIOR = PriorOdds(identity=0.3, temperature=0.2)
P = np.array([0.0, 0.0, 0.1, 0.4, 0.7, 0.95, 1.0])
VIEW = binary(P, np.zeros(7))


def test_a_gap_lies_between_other_claims_and_exact_ones() -> None:
    (upper, lower) = exact_gaps(VIEW)
    z = VIEW.log_odds
    assert z[5] <= upper.inner < upper.outer <= z[6]
    assert z[2] >= lower.inner > lower.outer >= z[0]
    assert {upper.inner, upper.outer, lower.inner, lower.outer} <= set(points())


@pytest.mark.parametrize(
    "p",
    [[0.2, 0.7], [0.0, 1.0], [1.0] * 4, [1e-300, 0.0, 0.5], [0.5, 1 - 2**-53, 1.0]],
)
def test_without_room_for_a_jump_there_is_none(p: list[float]) -> None:
    assert exact_gaps(binary(p, np.zeros(len(p)))) == ()


def test_rows_without_weight_make_no_gap() -> None:
    assert exact_gaps(binary([0.3, 0.6, 1.0], [0, 1, 1], weights=[1, 2, 0])) == ()


def test_a_jump_is_nothing_at_other_claims_and_one_at_exact_ones() -> None:
    gaps = exact_gaps(VIEW)
    z = np.unique(VIEW.log_odds)
    for model in models(z, PRIOR, gaps):
        upper, lower = model.design.x[:, -2:].T
        np.testing.assert_array_equal(upper, z == z[-1])
        np.testing.assert_array_equal(lower, z == z[0])
        # So it is in the map, which is a line between points.
        for column, at_claims in ((-2, upper), (-1, lower)):
            line = np.interp(z, points(), model.basis[:, column])
            np.testing.assert_array_equal(line, at_claims)


def test_prior_odds_of_all_splines_are_one() -> None:
    found = models(np.linspace(-2, 2, 9), PRIOR)
    splines = sum(model.odds * len(model.penalties) for model in found[:3])
    assert splines == pytest.approx(1)
    assert len(found) == 4
    assert found[-1].odds == PRIOR.temperature
    with_jumps = models(np.unique(VIEW.log_odds), PRIOR, exact_gaps(VIEW))
    assert with_jumps[-1].odds == PRIOR.identity
    assert with_jumps[-1].basis.shape == (len(points()), 2)
