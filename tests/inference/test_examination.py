"""Examinations: sizes as a direct reckoning has them, and which way the claims err."""

import numpy as np
import pytest
from scipy import stats
from shared_claims import claims

from calibrant import Smooth, binary, calibration_error, ks_error, worst_interval
from calibrant.inference.examination import Share, examine, ratio


def test_the_numbers_are_those_of_the_measures() -> None:
    view = claims(900, lift=-0.4, slope=0.8)
    found = examine(view)
    assert found.whole.claimed == pytest.approx(view.p.mean())
    assert found.whole.happened == pytest.approx(view.y.mean())
    assert found.gap == pytest.approx(view.p.mean() - view.y.mean())
    assert found.error == pytest.approx(calibration_error(view, Smooth()))
    assert found.widest == pytest.approx(ks_error(view))
    located = worst_interval(view)
    assert (found.low, found.high) == pytest.approx((located.low, located.high))
    assert (found.worst.claimed, found.worst.happened) == pytest.approx(
        (located.claimed, located.observed)
    )
    order = np.argsort(view.p)
    lowest, highest = order[:90], order[-90:]
    assert found.lowest.rows == found.highest.rows == 90
    assert found.lowest.happened == pytest.approx(view.y[lowest].mean())
    assert found.highest.claimed == pytest.approx(view.p[highest].mean())
    assert found.rarer == pytest.approx(min(view.p.sum(), (1 - view.p).sum()))


@pytest.mark.parametrize("events", [0, 1, 5, 40])
def test_a_share_is_off_where_the_claim_leaves_the_exact_interval(events: int) -> None:
    interval = stats.binomtest(events, 40).proportion_ci(0.99, "exact")
    for claimed in np.linspace(0.001, 0.999, 41):
        is_off = not interval.low <= claimed <= interval.high
        assert Share(40, claimed, events / 40).is_off == is_off


def test_a_ratio_is_that_of_the_rarer_outcome() -> None:
    assert ratio(0.3, 0.1) == ratio(0.1, 0.3) == pytest.approx(3)
    assert (ratio(0, 0), ratio(0.5, 0)) == (1, np.inf)
    assert Share(1000, 0.999, 0.996).factor == pytest.approx(4)


def test_weights_are_counts() -> None:
    view = claims(300, slope=0.5)
    weighted = examine(binary(view.p, view.y, weights=np.full(300, 3.0)))
    repeated = examine(binary(np.repeat(view.p, 3), np.repeat(view.y, 3)))
    assert weighted == repeated
