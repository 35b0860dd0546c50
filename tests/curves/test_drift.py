"""The running sum against a loop over claims; what right claims stay within, and the worst."""

import numpy as np
import pytest
from shared_claims import claims
from shared_views import ODD_VIEWS, predictions

from calibrant import binary, curves, ks_error, top_label, worst_interval


@pytest.mark.parametrize("n", [50, 5000])
def test_sums_against_a_loop(n: int) -> None:
    view = claims(n, slope=0.5)
    found = curves.drift(view)
    assert len(found.p) <= min(n + 1, 804)
    for fractile, p, total in zip(found.fractile[1:], found.p[1:], found.sums[1:], strict=True):
        below = view.p <= p * (1 + 1e-12)
        assert fractile == pytest.approx(below.mean())
        assert total == pytest.approx((view.y - view.p)[below].sum() / n, abs=1e-12)
    assert found.fractile[0] == found.sums[0] == 0
    assert found.limit == pytest.approx(2.2414 * np.sqrt((view.p * (1 - view.p)).sum()) / n)
    if n < 800:
        assert abs(found.sums).max() == pytest.approx(ks_error(view))


def test_the_worst_interval_lies_between_its_places() -> None:
    view = claims(5000, slope=0.5)
    found = curves.drift(view)
    assert found.worst == worst_interval(view)
    gap = found.sums[found.stop] - found.sums[found.start]
    assert abs(gap) == pytest.approx(found.worst.gap)
    assert found.p[found.stop] == pytest.approx(found.worst.high)
    share = found.fractile[found.stop] - found.fractile[found.start]
    assert share == pytest.approx(found.worst.share)


def test_weights_are_counts_and_order_is_irrelevant() -> None:
    random = np.random.default_rng(0)
    p, y, w = random.random(60).round(2), random.random(60) < 0.5, random.integers(0, 4, 60)
    weighted = curves.drift(binary(p, y, weights=w))
    repeated = curves.drift(binary(np.repeat(p, w)[::-1], np.repeat(y, w)[::-1]))
    np.testing.assert_allclose(weighted.sums, repeated.sums, atol=1e-15)
    assert weighted.limit == pytest.approx(repeated.limit)


@pytest.mark.parametrize("name", ODD_VIEWS)
def test_odd_views(name: str) -> None:
    found = curves.drift(ODD_VIEWS[name])
    for each in (found.fractile, found.p, found.sums, found.limit):
        assert np.isfinite(each).all()
    assert found.limit > 0
    assert 0 <= found.start < found.stop < len(found.p)


def test_predictions_ask_the_top_label() -> None:
    pred = predictions()
    np.testing.assert_array_equal(curves.drift(pred).sums, curves.drift(top_label(pred)).sums)
