"""Losses of lines against loops over rows, and their slopes against differences."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import expit

from calibrant.families.binary.piecewise_losses import (
    log_loss_of_chances,
    log_loss_of_logits,
    squared_error,
    squared_error_of_chances,
    squared_error_of_logits,
)
from calibrant.fitting.levenberg_marquardt import Losses

R = np.random.default_rng(0)
W = R.integers(1, 5, (2, 7)).astype(float)
HAPPENED = W * R.random((2, 7))
Loss = Callable[[np.ndarray, np.ndarray, np.ndarray], Losses]
OF_CHANCES: list[Loss] = [log_loss_of_chances, squared_error_of_chances]
OF_LOGITS: list[Loss] = [log_loss_of_logits, squared_error_of_logits]


def test_squared_errors_are_those_of_rows() -> None:
    q = R.random((2, 7))
    missed = W - HAPPENED
    for line in range(2):
        rows = zip(q[line], HAPPENED[line], missed[line], strict=True)
        expected = sum(h * (1 - chance) ** 2 + m * chance**2 for chance, h, m in rows)
        assert squared_error(q, W, HAPPENED)[line] == pytest.approx(expected)


def _values(loss: Loss) -> np.ndarray:
    """Where to try a loss."""
    return R.uniform(0.1, 0.9, (2, 7)) if loss in OF_CHANCES else R.normal(0, 1.5, (2, 7))


@pytest.mark.parametrize("loss", [*OF_CHANCES, *OF_LOGITS])
def test_slopes_are_those_of_differences(loss: Loss) -> None:
    values = _values(loss)
    _, slope, curvature = loss(values, W, HAPPENED)
    assert (curvature >= 0).all()
    for point in range(7):
        step = np.zeros((2, 7))
        step[:, point] = 1e-6
        up = loss(values + step, W, HAPPENED)[0]
        down = loss(values - step, W, HAPPENED)[0]
        np.testing.assert_allclose(slope[:, point], (up - down) / 2e-6, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("of_chances", "of_logits"), list(zip(OF_CHANCES, OF_LOGITS, strict=True)))
def test_a_loss_is_one_in_either_space(of_chances: Loss, of_logits: Loss) -> None:
    z = R.normal(0, 2, (2, 7))
    in_chances = of_chances(expit(z), W, HAPPENED)[0]
    np.testing.assert_allclose(of_logits(z, W, HAPPENED)[0], in_chances)


def test_a_point_wrong_with_certainty_has_some_curvature() -> None:
    z = np.array([[200.0]])
    _, slope, curvature = log_loss_of_logits(z, np.array([[1.0]]), np.array([[0.0]]))
    assert slope == 1
    assert curvature == pytest.approx(0.02)
