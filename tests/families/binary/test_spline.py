"""Splines against a dense least squares over rows, against scipy's splines and a general optimiser."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.optimize import LinearConstraint, minimize
from shared_data import needs_real, real

from calibrant import (
    OneVsRest,
    Predictions,
    Spline,
    View,
    accuracy,
    binary,
    ece,
    from_logits,
    ks_error,
    nll,
    top_label,
    top_r,
    within_top_r,
)
from calibrant.families.binary.cubic_pieces import Runout
from calibrant.families.folds import held_out

RUNOUTS: list[Runout] = ["natural", "parabolic", "cubic"]


def _design(t: np.ndarray, knots: int) -> tuple[np.ndarray, np.ndarray]:
    """Natural cubic splines that are 1 at one knot and 0 at the others, and their slopes."""
    spline = CubicSpline(np.linspace(0, 1, knots), np.eye(knots), bc_type="natural")
    return spline(t), spline(t, 1)


def _rows(
    p: np.ndarray, y: np.ndarray, knots: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Sorted claims, the curve, and the design; outcomes of equal claims are shared."""
    p, place = np.sort(p), np.argsort(p, kind="stable")
    shared = np.array([y[place][p == claim].mean() for claim in p])
    return p, np.cumsum(shared - p) / len(p), *_design(np.linspace(0, 1, len(p)), knots)


def _reference(p: np.ndarray, y: np.ndarray, knots: int, at: np.ndarray) -> np.ndarray:
    p, curve, values, slopes = _rows(p, y, knots)
    q = p + slopes @ np.linalg.lstsq(values, curve)[0]
    claims = np.unique(p)
    return np.interp(at, claims, [np.clip(q[p == claim].mean(), 0, 1) for claim in claims])


@pytest.mark.parametrize("knots", [2, 3, 6, 14])
@pytest.mark.parametrize("digits", [1, 2, 9])
def test_against_dense_least_squares(knots: int, digits: int) -> None:
    random = np.random.default_rng(knots)
    p = random.random(500).round(digits)
    y = random.random(500) < p**1.5
    at = np.linspace(0, 1, 200)
    np.testing.assert_allclose(
        Spline(knots).fit(binary(p, y))(at), _reference(p, y, knots, at), atol=1e-9
    )


@pytest.mark.parametrize("digits", [2, 9])
def test_summed_outcomes_against_dense_least_squares(digits: int) -> None:
    random = np.random.default_rng(0)
    p = random.random(500).round(digits)
    y = random.random(500) < p**1.5
    ordered, place = np.sort(p), np.argsort(p, kind="stable")
    shared = np.array([y[place][ordered == claim].mean() for claim in ordered])
    values, slopes = _design(np.linspace(0, 1, 500), 8)
    q = slopes @ np.linalg.lstsq(values, np.cumsum(shared) / 500)[0]
    expected = [np.clip(q[ordered == claim].mean(), 0, 1) for claim in p]
    found = Spline(8, curve="outcomes").fit(binary(p, y))(p)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@needs_real
def test_the_text_is_worse_than_the_program() -> None:
    fit_on, test = (real("nncal_resnet110_c10", split) for split in ("val", "test"))
    assert isinstance(fit_on, Predictions)
    assert isinstance(test, Predictions)
    errors = []
    for family in (Spline(), Spline(curve="outcomes")):
        mended = family.fit(top_label(fit_on)).apply(top_label(test))
        errors.append(round(100 * ks_error(mended), 2))
    assert errors == [0.65, 1.83]


def test_bounded_against_a_general_optimiser() -> None:
    random = np.random.default_rng(0)
    p = np.sort(random.beta(0.3, 0.3, 400))
    y = random.random(400) < np.clip(1.6 * p - 0.3, 0, 1)
    _, curve, values, slopes = _rows(p, y, 6)
    free = p + slopes @ np.linalg.lstsq(values, curve)[0]
    assert free.min() < -0.01
    assert free.max() > 1.01
    scaled = minimize(
        lambda v: 1e4 * ((values @ v - curve) ** 2).mean(),
        np.zeros(6),
        jac=lambda v: 2e4 * values.T @ (values @ v - curve) / 400,
        method="SLSQP",
        constraints=LinearConstraint(slopes, -p, 1 - p),
        options={"ftol": 1e-15, "maxiter": 500},
    )
    bounded = Spline(bounded=True).fit(binary(p, y))
    np.testing.assert_allclose(bounded(p), p + slopes @ scaled.x, atol=1e-5)
    loose = binary(random.uniform(0.3, 0.7, 400), random.random(400) < 0.5)
    np.testing.assert_allclose(
        Spline(bounded=True).fit(loose)(loose), Spline().fit(loose)(loose), atol=1e-12
    )


@pytest.mark.parametrize("runout", RUNOUTS)
@pytest.mark.parametrize("bounded", [False, True])
def test_a_weight_is_a_count(runout: Runout, *, bounded: bool) -> None:
    random = np.random.default_rng(1)
    p, w = random.random(200).round(2), random.integers(0, 4, 200)
    y = random.random(200) < p**2
    family, at = Spline(7, runout=runout, bounded=bounded), np.linspace(0, 1, 101)
    repeated = family.fit(binary(np.repeat(p, w), np.repeat(y, w)))
    np.testing.assert_allclose(family.fit(binary(p, y, weights=w))(at), repeated(at), atol=1e-10)


def test_a_heavy_claim_is_many_rows() -> None:
    p, y, w = [0.2, 0.2, 0.6, 0.6, 0.9], [0, 1, 0, 1, 1], np.array([3.0, 1.0, 2.0, 2.0, 4.0])
    light, heavy = (Spline().fit(binary(p, y, weights=w * scale))(p) for scale in (1000, 10**9))
    np.testing.assert_allclose(light, heavy, atol=1e-3)
    assert np.isfinite(Spline().fit(binary(p, y, weights=w / 1000))(p)).all()


@pytest.mark.parametrize("knots", [6, "cv"])
@pytest.mark.parametrize("runout", RUNOUTS)
def test_few_rows(knots: int, runout: Runout) -> None:
    for p, y in (
        ([0.3], [1]),
        ([0.0, 1.0], [1, 0]),
        ([0.4] * 5, [1, 0, 0, 0, 0]),
        ([0.1, 0.5, 0.9], [0, 0, 1]),
    ):
        q = Spline(knots, runout=runout).fit(binary(p, y))(p)
        assert ((q >= 0) & (q <= 1)).all()
        if len(set(p)) == 1:
            np.testing.assert_allclose(q, np.mean(y), atol=1e-3)


def test_cross_validation_finds_few_knots_for_a_shift_and_more_for_a_wave() -> None:
    random = np.random.default_rng(2)
    p = random.uniform(0.2, 0.8, 4000)
    for truth in (p - 0.1, p + 0.15 * np.sin(12 * p)):
        view = binary(p, random.random(4000) < truth)
        assert np.abs(Spline("cv").fit(view)(p) - truth).mean() < 0.03
        order = random.permutation(4000)
        np.testing.assert_allclose(
            Spline("cv").fit(view[order])(p), Spline("cv").fit(view)(p), atol=1e-12
        )


@pytest.mark.parametrize("seed", range(4))
def test_ten_folds_take_the_fewest_knots_of_nearly_the_least_squared_error(seed: int) -> None:
    random = np.random.default_rng(seed)
    p = random.uniform(0.05, 0.6, 2000)
    view = binary(p, random.random(2000) < p + 0.1 * np.sin(12 * p))
    folds = held_out(view, 10, seed=0)
    maps = {k: [Spline(k).fit(view[fitted]) for fitted, _ in folds] for k in range(3, 13)}
    errors = {}
    for k, fits in maps.items():
        pairs = [
            (fit(view[held]), view.y[held]) for fit, (_, held) in zip(fits, folds, strict=True)
        ]
        errors[k] = np.mean([np.mean((q - y) ** 2) for q, y in pairs])
    least = min(errors.values())
    chosen = next(k for k, error in errors.items() if error <= 1.001 * least)
    expected = np.mean([fit(p) for fit in maps[chosen]], axis=0)
    np.testing.assert_allclose(Spline("cv").fit(view)(p), expected, atol=1e-12)


def test_too_few_knots_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"knots must be at least 4 for runout='cubic', or 'cv'; got 3"
    ):
        Spline(3, runout="cubic")


@needs_real
def test_published_errors_of_a_real_network() -> None:
    fit_on, test = (real("nncal_resnet110_c10", split) for split in ("val", "test"))
    assert isinstance(fit_on, Predictions)
    assert isinstance(test, Predictions)
    # Gupta et al. 2021, Tables 1, 2, 4 and 6, by a program that swaps two weights: 0.643, 0.347,
    # 0.277, 1.011.
    for ask, knots, measure, percent in (
        (top_label, 6, ks_error, 0.652),
        (lambda pred: top_r(pred, 2), 6, ks_error, 0.302),
        (lambda pred: within_top_r(pred, 2), 14, ks_error, 0.302),
        (top_label, 13, lambda view: ece(view, 25), 1.094),
    ):
        double = Predictions(
            fit_on.values.astype(float), fit_on.labels, None, fit_on.classes, "logits"
        )
        tested = ask(
            Predictions(test.values.astype(float), test.labels, None, test.classes, "logits")
        )
        q = Spline(knots).fit(ask(double))(tested)
        assert 100 * measure(View(q, tested.y)) == pytest.approx(percent, abs=6e-4)
        # In float32 most claims near 1 are tied.
        tied = Spline(knots).fit(ask(fit_on))(ask(test))
        assert 100 * measure(View(tied, tested.y)) == pytest.approx(percent, abs=0.02)


@needs_real
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_of_a_real_network_its_own_form_has_the_published_error(kind: type) -> None:
    fit_on, test = (real("nncal_resnet110_c10", split) for split in ("val", "test"))
    assert isinstance(fit_on, Predictions)
    assert isinstance(test, Predictions)
    fit_on, test = (from_logits(pred.scores.astype(kind), pred.labels) for pred in (fit_on, test))
    mended = Spline().fit(fit_on).apply(test)
    # Gupta et al. 2021, Table 1, by a program that swaps two weights: 0.643.
    assert 100 * ks_error(mended) == pytest.approx(0.652, abs=5e-4)
    assert accuracy(mended) == accuracy(test)
    by_class = OneVsRest(Spline()).fit(fit_on).apply(test)
    assert ks_error(by_class) > 0.03
    assert nll(by_class) > 3 * nll(mended)
