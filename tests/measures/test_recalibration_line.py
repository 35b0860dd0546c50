"""Slope and intercept against scikit-learn, and where neither they nor the ratio are defined."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from calibrant import binary, observed_expected, slope_intercept

R = np.random.default_rng(0)
P, Y, W = R.beta(2, 2, 500), R.random(500) < 0.6, R.integers(1, 4, 500)
VIEW = binary(P, Y, weights=W)


def test_slope_and_intercept_against_scikit_learn() -> None:
    peer = LogisticRegression(C=np.inf, tol=1e-10).fit(
        np.log(P / (1 - P))[:, None], Y, sample_weight=W
    )
    line = slope_intercept(VIEW)
    assert line.slope == pytest.approx(peer.coef_[0, 0], abs=1e-5)
    assert line.intercept == pytest.approx(peer.intercept_[0], abs=1e-5)


def test_a_slope_below_one_means_claims_too_extreme() -> None:
    z = R.normal(0, 2, 20_000)
    y = R.random(20_000) < 1 / (1 + np.exp(-z / 2))
    assert slope_intercept(binary(1 / (1 + np.exp(-z)), y)).slope == pytest.approx(0.5, abs=0.03)


def test_observed_over_expected() -> None:
    assert observed_expected(VIEW) == pytest.approx((W @ Y) / (W @ P))
    with pytest.raises(ValueError, match="needs claims above 0"):
        observed_expected(binary([0.0, 0.0], [1, 0]))


@pytest.mark.parametrize(
    ("p", "y", "why"),
    [
        ([0.2, 0.7], [1, 1], "every outcome is the same"),
        ([0.3, 0.3], [1, 0], "all claims are the same"),
        ([0.2, 0.7, 0.9], [0, 1, 1], "one threshold parts the outcomes"),
        ([0.2, 0.7, 0.9], [1, 0, 0], "one threshold parts the outcomes"),
    ],
)
def test_a_line_that_no_outcomes_settle_is_refused(p: list[float], y: list[int], why: str) -> None:
    with pytest.raises(ValueError, match=f"no slope and intercept fit best: {why}"):
        slope_intercept(binary(p, y))
