"""Families are named on the command line as people write them, several of them between commas."""

import pytest

import calibrant
from calibrant.cli.families import families_written, is_select, with_selected


def test_families_between_commas_are_called_by_their_names() -> None:
    assert list(families_written("Platt, temperature")) == ["platt", "temperature"]
    assert families_written("Ranked(spline, ranks=2),BBQ") == {
        "ranked(spline, ranks=2)": calibrant.Ranked(calibrant.Spline(), ranks=2),
        "bbq": calibrant.BBQ(),
    }


def test_select_is_what_cross_validation_chooses() -> None:
    fit_on = calibrant.samples.load("c10-lenet5")[0][:300]
    named = families_written("platt,Select")
    assert named == {"platt": calibrant.Platt(), "select": None}
    chosen = calibrant.cross_validate(fit_on).chosen
    assert with_selected(named, fit_on) == {"platt": calibrant.Platt(), "select": chosen}
    assert is_select(" SELECT ")
    assert not is_select(None)


def test_a_wrong_name_is_answered_with_the_likely_one() -> None:
    reason = r"no family 'isotonc'; did you mean isotonic\? the families are bbq, "
    with pytest.raises(ValueError, match=reason):
        families_written("platt,isotonc")
    with pytest.raises(ValueError, match=r"no family ''; the families are"):
        families_written("")
