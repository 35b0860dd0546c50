"""Limits as assertions."""

import pytest

from calibrant import binary, samples
from calibrant.integrations.testing import assert_calibrated


def test_a_model_within_its_limits_passes() -> None:
    few = samples.load("c10-lenet5")[1][:500]
    assert_calibrated(few, max_error=0.1, min_accuracy=0.6)


def test_what_fails_says_which_limit_and_by_how_much() -> None:
    overconfident = binary([0.9] * 200, [1] * 100 + [0] * 100)
    with pytest.raises(AssertionError, match=r"FAIL  ECE 40.*at most 5") as caught:
        assert_calibrated(overconfident, max_error=None, max_ece=0.05)
    assert "calibration error" not in str(caught.value)


def test_few_rows_are_given_the_benefit_of_the_doubt_unless_strict() -> None:
    few = binary([0.5] * 10, [1] * 6 + [0] * 4)
    assert_calibrated(few, max_error=None, max_ece=0.05)
    with pytest.raises(AssertionError, match="at most 5"):
        assert_calibrated(few, max_error=None, max_ece=0.05, strict=True)
