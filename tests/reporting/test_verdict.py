"""Verdicts: the words follow from the numbers, and from what chance alone would show."""

import numpy as np
import pytest
from shared_claims import claims

import calibrant
from calibrant import Predictions, View, binary, from_logits, from_probs, report
from calibrant.reporting.verdict import chance_limit

RNG = np.random.default_rng(0)


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


def test_calibrated_claims_stay_below_the_chance_limit_19_times_in_20() -> None:
    below = 0
    for seed in range(600):
        view = claims(400, seed=seed)
        below += calibrant.ks_error(view) <= chance_limit(view)
    assert 0.93 < below / 600 < 0.985


@pytest.mark.parametrize(
    ("x", "warning"),
    [
        (claims(100), "Only 100 rows"),
        (
            binary(np.repeat([0.2, 0.4, 0.6], 700), np.tile([True, False, False], 700)),
            "3 distinct in 2,100 rows",
        ),
        (binary([1.0, 0.0, 0.5], [1, 1, 1]), "Claims of exactly 0 or 1: 2, of which 1 wrong"),
        (
            from_probs([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]], [1, 1]),
            "exactly 0 for the right class: 1;",
        ),
        (
            from_probs([[0.6, 0.3, 0.1]], ["a"], classes=["a", "b", "c"]),
            "2 of 3 classes never occur (b, c)",
        ),
        (
            from_logits(RNG.normal(size=(20, 9)), np.arange(20) % 9),
            "9 of 9 classes occur fewer than 10 times (0, 1, 2, ",
        ),
        (
            from_logits(RNG.normal(size=(200, 50)), np.minimum(np.arange(200), 49)),
            "rows, 38 times an even share",
        ),
        (
            from_logits(RNG.normal(size=(50, 2)), np.arange(50) // 49),
            "Outcomes are uneven: 0 makes up 98% of the rows",
        ),
        (
            binary(np.linspace(0, 1, 200), np.arange(200) < 2),
            "uneven: the event fails to happen 99% of the time, so",
        ),
        (
            binary(np.linspace(0, 1, 200), np.arange(200) > 1),
            "uneven: the event happens 99% of the time, so",
        ),
        (
            from_logits(RNG.normal(size=(20, 9)), np.zeros(20, int)),
            "8 of 9 classes never occur (1, 2, 3, 4, 5, ...)",
        ),
    ],
    ids=str,
)
def test_what_weakens_the_numbers_is_warned_of(x: Predictions | View, warning: str) -> None:
    found = report(x)
    assert any(warning in each for each in found.warnings)
    assert warning in " ".join(str(found).split())


def test_large_sound_data_have_no_warnings() -> None:
    assert report(claims(5000)).warnings == ()
