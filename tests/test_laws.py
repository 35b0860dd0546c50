"""Laws that hold for every family, view and measure: add a name to a list, not a test to the file."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import ArrayLike
from shared_families import CHANCE_FAMILIES, VECTOR_FAMILIES

import calibrant as c
from calibrant import (
    Family,
    Predictions,
    View,
    binary,
    calibration_error,
    canonical,
    from_logits,
    from_probs,
)

# Choose by cross-validation, whose folds know rows and not weights.
BY_FOLDS = [
    c.Binned(edges="mass", rule="cv"),
    c.Spline("cv"),
    c.PiecewiseLinear(),
    c.PiecewiseLinear(space="logit"),
    c.MatrixScaling(off_diagonal="cv", intercept="cv"),
    c.Dirichlet(),
    c.Blend((c.Platt(), c.Isotonic())),
    c.Blend((c.Temperature(), c.OneVsRest(c.Isotonic()))),
]
# Their maps, whatever the data, include the identity, so a calibrated view is a fixed point.
HOLD_THE_IDENTITY: list[Family] = [
    c.Binned(),
    c.Binned(5, edges="mass"),
    c.Isotonic(),
    c.Isotonic(centred=True),
    c.Temperature(),
    c.Beta(),
    c.Quadratic(),
    c.Smooth(),
]
MEASURES: list[Callable[[View], float]] = [
    c.ece,
    c.mce,
    lambda view: c.ece(view, edges="mass"),
    lambda view: c.ece(view, norm=2),
    lambda view: c.ece(view, debias=True),
    lambda view: c.ece(view, norm=2, debias=True),
    c.sweep_ece,
    c.ks_error,
    c.kde_error,
    lambda view: c.kde_error(view, bandwidth=0.01, norm=2),
    c.triweight_error,
    c.smece,
    lambda view: c.smece(view, width=0.1),
    c.mmce,
    c.weighted_mmce,
    c.skce,
    lambda view: c.skce(view, estimator="biased"),
    lambda view: c.skce(view, estimator="block", block=4),
    c.calibration_error,
    lambda view: calibration_error(view, norm=2),
    lambda view: calibration_error(view, norm="max"),
    lambda view: calibration_error(view, c.Temperature()),
    c.nll,
    c.brier,
    c.accuracy,
    lambda view: c.decompose(view).miscalibration,
    lambda view: c.decompose(view, score="log").discrimination,
]
VIEWS: list[Callable[[Predictions], View]] = [
    c.top_label,
    lambda pred: c.top_r(pred, 2),
    lambda pred: c.within_top_r(pred, 2),
    lambda pred: c.one_class(pred, 1),
]
WHOLE_SCORES: list[Callable[[Predictions], float]] = [
    c.nll,
    c.brier,
    c.top_label_brier,
    c.accuracy,
    c.classwise_ece,
    lambda pred: c.skce(c.canonical(pred)),
]

N = 24
# A coarse grid makes ties; exact 0 and 1 are among it.
claims = arrays(
    float,
    N,
    elements=st.sampled_from([0.0, 1e-30, 0.1, 0.2, 1 / 3, 0.5, 0.6, 0.75, 0.9, 1 - 1e-9, 1.0]),
)
outcomes = arrays(bool, N)
seeds = st.integers(0, 2**32 - 1)
each_family = pytest.mark.parametrize("family", CHANCE_FAMILIES, ids=repr)
each_measure = pytest.mark.parametrize("measure", MEASURES)
each_view = pytest.mark.parametrize("ask", VIEWS)


def _close(found: ArrayLike, expected: ArrayLike, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(
        np.asarray(found), np.asarray(expected), rtol=tolerance, atol=tolerance
    )


def _predictions(seed: int, n: int = 40, k: int = 4, weights: object = None) -> Predictions:
    random = np.random.default_rng(seed)
    logits = random.normal(0, 2, (n, k)).round(1)
    return from_logits(logits, random.integers(0, k, n), weights=weights)  # type: ignore[arg-type]


@each_family
@given(p=claims, y=outcomes, seed=seeds)
@settings(max_examples=25)
def test_row_order_is_irrelevant_to_maps(
    family: Family, p: np.ndarray, y: np.ndarray, seed: int
) -> None:
    order = np.random.default_rng(seed).permutation(N)
    _close(family.fit(binary(p[order], y[order]))(p), family.fit(binary(p, y))(p))


@each_measure
@given(p=claims, y=outcomes, seed=seeds)
@settings(max_examples=25)
def test_row_order_is_irrelevant_to_measures(
    measure: Callable[[View], float], p: np.ndarray, y: np.ndarray, seed: int
) -> None:
    order = np.random.default_rng(seed).permutation(N)
    _close(measure(binary(p[order], y[order])), measure(binary(p, y)))


@pytest.mark.parametrize(
    "family", [family for family in CHANCE_FAMILIES if family not in BY_FOLDS], ids=repr
)
@given(p=claims, y=outcomes, w=arrays(np.int64, N, elements=st.integers(0, 3)))
@settings(max_examples=25)
def test_a_weight_is_a_count_to_maps(
    family: Family, p: np.ndarray, y: np.ndarray, w: np.ndarray
) -> None:
    w[0] = 2
    repeated = family.fit(binary(np.repeat(p, w), np.repeat(y, w)))
    _close(family.fit(binary(p, y, weights=w))(p), repeated(p), 1e-6)


@each_measure
@given(p=claims, y=outcomes, w=arrays(np.int64, N, elements=st.integers(0, 3)))
@settings(max_examples=25)
def test_a_weight_is_a_count_to_measures(
    measure: Callable[[View], float], p: np.ndarray, y: np.ndarray, w: np.ndarray
) -> None:
    w[0] = 2
    _close(
        measure(binary(p, y, weights=w)), measure(binary(np.repeat(p, w), np.repeat(y, w))), 1e-6
    )


@pytest.mark.parametrize("family", VECTOR_FAMILIES, ids=repr)
@given(seed=seeds)
@settings(max_examples=10)
def test_order_and_weights_of_whole_vectors(family: Family, seed: int) -> None:
    random = np.random.default_rng(seed)
    pred = _predictions(seed)
    w = random.integers(0, 3, pred.n)
    w[0] = 2
    order = random.permutation(pred.n)
    q = family.fit(pred)(pred)
    _close(family.fit(pred[order])(pred), q, 1e-6)
    weighted = from_logits(pred.scores, pred.labels, weights=w)
    rows = np.repeat(np.arange(pred.n), w)
    if family not in BY_FOLDS:
        _close(family.fit(weighted)(pred), family.fit(pred[rows])(pred), 1e-6)
    for score in WHOLE_SCORES:
        _close(score(weighted), score(pred[rows]))
        _close(score(pred[order]), score(pred))


@each_view
@given(seed=seeds)
@settings(max_examples=10)
def test_views_carry_order_and_weights(ask: Callable[[Predictions], View], seed: int) -> None:
    pred = _predictions(seed, weights=np.random.default_rng(seed).integers(1, 4, 40))
    order = np.random.default_rng(seed).permutation(pred.n)
    assert pred.weights is not None
    rows = np.repeat(np.arange(pred.n), pred.weights.astype(int))
    plain = from_logits(pred.scores, pred.labels)
    for measure in (c.ece, c.ks_error, c.calibration_error, c.nll):
        _close(measure(ask(pred[order])), measure(ask(pred)))
        _close(measure(ask(plain[rows])), measure(ask(pred)))


@each_family
@given(p=claims, y=outcomes)
@settings(max_examples=25)
def test_maps_stay_chances_and_agree_on_equal_claims(
    family: Family, p: np.ndarray, y: np.ndarray
) -> None:
    q = family.fit(binary(p, y))(p)
    assert np.isfinite(q).all()
    if not (isinstance(family, c.Binned) and family.slope == 1):
        assert ((q >= 0) & (q <= 1)).all()
    for claim in np.unique(p):
        assert np.ptp(q[p == claim]) == 0


@pytest.mark.parametrize("family", VECTOR_FAMILIES, ids=repr)
@pytest.mark.parametrize(
    "make", [from_logits, lambda z, y: from_probs(np.exp(z) / np.exp(z).sum(1, keepdims=True), y)]
)
def test_vectors_sum_to_one(family: Family, make: Callable[..., Predictions]) -> None:
    given = _predictions(3)
    pred = make(given.scores, given.labels)
    mended = family.fit(pred).apply(pred)
    _close(mended.probs.sum(1), 1)
    assert (mended.probs >= 0).all()
    _close(mended.probs, family.fit(pred)(canonical(pred)))


@pytest.mark.parametrize("family", HOLD_THE_IDENTITY, ids=repr)
def test_the_identity_is_a_fixed_point(family: Family) -> None:
    # Of 20 rows that claim i/20, exactly i are right, so every claim holds.
    p = np.repeat(np.arange(1, 20) / 20, 20)
    y = np.tile(np.arange(20), 19) < np.repeat(np.arange(1, 20), 20)
    _close(family.fit(binary(p, y))(p), p, 1e-6)


@each_family
def test_a_calibrated_model_has_an_error_that_goes_to_zero(family: Family) -> None:
    errors = []
    for n in (300, 30_000):
        random = np.random.default_rng(n)
        p = random.random(n)
        errors.append(calibration_error(binary(p, random.random(n) < p), family))
    # Flat bins cannot say p exactly: their error goes to the mean distance within a bin.
    flat = isinstance(family, c.HistogramBinning | c.ScalingBinning | c.BBQ) or (
        isinstance(family, c.Binned) and not family.slope
    )
    assert errors[1] < (0.07 if flat else 0.015)
    assert flat or errors[1] < errors[0] / 2


@each_family
@given(p=arrays(np.float32, N, elements=st.floats(0, 1, width=32)), y=outcomes)
@settings(max_examples=25)
def test_float32_and_float64_agree_on_chances(family: Family, p: np.ndarray, y: np.ndarray) -> None:
    _close(
        family.fit(binary(p, y))(p), family.fit(binary(p.astype(float), y))(p.astype(float)), 1e-5
    )


@pytest.mark.parametrize("family", VECTOR_FAMILIES, ids=repr)
@each_view
def test_float32_and_float64_agree_on_logits(
    family: Family, ask: Callable[[Predictions], View]
) -> None:
    double = _predictions(5, n=500)
    single = from_logits(double.scores.astype(np.float32), double.labels)
    double = from_logits(single.scores.astype(float), double.labels)
    _close(family.fit(single)(single), family.fit(double)(double), 1e-5)
    for measure in (c.ece, c.ks_error, c.calibration_error, c.nll, c.brier):
        _close(measure(ask(single)), measure(ask(double)), 1e-5)
    for score in WHOLE_SCORES:
        _close(score(single), score(double), 1e-5)


def test_sums_of_float32_are_taken_in_float64() -> None:
    p = np.full(10**7, 0.1, np.float32)
    assert c.ece(binary(p, np.zeros(10**7, bool))) == pytest.approx(
        float(np.float32(0.1)), abs=1e-12
    )
    assert c.ks_error(binary(p, np.zeros(10**7, bool))) == pytest.approx(
        float(np.float32(0.1)), abs=1e-9
    )


@pytest.mark.parametrize("family", VECTOR_FAMILIES, ids=repr)
@pytest.mark.parametrize(
    "pred",
    [
        from_logits(
            [[1e4, -1e4, 0.0], [0.0, 1e4, -1e4], [-1e4, 0.0, 1e4], [0.0, 1.0, 2.0]], [0, 0, 2, 1]
        ),
        from_probs([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0, 0, 2]),
        from_logits([[1.0, 2.0, 3.0]], [0]),
        from_logits(np.tile([1.0, 2.0, 3.0], (5, 1)), [2] * 5),
        from_logits(np.random.default_rng(0).normal(0, 2, (60, 1000)), np.arange(60)),
    ],
    ids=[
        "far apart",
        "exact 0 and 1",
        "one row",
        "all rows equal, one class present",
        "1000 classes",
    ],
)
def test_extremes_of_vectors(family: Family, pred: Predictions) -> None:
    if family in BY_FOLDS and pred.k == 1000:
        # A minute each: benchmarks/many_classes.py fits them to a thousand.
        pred = from_logits(pred.scores[:, :100], pred.labels)
    mended = family.fit(pred).apply(pred)
    assert np.isfinite(mended.probs).all()
    _close(mended.probs.sum(1), 1, 1e-6)
    for x in (pred, mended):
        for score in WHOLE_SCORES:
            assert np.isfinite(score(x))
        for ask in VIEWS:
            for measure in MEASURES:
                assert np.isfinite(measure(ask(x)))


@each_family
@pytest.mark.parametrize(
    ("p", "y"),
    [
        ([0.3], [1]),
        ([0.3] * 5, [1, 0, 0, 0, 0]),
        ([0.1, 0.4, 0.8], [0] * 3),
        ([0, 1, 0, 1], [0, 1, 1, 0]),
        ([0.2, 0.9], [0, 1]),
    ],
    ids=["one row", "one claim", "one outcome", "exact 0 and 1", "separable"],
)
def test_extremes_of_chances(family: Family, p: list[float], y: list[int]) -> None:
    q = family.fit(binary(p, y))([0, 1e-300, 0.3, 0.5, 1 - 1e-16, 1])
    assert np.isfinite(q).all()
    assert np.isfinite(calibration_error(binary(p, y), family))


@each_family
def test_saved_and_loaded_maps_of_chances_are_bit_equal(family: Family) -> None:
    random = np.random.default_rng(1)
    p = random.random(200)
    fitted = family.fit(binary(p, random.random(200) < p**2))
    _same_after_saving(fitted, lambda it: it(np.linspace(0, 1, 101)))


@pytest.mark.parametrize("family", VECTOR_FAMILIES, ids=repr)
def test_saved_and_loaded_maps_of_vectors_are_bit_equal(family: Family) -> None:
    pred = _predictions(2)
    _same_after_saving(family.fit(pred), lambda it: it.apply(pred).probs)


def _same_after_saving(fitted: c.Map, use: Callable[[c.Map], np.ndarray]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "map.safetensors"
        fitted.save(path)
        loaded = c.load(path)
        assert loaded.family == fitted.family
        np.testing.assert_array_equal(use(loaded), use(fitted))
        content = path.read_bytes()
        for at in np.random.default_rng(0).choice(len(content), 20, replace=False):
            path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
            with pytest.raises(ValueError, match=r"map\.safetensors"):
                c.load(path)


@given(p=arrays(float, N, elements=st.floats(0.3, 1)), seed=seeds)
@settings(max_examples=50)
def test_ks_is_the_norm_1_error_where_the_gap_has_one_sign(p: np.ndarray, seed: int) -> None:
    # Isotonic's calibrated chances lie below every claim, so gaps only add up.
    y = np.random.default_rng(seed).random(N) < 0.2
    view = binary(p, y)
    q = c.Isotonic().fit(view)(view)
    if (q <= p).all():
        _close(c.ks_error(view), calibration_error(view, c.Isotonic()))


@pytest.mark.parametrize("name", ["c10-lenet5", "c10-resnet18", "c100-resnet18"])
def test_mean_entropy_is_the_nll_at_the_optimal_temperature(name: c.samples.Name) -> None:
    fit_on, _ = c.samples.load(name)
    mended = c.Temperature().fit(fit_on).apply(fit_on)
    entropy = -(mended.probs.astype(float) * mended.log_probs).sum(1).mean()
    assert entropy == pytest.approx(c.nll(mended), abs=1e-5)
