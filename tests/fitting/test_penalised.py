"""Penalised logistic regression against a general optimiser, and its evidence against integrals."""

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.optimize import minimize

from calibrant.fitting.penalised import Fits, local, penalised_logistic


def _loss(
    a: np.ndarray,
    x: np.ndarray,
    offset: np.ndarray,
    w: np.ndarray,
    happened: np.ndarray,
    p: np.ndarray,
) -> float:
    eta = offset + x @ a
    return float(w @ np.logaddexp(0, eta) - happened @ eta + a @ p @ a / 2)


def _local(random: np.random.Generator, rows: int, k: int) -> np.ndarray:
    """Columns of which at most four, side by side, are not zero in a row."""
    x = np.zeros((rows, k))
    for row, first in zip(x, random.integers(0, max(1, k - 3), rows), strict=True):
        row[first : first + 4] = random.dirichlet(np.ones(4))[: k - first]
    return x


def _penalties(random: np.random.Generator, k: int, strengths: tuple[float, ...]) -> np.ndarray:
    root = random.normal(size=(k, k))
    return np.stack([strength * (root @ root.T / k + 0.1 * np.eye(k)) for strength in strengths])


def _check(fits: Fits, penalties: np.ndarray, *task: np.ndarray) -> None:
    """Each fit is finite and, by its gradient, at the optimum: less than 1e-7 could be gained."""
    x, offset, w, happened = task
    for a, precision, penalty in zip(fits.coefficients, fits.precision, penalties, strict=True):
        q = 1 / (1 + np.exp(-np.clip(offset + x @ a, -700, 700)))
        gradient = x.T @ (w * q - happened) + penalty @ a
        assert gradient @ np.linalg.solve(precision, gradient) <= 1e-7
        np.testing.assert_allclose(
            precision, penalty + (x.T * (w * q * (1 - q))) @ x, rtol=1e-9, atol=1e-9
        )
    assert np.isfinite(fits.log_evidence).all()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [1, 3, 8])
def test_against_a_general_optimiser(seed: int, k: int) -> None:
    random = np.random.default_rng(seed)
    x, offset, w = (
        _local(random, 40, k),
        random.normal(size=40),
        random.integers(1, 9, 40).astype(float),
    )
    happened = random.binomial(w.astype(int), 0.3).astype(float)
    penalties = _penalties(random, k, (0.01, 1.0, 100.0))
    fits = penalised_logistic(local(x), offset, w, happened, penalties)
    _check(fits, penalties, x, offset, w, happened)
    for a, penalty in zip(fits.coefficients, penalties, strict=True):
        peer = minimize(
            _loss, np.zeros(k), (x, offset, w, happened, penalty), "BFGS", options={"gtol": 1e-6}
        )
        np.testing.assert_allclose(a, peer.x, atol=2e-3)
        assert _loss(a, x, offset, w, happened, penalty) <= peer.fun + 1e-7


@pytest.mark.parametrize("w", [1e9, 1e12, 1e15])
@pytest.mark.parametrize("offset", [-20.7, -0.8, 6.9])
def test_one_row_of_any_weight(offset: float, w: float) -> None:
    """The slope at the optimum, in the exact arithmetic of a sum of two terms that are not near."""
    penalties = np.array([[[0.01]], [[1.0]], [[100.0]]])
    row = np.array([1.0])
    fits = penalised_logistic(local(row[None]), row * offset, row * w, row * w, penalties)
    a = fits.coefficients[:, 0]
    penalty = penalties[:, 0, 0]
    rest = 1 / (1 + np.exp(offset + a))
    slope = penalty * a - w * rest
    curvature = penalty + w * rest * (1 - rest)
    assert (slope**2 / curvature <= 1e-7).all()
    np.testing.assert_allclose(fits.precision[:, 0, 0], curvature, rtol=1e-6)


def test_the_evidence_is_laplaces() -> None:
    random = np.random.default_rng(0)
    x, offset, w = _local(random, 30, 6), random.normal(size=30), np.full(30, 4.0)
    happened = random.binomial(4, 0.6, 30).astype(float)
    penalties = _penalties(random, 6, (0.1, 10.0))
    fits = penalised_logistic(local(x), offset, w, happened, penalties)
    for a, evidence, penalty in zip(fits.coefficients, fits.log_evidence, penalties, strict=True):
        q = 1 / (1 + np.exp(-offset - x @ a))
        curvature = x.T @ np.diag(w * q * (1 - q)) @ x + penalty
        # Of exp(-loss) under the prior N(0, P^-1): its peak, times the volume beneath it over that
        # of the prior.
        ratio = np.sqrt(np.linalg.det(penalty) / np.linalg.det(curvature))
        assert evidence == pytest.approx(
            np.log(ratio) - _loss(a, x, offset, w, happened, penalty), abs=1e-6
        )


@pytest.mark.parametrize("trials", [20, 2000])
def test_the_evidence_nears_the_integral_as_trials_grow(trials: int) -> None:
    x, offset = np.array([[1.0, 0.0], [0.6, 0.4], [0.1, 0.9]]), np.array([0.3, -0.2, 0.1])
    w = np.full(3, float(trials))
    happened = w * [0.5, 0.3, 0.65]
    penalty = np.array([[1.0, 0.2], [0.2, 0.5]])
    fits = penalised_logistic(local(x), offset, w, happened, penalty[None])
    a, sd = fits.coefficients[0], np.sqrt(np.diag(np.linalg.inv(fits.precision[0])))
    top = _loss(a, x, offset, w, happened, penalty)
    integral, _ = dblquad(
        lambda b, c: np.exp(top - _loss(np.array([b, c]), x, offset, w, happened, penalty)),
        *(a[1] - 8 * sd[1], a[1] + 8 * sd[1]),
        *(a[0] - 8 * sd[0], a[0] + 8 * sd[0]),
        epsrel=1e-6,
    )
    exact = np.log(integral) - top + np.log(np.linalg.det(penalty)) / 2 - np.log(2 * np.pi)
    assert fits.log_evidence[0] == pytest.approx(exact, abs=1 / trials)


def test_evidence_prefers_the_strength_that_made_the_data() -> None:
    random = np.random.default_rng(1)
    x = _local(random, 4000, 8)
    strengths = np.array([0.01, 1.0, 100.0, 1e4])
    found = []
    for true in strengths:
        totals = np.zeros(4)
        for _ in range(5):
            a = random.normal(size=8) / np.sqrt(true)
            y = (random.random(4000) < 1 / (1 + np.exp(-x @ a))).astype(float)
            penalties = strengths[:, None, None] * np.eye(8)
            totals += penalised_logistic(
                local(x), np.zeros(4000), np.ones(4000), y, penalties
            ).log_evidence
        found.append(int(totals.argmax()))
    assert found[:2] == [0, 1]
    # With next to no shift, strengths beyond some are alike.
    assert min(found[2:]) >= 2


@pytest.mark.parametrize("outcome", [0.0, 1.0])
@pytest.mark.parametrize("offset", [-30.0, 0.0, 30.0])
@pytest.mark.parametrize("trials", [1.0, 1e6])
def test_outcomes_all_alike(outcome: float, offset: float, trials: float) -> None:
    random = np.random.default_rng(2)
    x, w = _local(random, 50, 8), np.full(50, trials)
    penalties = _penalties(random, 8, (0.1, 1.0, 1e4))
    offsets = np.full(50, offset)
    fits = penalised_logistic(local(x), offsets, w, outcome * w, penalties)
    _check(fits, penalties, x, offsets, w, outcome * w)
    shift = (fits.coefficients @ x.T).mean(1)
    assert (shift >= -1e-6).all() if outcome else (shift <= 1e-6).all()
    assert (np.diff(np.abs(shift)) <= 1e-9).all()


@pytest.mark.parametrize(
    ("steep", "trials"),
    [
        (0.0, 1.0),
        (0.0, 1e5),
        (1.0, 1.0),
        (1.0, 1e5),
        (30.0, 1.0),
        (-1.0, 1.0),
        (-1.0, 1e5),
        (-30.0, 1.0),
        (-30.0, 1e2),
        (-30.0, 1e5),
    ],
)
def test_separable_rows_and_offsets_that_are_certain_and_wrong(steep: float, trials: float) -> None:
    t = np.linspace(-1, 1, 60)
    x = np.maximum(0, 1 - np.abs(3.5 * (t[:, None] + 1) - np.arange(8)))
    y = (t > 0).astype(float)
    penalties = np.array([1e-3, 1.0, 1e3])[:, None, None] * np.eye(8)
    offset, w = steep * np.sign(t), np.full(60, trials)
    fits = penalised_logistic(local(x), offset, w, trials * y, penalties)
    _check(fits, penalties, x, offset, w, trials * y)
    # The looser the penalty, the nearer to the outcomes.
    off = np.abs(1 / (1 + np.exp(-offset - fits.coefficients @ x.T)) - y).mean(1)
    assert (np.diff(off) >= -1e-9).all()


def test_no_evidence_no_shift() -> None:
    fits = penalised_logistic(
        local(np.eye(4)), np.zeros(4), np.ones(4), np.full(4, 0.5), np.eye(4)[None]
    )
    assert fits.coefficients.tolist() == [[0.0] * 4]
    assert fits.log_evidence[0] == pytest.approx(-4 * np.log(2) - 2 * np.log(1.25))
