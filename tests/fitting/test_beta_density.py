"""The Beta kernel against exact arithmetic."""

import mpmath
import numpy as np
import pytest
from shared_crowds import floored_log_odds

from calibrant.fitting.beta_density import (
    FLOOR,
    angles,
    key_table,
    log_chances,
    log_heights,
)


@pytest.mark.parametrize("h", [1e-5, 1e-3, 1.0])
def test_the_kernel_against_exact_arithmetic(h: float) -> None:
    at, about = (
        np.array([1e-30, 1e-6, 0.2, 0.5, 0.999, 1 - 2**-40]),
        np.array([1e-9, 0.3, 0.5, 1 - 2**-30]),
    )
    found = log_chances(floored_log_odds(at)) @ key_table(floored_log_odds(about), h)
    with mpmath.workdps(60):
        for i, z in enumerate(at):
            for j, s in enumerate(about):
                a, b = mpmath.mpf(s) / mpmath.mpf(h) + 1, (1 - mpmath.mpf(s)) / mpmath.mpf(h) + 1
                log_beta = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)
                expected = (
                    (a - 1) * mpmath.log(z) + (b - 1) * mpmath.log(1 - mpmath.mpf(z)) - log_beta
                )
                assert found[i, j] == pytest.approx(float(expected), rel=1e-12, abs=1e-13 / h)


def test_exact_zero_and_one_lie_at_the_floor() -> None:
    odds = floored_log_odds(np.array([0.0, 1e-300, 1.0]))
    np.testing.assert_array_equal(odds, [FLOOR, FLOOR, -FLOOR])
    np.testing.assert_allclose(
        log_chances(odds)[:, :2], [[FLOOR, 0], [FLOOR, 0], [0, FLOOR]], atol=1e-30
    )


def test_heights_are_kernels_at_their_own_claim() -> None:
    odds = np.array([-20.0, 0.0, 3.0])
    np.testing.assert_allclose(
        log_heights(odds, 0.01), np.diag(log_chances(odds) @ key_table(odds, 0.01))
    )


def test_kernels_are_equally_wide_along_the_angle() -> None:
    p, h = np.array([0.05, 0.5, 0.9]), 1e-4
    odds, width = floored_log_odds(p), np.sqrt(h) / 2
    beside = floored_log_odds(np.sin(angles(odds) + width) ** 2)
    drop = np.diag(log_chances(beside) @ key_table(odds, h)) - log_heights(odds, h)
    np.testing.assert_allclose(drop, -0.5, atol=0.02)
