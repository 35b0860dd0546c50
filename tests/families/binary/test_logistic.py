"""Logistic maps against a general optimiser, at their bounds and at the extremes."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit
from shared_data import needs_real, real

from calibrant import (
    Beta,
    Family,
    Platt,
    Predictions,
    Quadratic,
    View,
    binary,
    from_logits,
    nll,
    one_class,
    top_label,
)
from calibrant.families.binary import logistic

FAMILIES: list[Family] = [Platt(), Platt(smoothed=False), Beta(), Quadratic()]
each_family = pytest.mark.parametrize("family", FAMILIES, ids=repr)


def _features(family: Family, p: np.ndarray) -> np.ndarray:
    z, one = logit(p), np.ones_like(p)
    if isinstance(family, Beta):
        return np.column_stack([np.log(p), -np.log1p(-p), one])
    return np.column_stack([z, one] if isinstance(family, Platt) else [z**2, z, one])


def _general_optimum(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, float]:
    def loss(c: np.ndarray) -> tuple[float, np.ndarray]:
        eta = x @ c
        return np.average(np.logaddexp(0, eta) - y * eta, weights=w), x.T @ (
            w * (expit(eta) - y)
        ) / w.sum()

    found = minimize(loss, np.zeros(x.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-9})
    return found.x, found.fun


def _reference(
    family: Family, p: np.ndarray, y: np.ndarray, w: np.ndarray, at: np.ndarray
) -> np.ndarray:
    """The best of all faces of the constraint, each by a general optimiser."""
    x, targets = _features(family, p), y.astype(float)
    if family == Platt():
        n1, n0 = w[y].sum(), w[~y].sum()
        targets = np.where(y, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    best, least = np.zeros(x.shape[1]), np.inf
    for held in (
        product([True, False], repeat=2) if isinstance(family, Beta) else [(True, True, True)]
    ):
        kept = (
            np.array([*held, True])[: x.shape[1]]
            if isinstance(family, Beta)
            else np.ones(x.shape[1], bool)
        )
        c, loss = _general_optimum(x[:, kept], targets, w)
        full = np.zeros(x.shape[1])
        full[kept] = c
        if loss < least and (not isinstance(family, Beta) or (full[:2] >= 0).all()):
            best, least = full, loss
    return expit(_features(family, at) @ best)


@each_family
@pytest.mark.parametrize("power", [0.4, 1.0, 3.0, -1.0])
@pytest.mark.parametrize("digits", [2, 9])
def test_against_a_general_optimiser(family: Family, power: float, digits: int) -> None:
    random = np.random.default_rng(digits)
    p = random.random(400).round(digits).clip(0.01, 0.99)
    y = random.random(400) < expit(power * logit(p) + 0.5 * logit(p) ** 2 - 0.3)
    w = random.integers(0, 4, 400).astype(float)
    at = np.linspace(0.005, 0.995, 99)
    found = family.fit(binary(p, y, weights=w))
    np.testing.assert_allclose(found(at), _reference(family, p, y, w, at), atol=2e-6)
    assert found.rule.certificate.slope <= found.rule.certificate.tolerance
    repeated = family.fit(binary(np.repeat(p, w.astype(int)), np.repeat(y, w.astype(int))))
    np.testing.assert_allclose(repeated(at), found(at), atol=1e-12)


def test_beta_slopes_are_never_negative() -> None:
    random = np.random.default_rng(0)
    for power in (-2.0, -0.1, 0.1, 5.0):
        p = random.random(300)
        rule = Beta().fit(binary(p, random.random(300) < expit(power * np.log(p) + 1))).rule
        assert rule.a >= 0
        assert rule.b >= 0


@each_family
def test_a_calibrated_view_is_a_fixed_point(family: Family) -> None:
    # Of 20 rows that claim i/20, exactly i are right.
    p = np.repeat(np.arange(1, 20) / 20, 20)
    y = np.tile(np.arange(20), 19) < np.repeat(np.arange(1, 20), 20)
    np.testing.assert_allclose(
        family.fit(binary(p, y))(p), p, atol=1e-2 if family == Platt() else 1e-9
    )


def test_logarithms_keep_their_digits_near_0_and_1() -> None:
    # Seen through float64 chances these log odds would all be 0 or infinite.
    random = np.random.default_rng(1)
    z = random.normal(0, 300, 2000)
    pred = from_logits(z, random.random(2000) < expit(z / 100))
    for family in FAMILIES:
        fitted = family.fit(pred)
        np.testing.assert_allclose(fitted(one_class(pred, 1)), expit(z / 100), atol=0.08)


@each_family
@pytest.mark.parametrize("wrong", [False, True])
def test_extreme_log_odds(family: Family, *, wrong: bool) -> None:
    z = np.array([1e4, -1e4, 1e4, -1e4, 0.5, -0.5])
    view = one_class(from_logits(z, (z > 0) ^ wrong), 1)
    q = family.fit(view)(view)
    assert ((q >= 0) & (q <= 1)).all()
    if isinstance(family, Beta) and wrong:
        np.testing.assert_allclose(q, 0.5)
    else:
        assert (((q > 0.5) == view.y)[:4]).all()


@each_family
@pytest.mark.parametrize(
    ("p", "y", "expected"),
    [
        ([0.1, 0.2, 0.7, 0.8], [0, 0, 1, 1], [0, 0, 1, 1]),
        ([0.1, 0.2, 0.7], [1, 1, 1], [1, 1, 1]),
        ([0, 1, 0, 1], [0, 1, 0, 1], [0, 1, 0, 1]),
        ([0.3] * 4, [1, 0, 0, 0], [0.25] * 4),
        ([0.9], [0], [0]),
    ],
    ids=["separable", "one outcome", "exact 0 and 1", "one claim", "one row"],
)
def test_degenerate_views_have_finite_answers(
    family: Family, p: list[float], y: list[int], expected: list[float]
) -> None:
    fitted = family.fit(binary(p, y))
    if family == Platt():
        # As with one more row of each outcome, so never certain.
        assert ((fitted(p) > 0.15) & (fitted(p) < 0.85)).all()
    else:
        np.testing.assert_allclose(fitted(p), expected, atol=1e-9)
    assert np.isfinite(fitted(np.linspace(0, 1, 11))).all()


@each_family
def test_a_single_claim_moves_the_log_odds_only(family: Family) -> None:
    fitted = family.fit(binary([0.3] * 4, [1, 0, 0, 0]))
    moved = logit(fitted([0.1, 0.3, 0.9])) - logit([0.1, 0.3, 0.9])
    np.testing.assert_allclose(moved, moved[0], rtol=1e-9)


@each_family
def test_row_order_leaves_no_trace(family: Family) -> None:
    random = np.random.default_rng(2)
    pred = from_logits(random.normal(0, 9, (500, 3)).astype(np.float32), random.integers(0, 3, 500))
    order = random.permutation(500)
    view = top_label(pred)
    np.testing.assert_array_equal(family.fit(view[order])(view), family.fit(view)(view))


@needs_real
def test_platt_on_a_real_network() -> None:
    fit_on, test = (real("nncal_resnet110_c10", split) for split in ("val", "test"))
    assert isinstance(fit_on, Predictions)
    assert isinstance(test, Predictions)
    view = top_label(test)
    q = Platt().fit(top_label(fit_on))(view)
    assert nll(View(q, view.y)) == pytest.approx(0.1498, abs=1e-4)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("rate", [0.3, 2e-4, 0.0])
def test_a_start_from_few_claims_leaves_no_trace(
    family: Family, rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(3)
    p = random.random(30_000)
    view = binary(p, random.random(30_000) < rate * p)
    found = family.fit(view)(p)
    monkeypatch.setattr(logistic, "_FEW", len(p))
    np.testing.assert_allclose(found, family.fit(view)(p), rtol=1e-7, atol=1e-12)
