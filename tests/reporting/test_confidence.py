"""How sure a report is: its intervals are those that `calibrant.interval` gives."""

import pytest
from shared_claims import claims

import calibrant
from calibrant.reporting.confidence import DRAWS, LEVEL, report_interval
from calibrant.reporting.measure_table import OF_CHANCES, OF_CLAIMS, OF_EVENTS, ListedMeasure

VIEW = claims(60)
QUICK = [each for each in (*OF_EVENTS, *OF_CHANCES, *OF_CLAIMS) if each.name != "calibration error"]


@pytest.mark.parametrize("listed", QUICK, ids=lambda each: each.name)
def test_ends_are_those_of_interval(listed: ListedMeasure) -> None:
    expected = calibrant.interval(listed.measure, VIEW, level=LEVEL, n_boot=DRAWS)
    assert report_interval(listed.measure, VIEW) == (expected.low, expected.high)
