"""The evidence against right claims, against densities of normal distributions and against fits."""

import numpy as np
import pytest
from scipy.special import expit, logsumexp
from scipy.stats import multivariate_normal

from calibrant import View, binary, calibration_test
from calibrant.families.binary.shift_models import exact_gaps, models
from calibrant.fitting.penalised import penalised_logistic
from calibrant.inference.evidence import PRIOR_ODDS, log_evidence
from calibrant.measures.draws import cells
from calibrant.simulate import Shape, task


def _view(seed: int, *, is_rounded: bool) -> View:
    random = np.random.default_rng(seed)
    p = random.beta(0.5, 0.4, 40)
    if is_rounded:
        p = p.round(1)
    w = random.integers(1, 4, 40)
    return binary(p, random.random(40) < p**1.5, weights=w)


def _dense(view: View) -> float:
    """Residuals are normal: under right claims by their own variance, under a curve with more."""
    z, w, happened = view.odds_pool
    p = expit(z)
    residual = happened - w * p
    own = np.diag(w * p * (1 - p))
    right = multivariate_normal(cov=own).logpdf(residual)
    logs = [np.log(PRIOR_ODDS.identity)]
    for model in models(z, PRIOR_ODDS, exact_gaps(view)):
        pulled = own @ model.design.x
        for penalty in model.penalties:
            more = own + pulled @ np.linalg.inv(penalty) @ pulled.T
            curved = multivariate_normal(cov=more).logpdf(residual)
            logs.append(np.log(model.odds) + curved - right)
    return float(logsumexp(logs))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("is_rounded", [False, True])
def test_against_densities(seed: int, is_rounded: bool) -> None:
    view = _view(seed, is_rounded=is_rounded)
    part = cells(view)
    found = log_evidence(part)(part.happened)
    assert float(found) == pytest.approx(_dense(view), rel=1e-8)


def test_draws_side_by_side_are_as_each_alone() -> None:
    part = cells(_view(0, is_rounded=True))
    evidence = log_evidence(part)
    draws = (
        np.random.default_rng(0)
        .binomial(part.w.astype(int), part.p, (5, len(part.p)))
        .astype(float)
    )
    together = evidence(draws)
    np.testing.assert_allclose(together, [float(evidence(draw)) for draw in draws], rtol=1e-12)


@pytest.mark.parametrize("shape", ["square", "stairs"])
def test_of_small_errors_it_is_the_evidence_of_fits(shape: Shape) -> None:
    view = task(shape, 0.015).sample(1000, 3).view
    z, w, happened = view.odds_pool
    right = z @ happened - np.logaddexp(0, z) @ w
    logs = [np.array([np.log(PRIOR_ODDS.identity)])]
    for model in models(z, PRIOR_ODDS):
        fit = penalised_logistic(model.design, z, w, happened, model.penalties)
        logs.append(np.log(model.odds) + fit.log_evidence - right)
    fitted = float(logsumexp(np.concatenate(logs)))
    part = cells(view)
    assert float(log_evidence(part)(part.happened)) == pytest.approx(fitted, abs=0.3)


def test_the_statistic_grows_with_rows_and_with_the_error() -> None:
    found = [
        calibration_test(task("beta2", error).sample(n, 0).view, n_draws=100).statistic
        for n, error in ((1000, 0.0), (1000, 0.05), (10_000, 0.05), (10_000, 0.1))
    ]
    assert found == sorted(found)
    assert found[0] < 1 < found[1]


def test_one_wrong_certainty_is_no_proof() -> None:
    p = np.append(np.linspace(0.05, 0.95, 200), np.ones(50))
    y = np.random.default_rng(4).random(250) < p
    y[-1] = False
    assert calibration_test(binary(p, y)).p_value > 0.01
    y[-25:] = False
    assert calibration_test(binary(p, y)).p_value < 0.01
