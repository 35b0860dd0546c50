"""What is found of claims: few rows say nothing, and a clear gain elsewhere forbids good news."""

from dataclasses import replace

import numpy as np
import pytest

from calibrant import View, binary
from calibrant.inference.examination import examine
from calibrant.reporting.findings import (
    HINT,
    LEVEL,
    Finding,
    finding_of,
    is_blunt,
    is_hinted,
    tone_of,
)
from calibrant.simulate import task


def _right(n: int) -> View:
    """Claims that come true as often as they say, of so many rows."""
    p = np.linspace(0.05, 0.95, 19)
    shares = np.stack([p, 1 - p], axis=1).ravel() / len(p)
    return binary(np.repeat(p, 2), np.tile([True, False], len(p)), weights=n * shares)


@pytest.mark.parametrize("n", [1, 5, 9])
def test_so_few_rows_say_nothing(n: int) -> None:
    found = examine(_right(n))
    assert finding_of(found, has_gain=False) == "too few rows"
    assert tone_of(found, "too few rows") == "so-so"


def test_right_claims_are_good_news_where_rows_are_many() -> None:
    found = examine(_right(50_000))
    assert finding_of(found, has_gain=False) == "no error seen"
    assert not is_blunt(found)
    assert tone_of(found, "no error seen") == "good"


def test_few_right_claims_are_no_good_news() -> None:
    found = examine(_right(300))
    assert is_blunt(found)
    assert tone_of(found, finding_of(found, has_gain=False)) == "so-so"


def test_a_clear_gain_of_a_map_forbids_good_news() -> None:
    found = examine(_right(50_000))
    assert finding_of(found, has_gain=True) == "small error"
    assert tone_of(found, "small error") == "so-so"


@pytest.mark.parametrize(("shape", "finding"), [("sqrt", "too high"), ("square", "too low")])
def test_a_large_error_is_named_by_its_direction(shape: str, finding: Finding) -> None:
    made = task("sqrt" if shape == "sqrt" else "square", 0.1)
    found = examine(made.sample(5000, 0).view)
    assert finding_of(found, has_gain=False) == finding
    assert tone_of(found, finding) == "bad"


def test_a_hint_is_no_good_news_and_no_evidence() -> None:
    right = examine(_right(50_000))
    hinted = replace(right, p_value=(LEVEL + HINT) / 2)
    assert finding_of(hinted, has_gain=False) == "no error seen"
    assert is_hinted(hinted)
    assert tone_of(hinted, "no error seen") == "so-so"
    assert not is_hinted(replace(right, p_value=HINT + 0.01))
    assert finding_of(replace(right, p_value=LEVEL), has_gain=False) == "small error"
