"""Histograms of claims count every row."""

from collections.abc import Callable

import numpy as np
import pytest
from shared_claims import claims

from calibrant import binary, curves


def test_histograms_count_as_one_would_by_hand() -> None:
    view = binary([0.0, 0.05, 0.051, 0.5, 1.0], [0, 1, 0, 1, 1])
    seen = curves.histogram(view)
    assert seen.count[[0, 1, 9, 19]].tolist() == [2, 1, 1, 1]
    assert seen.happened[[0, 1, 9, 19]].tolist() == [1, 0, 1, 1]
    assert seen.mean_p.tolist() == pytest.approx([0.025, 0.051, 0.5, 1])
    by_odds = curves.histogram(view, 8, axes="logit")
    odds = by_odds.edges / (1 - by_odds.edges)
    assert np.diff(np.log(odds)) == pytest.approx(np.full(8, 4.0), rel=1e-6)
    assert (by_odds.count[0], by_odds.count[-1], by_odds.total) == (1, 1, 5)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: curves.histogram(claims(9), 0), "bars must be"),
        (lambda: curves.histogram(claims(9), axes="odds"), "axes must be"),  # type: ignore[arg-type]
    ],
)
def test_what_is_wrong_is_said(act: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        act()
