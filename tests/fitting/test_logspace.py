"""Probabilities in log space against scipy, and at the extremes."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from calibrant.fitting.logspace import LOG_TINY, floored_log, log_softmax, log_sum_exp, softmax

Z = np.random.default_rng(0).normal(0, 5, (40, 6))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_against_scipy(kind: type) -> None:
    z: NDArray[Any] = Z.astype(kind)
    tolerance = 1e-5 if kind is np.float32 else 1e-12
    np.testing.assert_allclose(softmax(z), special.softmax(Z, axis=1), rtol=tolerance, atol=1e-12)
    np.testing.assert_allclose(
        log_softmax(z), special.log_softmax(Z, axis=1), rtol=tolerance, atol=tolerance
    )
    np.testing.assert_allclose(log_sum_exp(z), special.logsumexp(Z, axis=1), rtol=tolerance)


def test_extremes_stay_finite() -> None:
    far = np.array([[1e4, -1e4, 0.0]])
    assert softmax(far).tolist() == [[1.0, 0.0, 0.0]]
    assert log_softmax(far).tolist() == [[0.0, -2e4, -1e4]]
    assert log_sum_exp(far).tolist() == [1e4]
    assert floored_log(np.array([0.0, 1.0])).tolist() == [LOG_TINY, 0.0]
