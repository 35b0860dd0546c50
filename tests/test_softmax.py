"""Passes of softmax regression against plain formulas and finite differences."""

import numpy as np
import pytest
from scipy.special import log_softmax

from calibrant.fitting.softmax import matrix_pass, vector_pass

R = np.random.default_rng(0)
Z, LABELS, W = R.normal(0, 2, (60, 4)), R.integers(0, 4, 60), R.integers(0, 3, 60).astype(float)


def _loss(logits: np.ndarray, w: np.ndarray | None) -> float:
    return float(-np.average(log_softmax(logits, axis=1)[np.arange(60), LABELS], weights=w))


def _slopes(f, x: np.ndarray, step: float = 1e-5) -> np.ndarray:  # type: ignore[no-untyped-def]  # noqa: ANN001
    return np.array([(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(x.size)])


@pytest.mark.parametrize("w", [None, W])
def test_the_vector_pass(w: np.ndarray | None) -> None:
    x = R.normal(0.5, 0.2, 8)
    value, gradient, hessian = vector_pass(Z, LABELS, w, x, whole=True)
    assert value == pytest.approx(_loss(Z * x[:4] + x[4:], w))
    np.testing.assert_allclose(gradient, _slopes(lambda v: _loss(Z * v[:4] + v[4:], w), x), atol=1e-8)
    slopes = _slopes(lambda v: vector_pass(Z, LABELS, w, v, whole=True)[1], x)
    np.testing.assert_allclose(hessian, slopes, atol=1e-8)
    other_value, other_gradient, rough = vector_pass(Z, LABELS, w, x, whole=False)
    assert other_value == pytest.approx(value)
    np.testing.assert_allclose(other_gradient, gradient)
    assert (rough >= np.diag(hessian)).all()


@pytest.mark.parametrize("w", [None, W])
def test_the_matrix_pass(w: np.ndarray | None) -> None:
    table = R.normal(0, 0.3, (4, 5))
    value, gradient, curvature = matrix_pass(Z, LABELS, w, table, curved=True)

    def loss(v: np.ndarray) -> float:
        t = v.reshape(4, 5)
        return _loss(Z @ t[:, :4].T + t[:, 4], w)

    assert value == pytest.approx(loss(table.ravel()))
    np.testing.assert_allclose(gradient, _slopes(loss, table.ravel()), atol=1e-8)
    slopes = _slopes(lambda v: matrix_pass(Z, LABELS, w, v.reshape(4, 5), curved=False)[1], table.ravel())
    np.testing.assert_allclose(curvature, np.diag(slopes), atol=1e-8)
