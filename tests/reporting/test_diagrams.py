"""Diagrams of a page: every sum is that of all rows, curves are those of the library, and many rows cost no more."""

import json

import numpy as np
import pytest
from scipy.special import expit

import calibrant
from calibrant import (
    Isotonic,
    Predictions,
    binary,
    from_logits,
    report,
    samples,
    top_label,
)
from calibrant.reporting.diagrams import diagrams


@pytest.fixture(scope="module")
def sample() -> tuple[Predictions, Predictions]:
    return samples.load("c10-resnet18")


def test_gaps_drawn_sum_to_the_errors_printed(sample: tuple[Predictions, Predictions]) -> None:
    smooth, bins, isotonic = diagrams(sample[1], {}, []).pictures[0][0].curves
    assert smooth is not None
    assert bins is not None
    assert isotonic is not None
    p, q, rows = expit(bins.p), expit(bins.q), np.array(bins.rows)
    assert rows.sum() == 10_000
    # Chances travel as log odds of four digits.
    assert np.average(np.abs(p - q), weights=rows) == pytest.approx(
        calibrant.ece(sample[1]), abs=2e-5
    )
    assert bins.error == pytest.approx(calibrant.ece(sample[1]), abs=1e-12)
    assert smooth.error == pytest.approx(calibrant.calibration_error(sample[1]), abs=1e-4)
    assert isotonic.error == pytest.approx(
        calibrant.calibration_error(sample[1], Isotonic()), abs=2e-4
    )


def test_bars_hold_every_row(sample: tuple[Predictions, Predictions]) -> None:
    found = diagrams(sample[1], {}, [0, 3])
    for picture in found.pictures[0]:
        for bars in (picture.chance, picture.odds):
            assert sum(bars.rows) == picture.rows == 10_000
            assert np.average(bars.claimed, weights=bars.rows) == pytest.approx(
                picture.claimed, abs=1e-5
            )
            assert np.average(bars.happened, weights=bars.rows) == pytest.approx(
                picture.happened, abs=1e-5
            )
    assert found.pictures[0][0].happened == pytest.approx(calibrant.accuracy(sample[1]))


def test_there_is_a_picture_for_each_question_and_each_map(
    sample: tuple[Predictions, Predictions],
) -> None:
    fit_on, pred = sample
    found = report(pred[:2000], fit_on=fit_on[:1000], families=[calibrant.Temperature()])
    drawn = found.diagrams
    assert drawn.claims == ("as they are", "after temperature")
    assert [each.name for each in drawn.views] == [
        "Top label",
        "Top two",
        *(each.name for each in found.classes),
    ]
    assert [len(each) for each in drawn.pictures] == [12, 12]
    mended = calibrant.Temperature().fit(fit_on[:1000]).apply(pred[:2000])
    assert drawn.pictures[1][0].claimed == pytest.approx(top_label(mended).p.mean())
    json.dumps(drawn.to_dict(), allow_nan=False)


def test_the_first_question_has_bands_and_the_others_with_intervals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("calibrant.reporting.diagrams.BAND_DRAWS", 40)
    random = np.random.default_rng(0)
    z = random.normal(0, 1, (400, 3))
    pred = from_logits(z, (z + random.gumbel(size=z.shape)).argmax(1))
    plain, full = (diagrams(pred, {}, [], bands=bands).pictures[0] for bands in (False, True))
    for curve in (*plain[0].curves, *full[0].curves, *full[1].curves[1:]):
        assert curve is not None
        assert curve.confidence is not None
        assert curve.consistency is not None
        low, high = (np.array(end) for end in curve.consistency)
        inside = (low <= np.array(curve.p)) & (np.array(curve.p) <= high)
        assert inside.mean() > 0.8
        assert all(curve.confidence[0][i] <= curve.confidence[1][i] for i in range(len(curve.p)))
    for curve in plain[1].curves:
        assert curve is not None
        assert curve.consistency is None


@pytest.mark.parametrize(
    "x",
    [
        binary([0.0, 1.0, 1.0], [0, 1, 0]),
        binary([0.5], [1]),
        binary([0.3] * 9, [1] * 9),
        from_logits(np.array([[1e4, -1e4], [-1e4, 1e4]]), [0, 0]),
        binary([0.2, 0.7, 0.7], [0, 1, 0], weights=[2, 0, 3]),
    ],
    ids=str,
)
def test_odd_data_are_drawn_or_left_out_but_never_nan(x: calibrant.View) -> None:
    drawn = report(x).diagrams
    text = json.dumps(drawn.to_dict(), allow_nan=False)
    assert drawn.pictures[0][0].rows > 0
    assert len(text) < 200_000
