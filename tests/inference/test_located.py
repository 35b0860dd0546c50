"""The worst interval against all intervals, one by one."""

from itertools import combinations

import numpy as np
import pytest
from shared_claims import claims
from shared_views import ODD_VIEWS, predictions

from calibrant import (
    binary,
    calibration_test,
    classwise,
    cutoff_error,
    top_label,
    worst_interval,
)


@pytest.mark.parametrize("decimals", [1, 2, 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_against_all_intervals(decimals: int, *, weighted: bool) -> None:
    random = np.random.default_rng(decimals)
    p = random.uniform(0.1, 0.9, 60).round(decimals)
    y = random.random(60) < 0.3 + 0.4 * p
    w = random.integers(0, 4, 60) if weighted else np.ones(60)
    view = binary(p, y, weights=w if weighted else None)
    kept = np.unique(p[w > 0])
    ends = [*combinations(kept, 2), *((claim, claim) for claim in kept)]
    gap = {
        (low, high): abs((w * (y - p))[(low <= p) & (p <= high)].sum()) / w.sum()
        for low, high in ends
    }
    found = worst_interval(view)
    assert found.gap == pytest.approx(max(gap.values()), rel=1e-9)
    assert gap[found.low, found.high] == pytest.approx(found.gap, rel=1e-9)
    inside = (found.low <= p) & (p <= found.high)
    assert found.claimed == pytest.approx(np.average(p[inside], weights=w[inside]))
    assert found.observed == pytest.approx(np.average(y[inside], weights=w[inside]))
    assert found.share == pytest.approx(w[inside].sum() / w.sum())
    assert found.gap == pytest.approx(cutoff_error(view), rel=1e-9)
    assert found.p_value == calibration_test(view, method="kuiper").p_value


def test_it_finds_where_the_claims_fail() -> None:
    random = np.random.default_rng(0)
    p = random.random(5000)
    fails = (p > 0.3) & (p < 0.5)
    found = worst_interval(binary(p, random.random(5000) < np.where(fails, p + 0.2, p)))
    assert found.low == pytest.approx(0.3, abs=0.03)
    assert found.high == pytest.approx(0.5, abs=0.03)
    assert found.observed - found.claimed == pytest.approx(0.2, abs=0.05)
    assert found.p_value < 1e-4


def test_claims_that_are_exactly_right_have_no_gap() -> None:
    found = worst_interval(binary([0.25] * 4 + [0.5] * 2, [1, 0, 0, 0, 1, 0]))
    assert found.gap == pytest.approx(0, abs=1e-15)
    assert found.p_value == 1
    assert (found.low, found.high, found.share) == (0.25, 0.5, 1)


@pytest.mark.parametrize("name", ODD_VIEWS)
def test_odd_views_have_a_defined_answer(name: str) -> None:
    view = ODD_VIEWS[name]
    found = worst_interval(view)
    assert np.isfinite(found).all()
    assert view.p.min() <= found.low <= found.high <= view.p.max()
    assert found.low in view.p
    assert found.high in view.p
    # Exact 0 and 1 are not as they are claimed.
    if view.p.min() > 0:
        assert found.gap == pytest.approx(cutoff_error(view), abs=1e-12)


def test_predictions_ask_the_top_label_and_several_views_are_refused() -> None:
    pred = predictions()
    assert worst_interval(pred) == worst_interval(top_label(pred))
    assert worst_interval(claims(100)).p_value > 0.01
    with pytest.raises(ValueError, match="the worst interval is one of one view's claims, got 4"):
        worst_interval(classwise(pred))  # type: ignore[arg-type]
