"""Scaling-binning against sorting, splitting and averaging by hand."""

import numpy as np
import pytest

from calibrant import Platt, ScalingBinning, binary, from_logits, one_class


@pytest.mark.parametrize("n_bins", [1, 4, 15, 200])
def test_against_an_array_split(n_bins: int) -> None:
    random = np.random.default_rng(n_bins)
    p = random.random(333)
    view = binary(p, random.random(333) < p**2)
    smooth = Platt().fit(view)(p)
    parts = np.array_split(np.argsort(smooth), n_bins)
    expected = np.empty(333)
    for rows in parts:
        expected[rows] = smooth[rows].mean()
    np.testing.assert_allclose(ScalingBinning(n_bins).fit(view)(p), expected, atol=1e-12)


def test_a_weight_is_a_count_and_ties_share_a_bin() -> None:
    random = np.random.default_rng(0)
    p, w = random.random(200).round(1), random.integers(0, 4, 200)
    y = random.random(200) < p
    at = np.linspace(0, 1, 101)
    weighted = ScalingBinning(5).fit(binary(p, y, weights=w))
    repeated = ScalingBinning(5).fit(binary(np.repeat(p, w), np.repeat(y, w)))
    np.testing.assert_allclose(weighted(at), repeated(at), atol=1e-12)
    assert np.unique(weighted(at)).size <= 5


def test_claims_that_rank_backwards_are_turned_around() -> None:
    view = binary([0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0])
    q = ScalingBinning(2).fit(view)(view)
    np.testing.assert_allclose(q[:2] + q[2:], 1)
    assert q[0] > 0.5


def test_extreme_log_odds() -> None:
    z = np.array([1e4, -1e4, 0.0, 50.0])
    view = one_class(from_logits(z, [1, 0, 1, 0]), 1)
    q = ScalingBinning(3).fit(view)(view)
    assert ((q > 0) & (q < 1)).all()


def test_no_bins_are_refused() -> None:
    with pytest.raises(ValueError, match="n_bins must be at least 1, got 0"):
        ScalingBinning(0)
