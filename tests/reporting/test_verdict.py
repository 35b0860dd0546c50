"""Verdicts: the words follow from the numbers, and from what chance alone would show."""

import pytest
from shared_claims import claims

from calibrant import View, binary, report


@pytest.mark.parametrize(
    ("view", "finding"),
    [
        (claims(5000), "no error seen"),
        (claims(50), "no error seen"),
        (claims(5000, lift=-1), "overconfident"),
        (claims(5000, lift=1), "underconfident"),
        (claims(20_000, slope=0.5), "too extreme"),
        (claims(20_000, slope=2), "too timid"),
        (claims(200_000, lift=0.04), "small error"),
        (binary([0.1] * 30 + [0.9] * 30, [1] * 30 + [0] * 30), "uneven"),
    ],
    ids=str,
)
def test_the_verdict_names_the_fault(view: View, finding: str) -> None:
    found = report(view)
    assert found.finding == finding
    explained = "within what chance makes" in found.verdict
    assert explained == (finding == "no error seen")
    assert explained != ("Chance alone does not explain it" in found.verdict)


def test_the_verdict_tells_the_direction_and_the_size() -> None:
    found = report(binary([0.9] * 1000, [1] * 600 + [0] * 400))
    assert (
        "claim 90.00% on average and the event happens 60.00% of the time, 30.00 points less"
        in found.verdict
    )
    assert "calibrant fit" in found.advice
    assert "So few rows would hide" in report(claims(40)).verdict
    assert "more rows" in report(claims(40)).advice
