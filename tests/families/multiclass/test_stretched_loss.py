"""The loss of stretched logits against the logits written out, and its derivatives."""

import numpy as np
import pytest
from scipy.special import log_softmax

from calibrant import Canonical, canonical, from_logits
from calibrant.families.multiclass.depths import BENDS, depths, steps
from calibrant.families.multiclass.stretched_loss import StretchedLoss, precision_matrix
from calibrant.families.numpy_operations import NUMPY

R = np.random.default_rng(0)
N, K, FACTORS = 40, 5, 3
SHARES = R.random((N, FACTORS))
X = R.uniform(0.2, 1.5, len(BENDS) + FACTORS)


def _view(weights: np.ndarray | None) -> Canonical:
    random = np.random.default_rng(1)
    logits = random.normal(0, 3, (N, K))
    return canonical(from_logits(logits, random.integers(0, K, N), weights=weights))


def _loss(weights: np.ndarray | None = None) -> StretchedLoss:
    view = _view(weights)
    return StretchedLoss(view, depths(view.scores, 0.8, NUMPY)[1], SHARES)


def _written_out(x: np.ndarray, weights: np.ndarray | None = None) -> float:
    view = _view(weights)
    depth = depths(view.scores, 0.8, NUMPY)[1]
    slopes = x[: len(BENDS)]
    curve = sum(a * step for a, step in zip(slopes, steps(depth, BENDS, NUMPY), strict=True))
    factor = SHARES @ x[len(BENDS) :]
    logs = log_softmax(-curve - factor[:, None] * depth, axis=1)
    return -float(np.average(logs[np.arange(N), view.y], weights=weights))


@pytest.mark.parametrize("weights", [None, R.integers(0, 4, N).astype(float)])
def test_value_gradient_and_hessian(weights: np.ndarray | None) -> None:
    loss = _loss(weights)
    value, gradient, hessian = loss(X)
    assert value == pytest.approx(_written_out(X, weights))
    np.testing.assert_allclose(hessian, hessian.T)
    for place, step in enumerate(1e-5 * np.eye(len(X))):
        rise = _written_out(X + step, weights) - _written_out(X - step, weights)
        assert gradient[place] == pytest.approx(rise / 2e-5, abs=1e-7)
        bend = loss(X + step)[1] - loss(X - step)[1]
        np.testing.assert_allclose(hessian[place], bend / 2e-5, atol=1e-6)


def test_the_loss_is_convex() -> None:
    hessian = _loss()(X)[2]
    assert np.linalg.eigvalsh(hessian).min() > -1e-12


@pytest.mark.parametrize(
    ("by_row", "by_class", "parts", "size"),
    [(False, False, 1, 7), (True, False, 2, 14), (True, True, 3, 14 + K)],
)
def test_priors_are_centred_on_the_best_temperature(
    by_row: bool,
    by_class: bool,
    parts: int,
    size: int,
) -> None:
    centre, precision = precision_matrix(K, by_row=by_row, by_class=by_class)
    assert centre.tolist() == [1 / parts] * size
    assert precision.shape == (size, size)
    np.linalg.cholesky(precision)
    # A curve that is level costs what its coefficients cost alone.
    level = np.append(np.ones(7), np.zeros(size - 7))
    assert level @ precision @ level == pytest.approx(7)
