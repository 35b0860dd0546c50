"""Reports: the numbers are those of the measures, the words follow from them, and nothing kills a report."""

import json
from typing import Any

import numpy as np
import pytest
from shared_claims import claims

import calibrant
from calibrant import Predictions, Report, View, binary, from_logits, from_probs, report, samples

RNG = np.random.default_rng(0)


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
        ("Each class against the rest", "mean KS error"): calibrant.ks_error(
            calibrant.classwise(pred)
        ),
    }
    for place, number in expected.items():
        assert value(found, *place) == pytest.approx(number), place
    assert (found.n, found.k, found.total) == (10_000, 10, 10_000.0)


def test_a_view_answers_its_own_question() -> None:
    view = claims(2000)
    found = report(view)
    assert {row.view for row in found.rows} == {"Claims that the event happens"}
    assert value(found, "Claims that the event happens", "event rate") == pytest.approx(
        view.y.mean()
    )
    assert value(found, "Claims that the event happens", "NLL") == pytest.approx(
        calibrant.nll(view)
    )
    assert (found.k, found.about) == (None, "2,000 claims that the event happens")


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


def test_fit_on_shows_what_maps_would_do(sample: tuple[Predictions, Predictions]) -> None:
    fit_on, pred = sample
    found = report(pred, fit_on=fit_on)
    assert [each.name for each in found.standings] == ["as they are", "temperature", "smooth"]
    before, after = found.standings[:2]
    assert before.nll == pytest.approx(calibrant.nll(pred))
    assert after.accuracy == before.accuracy
    mended = calibrant.Temperature().fit(fit_on).apply(pred)
    assert (after.nll, after.ece, after.ks) == pytest.approx(
        (calibrant.nll(mended), calibrant.ece(mended), calibrant.ks_error(mended))
    )
    best = min(found.standings, key=lambda each: each.nll)
    assert f"`calibrant fit --family {best.name}`" in " ".join(found.advice.split())
    assert report(claims(3000), fit_on=claims(30, lift=-3, seed=5)).advice.startswith(
        "Neither map lowers the NLL"
    )


def test_fit_on_must_be_of_the_same_sort(sample: tuple[Predictions, Predictions]) -> None:
    with pytest.raises(
        ValueError,
        match="fit_on must be of the same sort as what is reported on: got View for Pred",
    ):
        report(sample[1], fit_on=claims(50))
    with pytest.raises(ValueError, match="this map was fitted on probs"):
        report(sample[1], fit_on=from_probs(sample[0].probs, sample[0].labels))
    not_predictions: Any = np.eye(3)
    with pytest.raises(ValueError, match="a report is of Predictions or a View, got ndarray"):
        report(not_predictions)


def test_many_cells_leave_out_the_classwise_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibrant.reporting.class_errors.MOST_CELLS", 10)
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


def test_families_need_rows_to_be_fitted_on(sample: tuple[Predictions, Predictions]) -> None:
    found = report(sample[1], fit_on=sample[0], families={"T": calibrant.Temperature()})
    assert [each.name for each in found.standings] == ["as they are", "T"]
    assert (found.best, found.command) == (
        "T",
        "calibrant fit --family temperature FILE -o map.safetensors",
    )
    with pytest.raises(ValueError, match="give them too, as fit_on"):
        report(sample[1], families=[calibrant.Temperature()])


def test_the_dictionary_has_all_but_the_rows_themselves(
    sample: tuple[Predictions, Predictions],
) -> None:
    pred = sample[1][:500]
    found = report(pred, fit_on=sample[0][:500], by={"half": np.arange(500) % 2})
    back = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert "source" not in back
    assert [each["name"] for each in back["groups"]] == ["0", "1"]
    assert [each["ks"] for each in back["classes"]] == [each.ks for each in found.classes]
    assert back["facts"][0] == {"name": "rows", "words": "500"}
    assert (back["best"], back["level"]) == (found.best, None)
    assert "source" not in repr(found)


def test_reports_of_the_same_rows_are_equal() -> None:
    assert report(claims(200)) == report(claims(200))
    assert report(claims(200)) != report(claims(200, seed=1))


@pytest.mark.parametrize(("n", "k"), [(10, 2000), (10, 3), (3, 2)])
def test_few_rows_and_many_classes_have_a_report(n: int, k: int) -> None:
    found = report(from_logits(RNG.normal(size=(n, k)), RNG.integers(0, k, n)))
    assert found.k == k
    assert found.warnings[0].startswith(f"Only {n} rows")
    json.dumps(found.to_dict(), allow_nan=False)
