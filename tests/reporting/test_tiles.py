"""The three numbers of a first look: those of the measures, with what right claims would show."""

import numpy as np
import pytest
from shared_claims import claims

import calibrant
from calibrant import Temperature, binary, report, samples, top_label
from calibrant.measures.scores import row_losses


def test_values_are_those_of_the_measures_within_their_intervals() -> None:
    view = claims(1500, lift=0.5)
    error, ratio, gain = report(view).tiles
    assert error.value == calibrant.calibration_error(view)
    assert ratio.value == calibrant.observed_expected(view)
    for each in (error, ratio, gain):
        assert each.value is not None
        assert each.low is not None
        assert each.high is not None
        assert each.low < each.high
        assert each.is_off
    assert gain.value is not None
    assert gain.low is not None
    assert 0 < gain.low < gain.value


def test_right_claims_are_not_off_and_gain_nothing() -> None:
    for each in report(claims(1500)).tiles:
        assert not each.is_off, each
    assert report(claims(1500)).tiles[2].value < 0.005  # type: ignore[operator]


def test_the_gain_is_that_of_the_best_map_of_other_rows() -> None:
    fit_on, test = samples.load("c10-resnet18")
    fit_on, test = fit_on[:1000], test[:1500]
    found = report(test, fit_on=fit_on, families=[Temperature()])
    gain = found.tiles[2]
    mended = Temperature().fit(fit_on).apply(test)
    gains = row_losses(test, "nll") - row_losses(mended, "nll")
    assert gain.value == pytest.approx(gains.mean())
    half = 1.96 * gains.std() / np.sqrt(1500)
    assert (gain.low, gain.high) == pytest.approx((gains.mean() - half, gains.mean() + half))
    assert gain.meaning == "by temperature, fitted on other rows"


def test_intervals_that_were_asked_for_are_shown_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibrant.reporting.confidence.DRAWS", 100)
    found = report(claims(60), intervals=True, seed=4)
    rows = {row.name: (row.low, row.high) for row in found.rows}
    error, ratio, _ = found.tiles
    assert (error.low, error.high) == rows[error.name]
    assert (ratio.low, ratio.high) == rows[ratio.name]


def test_what_one_row_cannot_tell_is_left_out() -> None:
    error, ratio, gain = report(binary([0.3], [1])).tiles
    assert (error.low, ratio.low, gain.value) == (0.0, None, None)
    assert not any(each.is_off for each in (error, ratio, gain))
    assert report(binary([0.0, 0.0], [0, 0])).tiles[1].value is None


def test_the_first_question_is_that_of_the_verdict() -> None:
    _, test = samples.load("c10-resnet18")
    test = test[:800]
    assert report(test).tiles[0].value == calibrant.calibration_error(top_label(test))
