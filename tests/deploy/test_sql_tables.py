"""Tables of maps that are no short formula."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.polynomial.polynomial import polyval
from scipy.special import expit
from shared_exports import DOUBLE, chance_map

import calibrant as c
from calibrant.deploy.sql_tables import ENDS, NoTable, Stretch, tabulated
from calibrant.families.binary.isotonic import Points
from calibrant.families.operations import GivenClaims
from calibrant.fitting.types import Array

MOST = 1_000_000


def _at(stretches: list[Stretch], z: Array) -> Array:
    """What a table gives for log odds."""
    q = np.full_like(z, np.nan)
    for low, high, coefficients in stretches:
        inside = (z >= low) & (z <= high)
        middle = (low + high) / 2
        q[inside] = polyval(z[inside] - middle, coefficients)
    return q


@pytest.mark.parametrize("bandwidth", [0.3, 0.02, 1e-3])
def test_a_table_comes_within_1e_12_of_the_rule_everywhere(bandwidth: float) -> None:
    rule = chance_map(c.Kernel(bandwidth)).rule
    stretches = tabulated(rule, MOST)
    z = np.random.default_rng(0).uniform(-ENDS, ENDS, 3000)
    claims = GivenClaims(expit(z), lambda: z)
    np.testing.assert_allclose(_at(stretches, z), rule(claims), rtol=0, atol=DOUBLE)


def test_stretches_follow_one_another_from_end_to_end() -> None:
    stretches = tabulated(chance_map(c.Kernel(0.02)).rule, MOST)
    assert stretches[0].low == -ENDS
    assert stretches[-1].high == ENDS
    for before, after in pairwise(stretches):
        assert before.high == after.low


def test_powers_that_are_not_needed_are_not_written() -> None:
    stretches = tabulated(Points(np.zeros(1), np.zeros(1), interpolate=True), MOST)
    assert {stretch.text("z") for stretch in stretches} == {"0.0e0"}


def test_a_rule_with_an_edge_has_no_table() -> None:
    steps = chance_map(c.Isotonic(interpolate=False)).rule
    lines = chance_map(c.Isotonic()).rule
    for rule in (steps, lines):
        with pytest.raises(NoTable, match="no polynomial comes near enough to it at log odds of"):
            tabulated(rule, MOST)


def test_a_table_that_is_too_long_is_given_up_on() -> None:
    with pytest.raises(NoTable, match="as a table it would be more than 10,000 characters"):
        tabulated(chance_map(c.Kernel(0.02)).rule, 9_900)
