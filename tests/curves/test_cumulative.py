"""Sums along the claims end at the means, and their widest gap is the KS error."""

from collections.abc import Callable

import numpy as np
import pytest
from shared_claims import claims
from shared_views import ODD_VIEWS, predictions

from calibrant import Predictions, Spline, View, curves, ks_error, top_label, top_r, within_top_r


@pytest.mark.parametrize(
    "question", [top_label, lambda pred: top_r(pred, 2), lambda pred: within_top_r(pred, 3)]
)
def test_sums_end_at_the_means_and_their_widest_gap_is_the_ks_error(
    question: Callable[[Predictions], View],
) -> None:
    view = question(predictions(3000))
    found = curves.cumulative(view)
    gap = abs(found.claimed - found.happened)
    assert found.error == pytest.approx(ks_error(view), abs=1e-15)
    assert gap[found.widest] == pytest.approx(found.error, abs=1e-12)
    assert gap.max() == pytest.approx(found.error, abs=1e-12)
    assert found.fractile[-1] == pytest.approx(1, abs=1e-12)
    assert found.claimed[-1] == pytest.approx(view.p.mean(), abs=1e-12)
    assert found.happened[-1] == pytest.approx(view.y.mean(), abs=1e-12)
    events = np.cumsum(view.y[np.argsort(view.p)])
    rows = np.rint(found.fractile * view.n).astype(int)
    happened = np.append(0, events)[rows] / view.n
    np.testing.assert_allclose(found.happened, happened, atol=1e-12)
    np.testing.assert_allclose(found.q, Spline().fit(view)(found.p))
    assert len(found.p) <= 403


@pytest.mark.parametrize("name", ODD_VIEWS)
def test_sums_of_odd_views(name: str) -> None:
    found = curves.cumulative(ODD_VIEWS[name])
    assert found.error == pytest.approx(ks_error(ODD_VIEWS[name]), abs=1e-15)
    assert np.isfinite(found.q).all()


def test_right_claims_stay_within_the_limit() -> None:
    found = curves.cumulative(claims(1000, slope=0.5))
    p = claims(1000, slope=0.5).p
    assert found.limit == pytest.approx(2.2414 * np.sqrt((p * (1 - p)).sum()) / 1000)
    assert found.error > found.limit
    right = [curves.cumulative(claims(300, seed=seed)) for seed in range(100)]
    assert 88 <= sum(each.error <= each.limit for each in right) <= 100
