"""Reports: the numbers are those of the measures, the words follow from them, and nothing kills a report."""

import json
from typing import Any

import numpy as np
import pytest

import calibrant
from calibrant import Predictions, Report, View, binary, from_logits, from_probs, report, samples
from calibrant.reporting.verdict import chance_limit

RNG = np.random.default_rng(0)


def claims(n: int, lift: float = 0.0, slope: float = 1.0, seed: int = 0) -> View:
    """Claims whose true log odds are `slope` times the claimed ones, plus `lift`."""
    rng = np.random.default_rng(seed)
    z = rng.normal(0, 2, n)
    return binary(1 / (1 + np.exp(-z)), rng.random(n) < 1 / (1 + np.exp(-slope * z - lift)))


def value(found: Report, view: str, name: str) -> float | None:
    (row,) = [row for row in found.rows if (row.view, row.name) == (view, name)]
    return row.value


@pytest.fixture(scope="module")
def sample() -> tuple[Predictions, Predictions]:
    return samples.load("c10-resnet18")


def test_the_numbers_are_those_of_the_measures(sample: tuple[Predictions, Predictions]) -> None:
    pred = sample[1]
    found = report(pred)
    top = calibrant.top_label(pred)
    line = calibrant.slope_intercept(top)
    expected = {
        ("Whole vector", "accuracy"): calibrant.accuracy(pred),
        ("Whole vector", "NLL"): calibrant.nll(pred),
        ("Whole vector", "Brier score"): calibrant.brier(pred),
        ("Top label", "mean confidence"): float(top.p.mean(dtype=np.float64)),
        ("Top label", "ECE"): calibrant.ece(pred),
        ("Top label", "sweep ECE"): calibrant.sweep_ece(pred),
        ("Top label", "KS error"): calibrant.ks_error(pred),
        ("Top label", "calibration error"): calibrant.calibration_error(pred),
        ("Top label", "slope"): line.slope,
        ("Top label", "intercept"): line.intercept,
        ("Top label", "observed/expected"): calibrant.observed_expected(pred),
        ("Top two", "KS error"): calibrant.ks_error(calibrant.within_top_r(pred, 2)),
        ("Each class against the rest", "mean ECE"): calibrant.classwise_ece(pred),
        ("Each class against the rest", "mean KS error"): calibrant.ks_error(calibrant.classwise(pred)),
    }
    for place, number in expected.items():
        assert value(found, *place) == pytest.approx(number), place
    assert (found.n, found.k, found.total) == (10_000, 10, 10_000.0)


def test_a_view_answers_its_own_question() -> None:
    view = claims(2000)
    found = report(view)
    assert {row.view for row in found.rows} == {"Claims that the event happens"}
    assert value(found, "Claims that the event happens", "event rate") == pytest.approx(view.y.mean())
    assert value(found, "Claims that the event happens", "NLL") == pytest.approx(calibrant.nll(view))
    assert (found.k, found.about) == (None, "2,000 claims that the event happens")


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
    assert "claim 90.00% on average and the event happens 60.00% of the time, 30.00 points less" in found.verdict
    assert "calibrant fit" in found.advice
    assert "So few rows would hide" in report(claims(40)).verdict
    assert "more rows" in report(claims(40)).advice


def test_calibrated_claims_stay_below_the_chance_limit_19_times_in_20() -> None:
    below = 0
    for seed in range(600):
        view = claims(400, seed=seed)
        below += calibrant.ks_error(view) <= chance_limit(view)
    assert 0.93 < below / 600 < 0.985


def test_weights_are_counts() -> None:
    view = claims(300)
    twice = binary(np.tile(view.p, 2), np.tile(view.y, 2))
    weighted = report(binary(view.p, view.y, weights=np.full(300, 2.0)))
    for one, other in zip(weighted.rows, report(twice).rows, strict=True):
        assert one.value == pytest.approx(other.value), one.name
    assert weighted.total == 600
    assert weighted.about.endswith("standing for 600")


@pytest.mark.parametrize(
    ("x", "why"),
    [
        (binary([0.2, 0.9, 0.7], [1, 1, 1]), "every outcome is the same"),
        (binary([0.2, 0.9, 0.7], [0, 0, 0]), "every outcome is the same"),
        (binary([0.5, 0.5], [1, 0]), "all claims are the same"),
        (binary([0.2, 0.4, 0.8, 0.9], [0, 0, 1, 1]), "one threshold parts the outcomes"),
        (binary([0.2, 0.4, 0.8, 0.9], [1, 1, 0, 0]), "one threshold parts the outcomes"),
        (binary([0.0], [0]), "every outcome is the same"),
        (binary([1.0], [0]), "every outcome is the same"),
    ],
    ids=str,
)
def test_an_undefined_slope_is_told_and_kills_nothing(x: View, why: str) -> None:
    found = report(x)
    (row,) = [row for row in found.rows if row.name == "slope"]
    assert (row.value, row.meaning) == (None, why)
    assert "undefined" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("x", "warning"),
    [
        (claims(100), "Only 100 rows"),
        (binary(np.repeat([0.2, 0.4, 0.6], 700), np.tile([True, False, False], 700)), "3 distinct in 2,100 rows"),
        (binary([1.0, 0.0, 0.5], [1, 1, 1]), "Claims of exactly 0 or 1: 2, of which 1 wrong"),
        (from_probs([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]], [1, 1]), "exactly 0 for the right class: 1;"),
        (from_probs([[0.6, 0.3, 0.1]], ["a"], classes=["a", "b", "c"]), "2 of 3 classes never occur (b, c)"),
        (from_logits(RNG.normal(size=(20, 9)), np.zeros(20, int)), "8 of 9 classes never occur (1, 2, 3, 4, 5, ...)"),
    ],
    ids=str,
)
def test_what_weakens_the_numbers_is_warned_of(x: Predictions | View, warning: str) -> None:
    found = report(x)
    assert any(warning in each for each in found.warnings)
    assert warning in " ".join(str(found).split())


def test_large_sound_data_have_no_warnings() -> None:
    assert report(claims(5000)).warnings == ()


def test_fit_on_shows_what_maps_would_do(sample: tuple[Predictions, Predictions]) -> None:
    fit_on, pred = sample
    found = report(pred, fit_on=fit_on)
    assert [each.name for each in found.standings] == ["as they are", "Temperature", "Isotonic"]
    before, after = found.standings[:2]
    assert before.nll == pytest.approx(calibrant.nll(pred))
    assert after.accuracy == before.accuracy
    mended = calibrant.Temperature().fit(fit_on).apply(pred)
    assert (after.nll, after.ece, after.ks) == pytest.approx(
        (calibrant.nll(mended), calibrant.ece(mended), calibrant.ks_error(mended))
    )
    assert "`calibrant fit --family temperature`" in " ".join(found.advice.split())
    assert report(claims(3000), fit_on=claims(30, lift=-3, seed=5)).advice.startswith("Neither map lowers the NLL")


def test_fit_on_must_be_of_the_same_sort(sample: tuple[Predictions, Predictions]) -> None:
    with pytest.raises(ValueError, match="fit_on must be of the same sort"):
        report(sample[1], fit_on=claims(50))
    with pytest.raises(ValueError, match="this map was fitted on probs"):
        report(sample[1], fit_on=from_probs(sample[0].probs, sample[0].labels))
    not_predictions: Any = np.eye(3)
    with pytest.raises(ValueError, match="a report is of Predictions or a View, got ndarray"):
        report(not_predictions)


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_reads_well_without_colour(
    sample: tuple[Predictions, Predictions], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("FORCE_COLOR", "1")
    found = report(sample[1], fit_on=sample[0])
    lines = str(found).splitlines()
    assert "\x1b" not in str(found)
    assert max(map(len, lines)) <= width
    for row in found.rows:
        assert any(row.name in line and line.endswith(row.meaning) for line in lines), row
    assert str(found).isascii()


def test_class_names_that_look_like_markup_are_shown_as_they_are() -> None:
    found = report(from_probs([[0.6, 0.3, 0.1]], ["[a]"], classes=["[a]", "[bold]", "[/]"]))
    assert "[bold], [/]" in " ".join(str(found).split())


def test_many_cells_leave_out_the_classwise_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibrant.reporting.summary.MOST_CELLS", 10)
    found = report(from_logits(RNG.normal(size=(20, 3)), RNG.integers(0, 3, 20)))
    (row,) = [row for row in found.rows if row.name == "mean ECE"]
    assert row.value is None
    assert "left out" in row.meaning


def test_the_dictionary_is_json() -> None:
    found = report(claims(500), fit_on=claims(500, seed=1))
    back = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert back["finding"] == found.finding
    assert back["rows"][0]["value"] == found.rows[0].value
    assert back["standings"][0]["accuracy"] is None
