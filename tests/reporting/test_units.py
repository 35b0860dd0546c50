"""Units: a number is shown as people read it, and one that is not known says so."""

import pytest

from calibrant.reporting.units import Unit, shown, shown_finely


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (0.98765, "%", "98.77"),
        (0.0475, "points", "4.75"),
        (1.5, "nats", "1.5000"),
        (-0.25, "", "-0.2500"),
        (None, "points", "undefined"),
    ],
)
def test_fractions_are_shown_in_their_unit(value: float | None, unit: Unit, expected: str) -> None:
    assert shown(value, unit) == expected


def test_small_fractions_have_a_digit_more() -> None:
    assert shown_finely(0.00123) == "0.123"
