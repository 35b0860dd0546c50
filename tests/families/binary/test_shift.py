"""A shift of log odds adds what it says, and its band follows its quantiles."""

import numpy as np
import pytest
from scipy.special import expit, logit, ndtri

from calibrant import binary
from calibrant.families.binary.shift import Shift, UncertainShift

AT = np.linspace(-30, 30, 61)
SCORES = np.arange(-3.0, 4.0)
P = np.array([0.001, 0.2, 0.5, 0.9, 0.9999])
VIEW = binary(P, np.zeros(5))


def _normal(mean: np.ndarray, sd: float) -> UncertainShift:
    """A shift that is known as a normal distribution says."""
    return UncertainShift(AT, mean, SCORES, AT, mean + sd * SCORES[:, None])


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99, 0.999])
def test_of_a_normal_distribution_both_kinds_of_shift_have_one_band(level: float) -> None:
    mean = np.sin(AT)
    earlier = Shift(AT, mean, np.full(61, 0.3)).band(VIEW, level)
    np.testing.assert_allclose(_normal(mean, 0.3).band(VIEW, level), earlier, rtol=1e-12)
    half = 0.3 * ndtri((1 + level) / 2)
    middle = logit(P) + np.interp(logit(P), AT, mean)
    np.testing.assert_allclose(earlier, [expit(middle - half), expit(middle + half)], rtol=1e-9)


def test_a_band_may_reach_farther_to_one_side() -> None:
    rows = np.where(SCORES[:, None] > 0, 2.0, 0.5) * SCORES[:, None] + 0 * AT
    low, high = UncertainShift(AT, 0 * AT, SCORES, AT, rows).band(VIEW)
    z = logit(P)
    np.testing.assert_allclose(logit(low), z - 0.5 * ndtri(0.975))
    np.testing.assert_allclose(logit(high), z + 2 * ndtri(0.975))


def test_a_band_holds_the_map_itself() -> None:
    skewed = UncertainShift(AT, 0 * AT + 1.0, SCORES, AT, np.zeros((7, 61)))
    low, high = skewed.band(VIEW)
    np.testing.assert_allclose(low, P)
    np.testing.assert_allclose(high, skewed(VIEW))


def test_facts_tell_the_shift_at_three_claims() -> None:
    told = [(fact.name, fact.value) for fact in _normal(0 * AT + 0.25, 1.0).facts()]
    assert told == [("shift at 10%", 0.25), ("shift at 50%", 0.25), ("shift at 90%", 0.25)]
