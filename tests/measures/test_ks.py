"""The KS and cutoff errors against loops over score values, on every view."""

import numpy as np
import pytest

from calibrant import (
    binary,
    classwise,
    cutoff_error,
    from_logits,
    ks_error,
    top_label,
    top_r,
    within_top_r,
)
from calibrant.measures.ks import drift

R = np.random.default_rng(0)


def _loop(p: np.ndarray, y: np.ndarray) -> float:
    return max(abs((y[p <= s] - p[p <= s]).sum()) / len(p) for s in p)


@pytest.mark.parametrize("decimals", [1, 2, 9])
def test_against_a_loop_over_scores(decimals: int) -> None:
    p = R.random(200).round(decimals)
    y = (R.random(200) < 0.4).astype(float)
    assert ks_error(binary(p, y)) == pytest.approx(_loop(p, y), abs=1e-14)


def test_every_view_has_one() -> None:
    pred = from_logits(R.normal(0, 2, (300, 5)), R.integers(0, 5, 300))
    for view in (top_label(pred), top_r(pred, 3), within_top_r(pred, 2), *classwise(pred)):
        assert ks_error(view) == pytest.approx(_loop(view.p, view.y.astype(float)), abs=1e-14)
    assert ks_error(classwise(pred)) == pytest.approx(
        np.mean([ks_error(view) for view in classwise(pred)])
    )


def test_the_drift_ends_at_the_mean_gap() -> None:
    p, y = R.random(50), R.random(50) < 0.5
    claims, gaps = drift(binary(p, y))
    np.testing.assert_array_equal(claims, np.sort(p))
    assert gaps[-1] == pytest.approx(y.mean() - p.mean())


@pytest.mark.parametrize("decimals", [1, 2, 9])
def test_the_cutoff_error_against_all_intervals(decimals: int) -> None:
    p = R.random(60).round(decimals)
    y = R.random(60) < 0.2 + 0.6 * p
    gaps = [abs((y - p)[(a <= p) & (p <= b)].sum()) / 60 for a in p for b in p if a <= b]
    found = cutoff_error(binary(p, y))
    assert found == pytest.approx(max(gaps), abs=1e-14)
    assert ks_error(binary(p, y)) <= found <= 2 * ks_error(binary(p, y))


def test_the_cutoff_error_of_gaps_of_one_sign_is_the_ks_error() -> None:
    p = R.random(100)
    low, high = binary(p, np.zeros(100)), binary(p, np.ones(100))
    assert cutoff_error(low) == pytest.approx(ks_error(low), abs=1e-15)
    assert cutoff_error(high) == pytest.approx(ks_error(high), abs=1e-15)
