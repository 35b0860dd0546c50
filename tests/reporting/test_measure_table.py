"""The numbers of a report: intervals hold their numbers where they can, and what has none says why."""

from collections.abc import Iterator

import numpy as np
import pytest
from shared_claims import claims

import calibrant
from calibrant import (
    Report,
    binary,
    from_probs,
    report,
    samples,
    variational_error,
    vector_error,
)
from calibrant.measures.thinning import thinned
from calibrant.reporting.measure_table import OF_CLAIMS


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the number whose draws take longest."""
    some = tuple(each for each in OF_CLAIMS if each.name != "calibration error")
    monkeypatch.setattr("calibrant.reporting.measure_table.OF_CLAIMS", some)


@pytest.fixture(scope="module")
def found() -> Iterator[Report]:
    with pytest.MonkeyPatch.context() as patch:
        for place in ("confidence", "summary"):
            patch.setattr(f"calibrant.reporting.{place}.DRAWS", 100)
        yield report(samples.load("c10-resnet18")[0][:500], intervals=True)


def test_every_number_that_varies_has_an_interval(found: Report) -> None:
    without = {(row.view, row.name) for row in found.rows if row.low is None}
    assert without == {
        ("Whole vector", "lower limit"),
        ("Whole vector", "too extreme"),
        ("Whole vector", "vector by chance"),
        ("Top label", "KS by chance"),
        ("Each class against the rest", "mean ECE"),
        ("Each class against the rest", "mean KS error"),
    }
    assert (found.level, found.draws) == (0.95, 100)


def test_means_and_signed_numbers_lie_in_their_intervals(found: Report) -> None:
    signed = (
        "accuracy",
        "NLL",
        "Brier score",
        "mean confidence",
        "slope",
        "intercept",
        "observed/expected",
    )
    for row in found.rows:
        if row.name in signed:
            assert row.value is not None
            assert row.low is not None
            assert row.high is not None
            assert row.low < row.value < row.high, row


@pytest.mark.usefixtures("quick")
def test_the_intercept_is_told_with_its_sign() -> None:
    view = claims(3000, lift=-1)
    (row,) = [row for row in report(view, intervals=True).rows if row.name == "intercept"]
    assert row.low is not None
    assert row.high is not None
    assert row.low < -1 < row.high < -0.8


def test_without_intervals_the_numbers_are_the_same(found: Report) -> None:
    plain = report(samples.load("c10-resnet18")[0][:500])
    assert [(row.name, row.value) for row in plain.rows] == [
        (row.name, row.value) for row in found.rows
    ]
    assert {row.low for row in plain.rows} == {None}
    assert (plain.level, plain.draws) == (None, None)


@pytest.mark.usefixtures("quick")
def test_a_number_without_an_interval_says_why() -> None:
    found = report(binary([0.7], [1]), intervals=True)
    assert any(warning.startswith("There is no interval for the NLL") for warning in found.warnings)
    few = report(binary([0.2, 0.4, 0.5, 0.8], [0, 1, 0, 1]), intervals=True)
    assert any("no interval for the slope: " in warning for warning in few.warnings)


@pytest.mark.usefixtures("quick")
def test_an_undefined_number_has_no_interval_and_says_why_itself() -> None:
    found = report(binary([0.0, 0.0], [0, 1]), intervals=True)
    (row,) = [row for row in found.rows if row.name == "observed/expected"]
    assert (row.value, row.low) == (None, None)
    assert row.meaning == "every chance is exactly 0, so nothing is expected"
    assert not any("observed/expected" in warning for warning in found.warnings)


def test_weights_are_counts() -> None:
    rng = np.random.default_rng(1)
    view, w = claims(200), rng.integers(0, 3, 200)
    weighted = report(binary(view.p, view.y, weights=w)).rows
    repeated = report(view[np.repeat(np.arange(200), w)]).rows
    for one, other in zip(weighted, repeated, strict=True):
        assert one.value == pytest.approx(other.value), one.name
    assert calibrant.ece(view) != pytest.approx(repeated[4].value)


def test_the_vector_error_and_its_limit_are_those_of_the_library() -> None:
    pred = samples.load("c10-resnet18")[0][:1000]
    rows = {row.name: row for row in report(pred).rows}
    found = variational_error(pred)
    shown = [rows[name].value for name in ("vector error", "lower limit", "too extreme")]
    assert shown == [found.error, found.low, found.over]
    assert found.low > 0


def test_of_many_chances_the_vector_error_is_of_fewer_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("calibrant.reporting.measure_table.MOST_CHANCES", 5000)
    pred = samples.load("c10-resnet18")[0][:2000]
    (row,) = [row for row in report(pred).rows if row.name == "vector error"]
    assert row.value == vector_error(thinned(pred, 500))
    assert row.meaning == "of 500 rows; vector_error(x) takes all"


def test_a_row_alone_has_no_vector_error_and_two_classes_have_none_shown() -> None:
    few = report(from_probs([[0.2, 0.3, 0.5]], [2])).rows
    (row,) = [row for row in few if row.name == "vector error"]
    assert row.value is None
    assert "2 rows" in row.meaning
    two = report(from_probs([0.2, 0.5, 0.9], [0, 1, 1])).rows
    assert not any(row.name == "vector error" for row in two)
