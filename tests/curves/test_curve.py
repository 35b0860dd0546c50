"""The reliability diagram: its gaps add up to the error, and no row is left out."""

import subprocess
import sys
from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest
from shared_claims import claims
from shared_views import ODD_VIEWS, predictions

from calibrant import (
    BBQ,
    Beta,
    Binned,
    Family,
    HistogramBinning,
    Isotonic,
    PiecewiseLinear,
    Platt,
    ScalingBinning,
    Smooth,
    Spline,
    Temperature,
    VennAbers,
    binary,
    calibration_error,
    confidence_band,
    consistency_band,
    curves,
    ece,
    top_label,
)

FAMILIES: tuple[Family, ...] = (
    Smooth(),
    Binned(),
    Binned(7, edges="mass"),
    Binned(edges="mass", rule="sweep"),
    Binned(5, slope=0),
    HistogramBinning(),
    Isotonic(),
    Isotonic(interpolate=False),
    Isotonic(centred=True),
    PiecewiseLinear(segments=2),
    PiecewiseLinear(space="logit", segments=2),
    BBQ(),
    Platt(),
    Beta(),
    Spline(),
    ScalingBinning(),
    VennAbers(),
    Temperature(),
)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("name", ["many", *ODD_VIEWS])
def test_gaps_add_up_to_the_calibration_error_and_counts_to_all_rows(
    name: str, family: Family
) -> None:
    view = claims(500, slope=0.6) if name == "many" else ODD_VIEWS[name]
    curve = curves.reliability(view, family, level=None)
    assert curve.error == pytest.approx(calibration_error(view, family), abs=1e-12)
    assert curve.error == pytest.approx(np.average(curve.gap, weights=curve.count), abs=1e-12)
    assert curve.count.sum() == curve.total == view.total
    assert (np.diff(curve.p) > 0).all()
    assert ((curve.q >= 0) & (curve.q <= 1)).all()
    assert len(curve.p) <= 300
    for seen in (curve.histogram, curve.odds_histogram):
        assert seen.total == view.total
        assert seen.mean_claim == pytest.approx(np.average(view.p, weights=view.w), abs=1e-12)
        assert seen.share == pytest.approx(np.average(view.y, weights=view.w), abs=1e-12)


@pytest.mark.parametrize(
    "family", [Binned(), Binned(6, edges="mass"), Binned(rule="sweep", edges="mass")], ids=repr
)
def test_the_bars_drawn_at_mean_claims_are_the_gaps_of_ece(family: Binned) -> None:
    view = claims(800, lift=0.5)
    curve = curves.reliability(view, family, level=None)
    gap = np.average(np.abs(curve.q - curve.p), weights=curve.count)
    assert gap == pytest.approx(calibration_error(view, family), abs=1e-12)
    assert curve.bins is not None
    side: Literal["left", "right"] = "left" if family.edges == "width" else "right"
    bin_of_row = np.searchsorted(curve.bins.low[1:], view.p, side=side)
    for k, (low, high) in enumerate(curve.bins.ends):
        rows = bin_of_row == k
        assert low <= view.p[rows].min()
        assert view.p[rows].max() <= high
        assert rows.sum() == curve.count[k]
        assert view.p[rows].mean() == pytest.approx(curve.p[k], abs=1e-12)
        assert view.y[rows].mean() == pytest.approx(curve.q[k], abs=1e-12)


def test_the_area_above_a_tilted_roof_is_ece_where_claims_are_spread_evenly() -> None:
    p = (np.arange(10_000) + 0.5) / 10_000
    view = binary(p, np.random.default_rng(0).random(10_000) < p**2)
    roof = curves.tilted_roof(view, Binned(10), level=None)
    assert roof.bins is not None
    widths = roof.bins.high - roof.bins.low
    area = (np.abs(roof.q - roof.p) * widths).sum()
    assert area == pytest.approx(ece(view, 10), abs=1e-9)


def test_a_line_passes_through_the_map_and_few_claims_are_points_of_it() -> None:
    view = binary(np.repeat([0.2, 0.75, 0.9], 30), np.arange(90) % 2)
    curve = curves.reliability(view, Platt(), level=None)
    at = np.searchsorted(curve.p, [0.2, 0.75, 0.9])
    assert curve.p[at].tolist() == [0.2, 0.75, 0.9]
    assert curve.count[at].tolist() == [30, 30, 30]
    np.testing.assert_allclose(curve.q, Platt().fit(view)(curve.p), atol=1e-15)


@pytest.mark.parametrize("family", [Isotonic(), Binned(8)], ids=repr)
def test_bands_are_those_of_the_library_at_the_points(family: Family) -> None:
    view = claims(300)
    curve = curves.reliability(view, family, level=0.8, n_boot=20, seed=3)
    assert curve.confidence is not None
    assert curve.consistency is not None
    confidence = confidence_band(view, family, curve.p, level=0.8, n_boot=20, seed=3)
    consistency = consistency_band(view, family, curve.p, level=0.8, n_boot=20, seed=3)
    np.testing.assert_array_equal(curve.confidence, confidence)
    np.testing.assert_array_equal(curve.consistency, consistency)


@pytest.mark.parametrize("family", [Smooth(), Binned(), HistogramBinning(4), Isotonic()], ids=repr)
def test_order_and_repetition_play_no_part(family: Family) -> None:
    random = np.random.default_rng(1)
    p, w = random.random(80).round(2), random.integers(0, 4, 80)
    y = random.random(80) < p
    weighted = binary(p, y, weights=w)
    repeated = binary(np.repeat(p, w)[::-1], np.repeat(y, w)[::-1])
    one = curves.reliability(weighted, family, level=None)
    other = curves.reliability(repeated, family, level=None)
    for name in ("p", "q", "count", "gap", "error"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-9)
    np.testing.assert_allclose(one.histogram.count, other.histogram.count)


def test_predictions_are_asked_for_their_top_label_and_a_family_is_told_in_short() -> None:
    pred = predictions()
    family = PiecewiseLinear(space="logit", segments=1)
    curve = curves.reliability(pred, family, level=None)
    assert curve.event == top_label(pred).event
    assert curve.family == "PiecewiseLinear(space='logit', segments=1)"
    assert curve.error == pytest.approx(calibration_error(pred, family), abs=1e-12)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: curves.reliability([0.5]), "Predictions or one View"),  # type: ignore[arg-type]
        (lambda: curves.reliability(claims(9), Smooth), "a family, or its name"),  # type: ignore[arg-type]
        (lambda: curves.reliability(claims(9), level=95), "between 0 and 1"),
        (lambda: curves.tilted_roof(claims(9), Binned(slope=0)), "slope=1"),
    ],
)
def test_what_is_wrong_is_said(act: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        act()


def test_a_million_rows_are_summarised() -> None:
    view = claims(1_000_000, slope=0.8)
    curve = curves.reliability(view, level=None)
    assert len(curve.p) <= 300


def test_numbers_need_no_drawing_library() -> None:
    program = "import sys, calibrant.curves; print(*sys.modules)"
    call = [sys.executable, "-c", program]
    found = subprocess.run(call, capture_output=True, text=True, check=True)
    assert not {"matplotlib", "torch"} & set(found.stdout.split())
