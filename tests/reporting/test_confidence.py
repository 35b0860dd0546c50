"""How sure a report is: its intervals are those that `calibrant.interval` gives."""

import inspect

import pytest
from shared_claims import claims

import calibrant
from calibrant.measures.draws import summarised
from calibrant.reporting.confidence import DRAWS, LEVEL, report_interval
from calibrant.reporting.measure_table import OF_CHANCES, OF_CLAIMS, OF_EVENTS, ListedMeasure

VIEW = claims(60)
QUICK = [each for each in (*OF_EVENTS, *OF_CHANCES, *OF_CLAIMS) if each.name != "calibration error"]


@pytest.mark.parametrize("listed", QUICK, ids=lambda each: each.name)
def test_ends_are_those_of_interval(listed: ListedMeasure) -> None:
    expected = calibrant.interval(listed.measure, VIEW)
    assert report_interval(listed.measure, VIEW) == (expected.low, expected.high)


def test_level_and_draws_are_the_defaults_of_interval() -> None:
    parameters = inspect.signature(calibrant.interval).parameters
    assert parameters["level"].default == LEVEL
    assert parameters["n_boot"].default == DRAWS


@pytest.mark.parametrize("name", ["ECE", "KS error", "slope", "observed/expected"])
def test_a_summary_of_many_claims_has_the_same_interval(name: str) -> None:
    (listed,) = [each for each in OF_CLAIMS if each.name == name]
    view = claims(6000, lift=0.3)
    summary = summarised(view)
    assert summary.n < view.n
    _, low, high = calibrant.interval(listed.measure, view)
    rel = 1e-9 if listed.unit == "points" else 0.01
    assert report_interval(listed.measure, summary) == pytest.approx((low, high), rel=rel)
