"""The numbers of diagrams: they add up to the library's own measures, and no row is left out."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import dirichlet
from shared_claims import claims

from calibrant import (
    BBQ,
    Beta,
    Binned,
    Family,
    HistogramBinning,
    Isotonic,
    PiecewiseLinear,
    Platt,
    Predictions,
    ScalingBinning,
    Smooth,
    Spline,
    Temperature,
    VennAbers,
    View,
    accuracy,
    binary,
    calibration_error,
    canonical,
    classwise,
    confidence_band,
    consistency_band,
    curves,
    ece,
    from_logits,
    from_probs,
    kde_error,
    ks_error,
    one_class,
    sweep_ece,
    top_label,
    top_r,
    within_top_r,
)
from calibrant.measures.simplex import simplex_error
from calibrant.measures.smooth_ece import smece

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
ODD = {
    "rounded": binary(np.arange(60) % 11 / 10, np.arange(60) % 3 == 0),
    "one row": binary([0.8], [1]),
    "one claim": binary([0.8] * 50, [1] * 30 + [0] * 20),
    "all happened": binary(np.linspace(0.05, 0.9, 40), np.ones(40)),
    "certain": binary([0.0] * 5 + [1.0] * 5, [0, 0, 0, 0, 1, 1, 1, 1, 1, 0]),
    "only zeros": binary([0.0] * 5, [0, 0, 0, 0, 1]),
    "weighed": binary([0.1, 0.2, 0.3, 0.9, 0.9], [1, 0, 1, 1, 0], weights=[0, 1.5, 2, 5.5, 1]),
}


def predictions(n: int = 600, k: int = 4, seed: int = 0) -> Predictions:
    random = np.random.default_rng(seed)
    logits = random.normal(0, 2, (n, k))
    true = np.exp(logits / 2)
    labels = (np.cumsum(true, 1) < random.random((n, 1)) * true.sum(1, keepdims=True)).sum(1)
    return from_logits(logits, labels)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("name", ["many", *ODD])
def test_gaps_add_up_to_the_calibration_error_and_counts_to_all_rows(
    name: str, family: Family
) -> None:
    view = claims(500, slope=0.6) if name == "many" else ODD[name]
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
    assert np.average(np.abs(curve.q - curve.p), weights=curve.count) == pytest.approx(
        calibration_error(view, family), abs=1e-12
    )
    assert curve.bins is not None
    for low, high, p, q, count in zip(
        curve.bins.low, curve.bins.high, curve.p, curve.q, curve.count, strict=True
    ):
        rows = (
            (view.p > low) & (view.p <= high)
            if family.edges == "width"
            else (view.p >= low) & (view.p < high)
        )
        assert rows.sum() == count
        assert (view.p[rows].mean(), view.y[rows].mean()) == pytest.approx((p, q), abs=1e-12)


def test_the_area_above_a_tilted_roof_is_ece_where_claims_are_spread_evenly() -> None:
    p = (np.arange(10_000) + 0.5) / 10_000
    view = binary(p, np.random.default_rng(0).random(10_000) < p**2)
    roof = curves.tilted_roof(view, Binned(10), level=None)
    assert roof.bins is not None
    area = (np.abs(roof.q - roof.p) * (roof.bins.high - roof.bins.low)).sum()
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
    for found, band in ((curve.confidence, confidence_band), (curve.consistency, consistency_band)):
        np.testing.assert_array_equal(
            found, band(view, family, curve.p, level=0.8, n_boot=20, seed=3)
        )


@pytest.mark.parametrize("family", [Smooth(), Binned(), HistogramBinning(4), Isotonic()], ids=repr)
def test_order_and_repetition_play_no_part(family: Family) -> None:
    random = np.random.default_rng(1)
    p, w = random.random(80).round(2), random.integers(0, 4, 80)
    y = random.random(80) < p
    one = curves.reliability(binary(p, y, weights=w), family, level=None)
    other = curves.reliability(
        binary(np.repeat(p, w)[::-1], np.repeat(y, w)[::-1]), family, level=None
    )
    for name in ("p", "q", "count", "gap", "error"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-9)
    np.testing.assert_allclose(one.histogram.count, other.histogram.count)


def test_predictions_are_asked_for_their_top_label_and_a_family_is_told_in_short() -> None:
    pred = predictions()
    curve = curves.reliability(pred, PiecewiseLinear(space="logit", segments=1), level=None)
    assert curve.event == top_label(pred).event
    assert curve.family == "PiecewiseLinear(space='logit', segments=1)"
    assert curve.error == pytest.approx(
        calibration_error(pred, PiecewiseLinear(space="logit", segments=1)), abs=1e-12
    )


def test_histograms_count_as_one_would_by_hand() -> None:
    view = binary([0.0, 0.05, 0.051, 0.5, 1.0], [0, 1, 0, 1, 1])
    seen = curves.histogram(view)
    assert seen.count[[0, 1, 9, 19]].tolist() == [2, 1, 1, 1]
    assert seen.happened[[0, 1, 9, 19]].tolist() == [1, 0, 1, 1]
    assert seen.mean_p.tolist() == pytest.approx([0.025, 0.051, 0.5, 1])
    by_odds = curves.histogram(view, 8, axes="logit")
    assert np.diff(np.log(by_odds.edges / (1 - by_odds.edges))) == pytest.approx(
        np.full(8, 4.0), rel=1e-6
    )
    assert (by_odds.count[0], by_odds.count[-1], by_odds.total) == (1, 1, 5)


@pytest.mark.parametrize(
    "question", [top_label, lambda pred: top_r(pred, 2), lambda pred: within_top_r(pred, 3)]
)
def test_sums_end_at_the_means_and_their_widest_gap_is_the_ks_error(question: object) -> None:
    view: View = question(predictions(3000))  # type: ignore[operator]
    sums = curves.cumulative(view)
    assert sums.error == pytest.approx(ks_error(view), abs=1e-15)
    assert abs(sums.claimed - sums.happened)[sums.widest] == pytest.approx(sums.error, abs=1e-12)
    assert abs(sums.claimed - sums.happened).max() == pytest.approx(sums.error, abs=1e-12)
    assert (sums.fractile[-1], sums.claimed[-1], sums.happened[-1]) == pytest.approx(
        (1, view.p.mean(), view.y.mean()), abs=1e-12
    )
    order = np.argsort(view.p)
    rows = np.rint(sums.fractile * view.n).astype(int)
    np.testing.assert_allclose(
        sums.happened, np.append(0, np.cumsum(view.y[order]))[rows] / view.n, atol=1e-12
    )
    np.testing.assert_allclose(sums.q, Spline().fit(view)(sums.p))
    assert len(sums.p) <= 403


@pytest.mark.parametrize("name", ODD)
def test_sums_of_odd_views(name: str) -> None:
    sums = curves.cumulative(ODD[name])
    assert sums.error == pytest.approx(ks_error(ODD[name]), abs=1e-15)
    assert np.isfinite(sums.q).all()


def test_the_worst_classes_come_first_and_the_mean_is_over_all() -> None:
    pred = predictions()
    found = curves.classwise(pred, Binned(5), most=3)
    errors = [calibration_error(one_class(pred, k), Binned(5)) for k in range(4)]
    assert [curve.error for curve in found.curves] == pytest.approx(
        sorted(errors, reverse=True)[:3], abs=1e-12
    )
    assert found.names == tuple(str(k) for k in np.argsort(errors)[::-1][:3])
    assert found.k == 4
    assert found.error == pytest.approx(ece(classwise(pred), 5), abs=1e-12)


def test_a_thousand_classes_are_twelve_curves() -> None:
    random = np.random.default_rng(0)
    pred = from_logits(random.normal(0, 3, (200, 1000)), random.integers(0, 1000, 200))
    found = curves.classwise(pred)
    assert (len(found.curves), found.k) == (12, 1000)
    assert found.error == pytest.approx(ece(classwise(pred)), abs=1e-12)


def test_a_surface_is_the_mean_outcome_by_kernels() -> None:
    random = np.random.default_rng(2)
    p, w = random.dirichlet(np.ones(3), 60), random.integers(0, 3, 60)
    labels = random.integers(0, 2, 60)
    seen = curves.surface(from_probs(p, labels, weights=w), bandwidth=0.05, per_side=6)
    assert len(seen.gap) == 36
    np.testing.assert_allclose(seen.claim.sum(1), 1)
    kernels = np.array([[w_i * dirichlet.pdf(x, row / 0.05 + 1) for row, w_i in zip(p, w, strict=True)]
                        for x in seen.claim])  # fmt: skip
    share = kernels @ np.eye(3)[labels] / kernels.sum(1, keepdims=True)
    np.testing.assert_allclose(seen.share, share, atol=1e-12)
    np.testing.assert_allclose(seen.gap, np.abs(share - seen.claim).sum(1), atol=1e-12)
    own = [dirichlet.pdf(x, x / 0.05 + 1) for x in seen.claim]
    np.testing.assert_allclose(seen.reached, kernels.sum(1) / own, rtol=1e-9)
    assert seen.error == kde_error(canonical(from_probs(p, labels, weights=w)), bandwidth=0.05)


def test_triangles_hold_every_row_and_their_gaps_are_the_simplex_error() -> None:
    random = np.random.default_rng(0)
    p = np.concatenate(
        [random.dirichlet([0.5] * 3, 400), np.eye(3), [[0.2, 0.4, 0.4], [0.6, 0.4, 0.0]]]
    )
    pred = from_probs(p, random.integers(0, 3, len(p)), weights=random.integers(0, 3, len(p)))
    seen = curves.simplex(pred, 4)
    assert seen.count.sum() == seen.total == pred.total
    assert seen.error == pytest.approx(simplex_error(pred, 4), abs=1e-12)
    assert np.average(seen.gap, weights=seen.count) == pytest.approx(seen.error, abs=1e-12)
    assert seen.corners.min() >= 0
    np.testing.assert_allclose(seen.corners.sum(2), 1)
    # A mean claim lies in its triangle, whose corners it is a mixture of.
    shares = np.linalg.solve(seen.corners.transpose(0, 2, 1), seen.mean_claim[:, :, None])
    assert shares.min() > -1e-9
    assert len(seen.points) == len(seen.labels) <= 1000


def test_rounding_takes_no_vector_out_of_the_triangle() -> None:
    p = np.array([[1e-9, 1 - 1e-9, 3e-17], [0.1, 0.9, 1e-17], [0.7, 0.3, 1e-16]] * 4)
    assert curves.simplex(from_probs(p, np.arange(12) % 3)).corners.min() >= 0


def test_smooth_ece_comes_with_the_line_it_is_of() -> None:
    view = claims(2000, slope=0.5)
    blurred = curves.smece(view)
    assert blurred.error == smece(view)
    assert blurred.width == pytest.approx(blurred.error, abs=1e-5)
    # Blurred outcomes less blurred claims are the error; less the claim blurred about, nearly so.
    density = blurred.density / np.trapezoid(blurred.density, blurred.p)
    assert np.trapezoid(density * abs(blurred.q - blurred.p), blurred.p) == pytest.approx(
        blurred.error, rel=0.2
    )
    assert blurred.histogram.total == blurred.total == view.total


def test_before_and_after_and_maps_are_reliability_by_name() -> None:
    views = {"one": claims(200), "two": claims(200, lift=1)}
    assert {
        name: curve.error for name, curve in curves.before_after(views).items()
    } == pytest.approx({name: ece(view) for name, view in views.items()}, abs=1e-12)
    found = curves.maps(views["two"], [Isotonic(), Binned(4)])
    assert {name: curve.error for name, curve in found.items()} == pytest.approx(
        {
            "Isotonic()": calibration_error(views["two"], Isotonic()),
            "Binned(n_bins=4)": ece(views["two"], 4),
        },
        abs=1e-12,
    )


def test_no_model_that_is_beaten_is_best() -> None:
    pred = predictions(400)
    flat = from_probs(np.full((400, 4), 0.25), pred.labels)
    softer = from_logits(pred.scores / 2, pred.labels)
    found = curves.pareto({"as it is": pred, "softer": softer, "flat": flat}, n_boot=100)
    as_it_is, soft, even = found.models
    assert [model.accuracy.estimate for model in found.models] == [
        accuracy(x) for x in (pred, softer, flat)
    ]
    assert [model.error.estimate for model in found.models] == [
        ks_error(x) for x in (pred, softer, flat)
    ]
    assert (as_it_is.best, soft.best) == (False, True)
    assert even.best == (even.error.estimate < soft.error.estimate)
    assert soft.accuracy.low < soft.accuracy.estimate < soft.accuracy.high


def test_evaluators_order_models_by_what_they_find() -> None:
    models = {"bad": claims(300, lift=2), "right": claims(300), "fair": claims(300, lift=0.7)}
    found = curves.ordering(
        models, {"ECE": ece, "sweep": sweep_ece, "backwards": lambda x: -ece(x)}
    )
    assert found.order == [[1, 2, 0], [1, 2, 0], [0, 2, 1]]
    assert found.values[0].tolist() == [ece(view) for view in models.values()]


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: curves.reliability([0.5]), "Predictions or one View"),  # type: ignore[arg-type]
        (lambda: curves.reliability(claims(9), Smooth), "family must be"),  # type: ignore[arg-type]
        (lambda: curves.reliability(claims(9), level=95), "between 0 and 1"),
        (lambda: curves.tilted_roof(claims(9), Binned(slope=0)), "slope=1"),
        (lambda: curves.histogram(claims(9), 0), "bars must be"),
        (lambda: curves.histogram(claims(9), axes="odds"), "axes must be"),  # type: ignore[arg-type]
        (lambda: curves.classwise(claims(9)), "Predictions, got View"),  # type: ignore[arg-type]
        (lambda: curves.classwise(predictions(9), most=0), "most must be"),
        (lambda: curves.simplex(predictions(9)), "three classes, got 4 classes"),
        (lambda: curves.surface(predictions(9)), "three classes, got 4 classes"),
        (lambda: curves.before_after([claims(9)]), "by name"),  # type: ignore[arg-type]
        (lambda: curves.maps(claims(9), []), "at least one"),
        (lambda: curves.ordering({}), "by name"),
    ],
)
def test_what_is_wrong_is_said(act: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        act()  # type: ignore[operator]


def test_a_million_rows_are_summarised() -> None:
    view = claims(1_000_000, slope=0.8)
    curve = curves.reliability(view, level=None)
    assert len(curve.p) <= 300


def test_numbers_need_no_drawing_library() -> None:
    program = "import sys, calibrant.curves; print([m for m in ('matplotlib', 'plotly', 'torch') if m in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"
