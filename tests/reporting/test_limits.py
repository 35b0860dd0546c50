"""Limits are judged by the intervals that a report shows."""

import numpy as np
import pytest

from calibrant import binary, calibration_error, from_probs, one_class, report
from calibrant.reporting.limits import LIMITED, check_limits
from calibrant.reporting.measure_table import MeasureRow

RNG = np.random.default_rng(0)
P = RNG.dirichlet([0.4, 0.4, 0.4], 400)
TOO_SURE = from_probs(P, [RNG.choice(3, p=0.5 * row + 1 / 6) for row in P])


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibrant.reporting.confidence.DRAWS", 100)


def test_numbers_and_intervals_are_those_of_a_report() -> None:
    rows: dict[str, MeasureRow] = {}
    for row in report(TOO_SURE, intervals=True).rows:
        rows.setdefault(row.name, row)
    names = {"error": "calibration error", "ece": "ECE", "ks-error": "KS error"}
    names |= {"nll": "NLL", "brier": "Brier score", "accuracy": "accuracy"}
    found = check_limits(TOO_SURE, dict.fromkeys(names, 0.5))
    for each in found.limits:
        row = rows[names[each.name]]
        assert (each.value, each.low, each.high) == (row.value, row.low, row.high)


def test_of_two_classes_the_error_is_that_of_the_second() -> None:
    pred = from_probs(P[:100, 0], P[:100, 0] > 0.4)
    (found,) = check_limits(pred, {"error": 0.9}).limits
    assert found.value == calibration_error(one_class(pred, 1))


@pytest.mark.parametrize("name", ["ece", "nll", "accuracy"])
def test_a_limit_fails_beyond_the_interval_and_strictly_within_it(name: str) -> None:
    (found,) = check_limits(TOO_SURE, {name: 0.5}).limits
    is_most = LIMITED[name].side == "at most"
    kept, broken = (found.high, found.low) if is_most else (found.low, found.high)
    better, worse = (1, -1) if is_most else (-1, 1)
    inside = (found.low + found.high) / 2
    for limit, plain, strict in (
        (kept, "pass", "pass"),
        (kept + better * 1e-6, "pass", "pass"),
        (inside, "open", "fail"),
        (broken, "open", "fail"),
        (broken + worse * 1e-6, "fail", "fail"),
    ):
        for is_strict, outcome in ((False, plain), (True, strict)):
            check = check_limits(TOO_SURE, {name: limit}, strict=is_strict)
            assert check.limits[0].outcome == outcome
            assert check.is_passed == (outcome != "fail")
            assert check.to_dict()["passed"] == check.is_passed


@pytest.mark.parametrize("times", [3.0, 1 / 3])
def test_a_ratio_counts_both_ways(times: float) -> None:
    p = np.full(20_000, 0.02)
    y = np.arange(20_000) < 400 / times
    (found,) = check_limits(binary(p, y), {"ratio": 1.5}).limits
    assert found.value == pytest.approx(3, rel=0.01)
    assert 2 < found.low < found.value < found.high < 5
    assert found.outcome == "fail"
    (found,) = check_limits(binary(p, np.arange(20_000) < 405), {"ratio": 1.5}).limits
    assert (found.low, found.outcome) == (1.0, "pass")


def test_where_no_event_happened_the_ratio_has_no_end() -> None:
    (found,) = check_limits(binary([0.3] * 500, [0] * 500), {"ratio": 1.5}).limits
    assert (found.value, found.outcome) == (np.inf, "fail")


def test_a_line_says_all_of_a_limit() -> None:
    check = check_limits(binary([0.9] * 100, [1] * 60 + [0] * 40), {"ece": 0.02, "nll": 9})
    first, second = str(check).splitlines()
    assert first.startswith("FAIL  ECE 30.00 points (")
    assert first.endswith("), at most 2.00")
    assert second.startswith("pass  NLL 0.984")


def test_accuracy_is_of_classes() -> None:
    with pytest.raises(ValueError, match="accuracy is of classes, and these rows have one chance"):
        check_limits(binary([0.9] * 100, [1] * 60 + [0] * 40), {"accuracy": 0.9})
