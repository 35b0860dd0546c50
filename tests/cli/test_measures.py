"""Measures are called by names that can be typed."""

import pytest

import calibrant
from calibrant.cli.measures import MEASURES, measure_called


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_a_number_of_predictions(name: str) -> None:
    pred = calibrant.from_probs([[0.7, 0.2, 0.1], [0.2, 0.5, 0.3]], [0, 2])
    assert isinstance(measure_called(name)(pred), float)


def test_names_forgive_case_and_underscores() -> None:
    assert measure_called("KS_error") is calibrant.ks_error


def test_a_wrong_name_is_answered_with_the_likely_one() -> None:
    reason = r"no measure 'ecee'; did you mean ece\? the measures are nll, "
    with pytest.raises(ValueError, match=reason):
        measure_called("ecee")
