"""The threshold with a guarantee against the procedure step by step, its level, and what it refuses."""

import numpy as np
import pytest
from scipy.stats import binom
from shared_claims import claims
from shared_views import predictions

from calibrant import View, binary, top_label
from calibrant.decisions import threshold_for
from calibrant.decisions.guarantees import Unreachable


def passed_by_hand(view: View, accuracy: float, level: float) -> float | None:
    """Every threshold from a start on, one binomial test after the other."""
    least = np.log(1 - level) / np.log(accuracy)
    starts = [least]
    if view.n >= 10 * least:
        least = np.log((1 - level) / 2) / np.log(accuracy)
        starts = [least, 4 * least]
    passed = []
    for start in starts:
        for threshold in np.sort(np.unique(view.p))[::-1]:
            y = view.y[view.p >= threshold]
            if len(y) < start:
                continue
            if binom.cdf((~y).sum(), len(y), 1 - accuracy) > (1 - level) / len(starts):
                break
            passed.append(float(threshold))
    return min(passed) if passed else None


@pytest.mark.parametrize("n", [30, 100, 400, 1500])
@pytest.mark.parametrize("accuracy", [0.8, 0.9, 0.95])
def test_against_the_procedure_by_hand(n: int, accuracy: float) -> None:
    for seed in range(3):
        view = claims(n, seed=seed)
        view = binary(np.round(view.p, 2), view.y)
        expected = passed_by_hand(view, accuracy, 0.9)
        if expected is None:
            with pytest.raises(Unreachable):
                threshold_for(view, accuracy, level=0.9)
        else:
            assert threshold_for(view, accuracy, level=0.9) == expected


def test_its_level_in_a_thousand_samples() -> None:
    random = np.random.default_rng(0)
    q = np.array([0.97, 0.93, 0.9, 0.87, 0.8])
    above = np.cumsum(q) / np.arange(1, 6)  # how many are right from each claim on
    misses = 0
    for _ in range(1000):
        rows = random.integers(0, 5, 300)
        view = binary(q[rows], random.random(300) < q[rows])
        try:
            threshold = threshold_for(view, 0.9, level=0.9)
        except Unreachable:
            continue
        misses += above[list(q).index(threshold)] < 0.9 - 1e-9
    # 130 of 1000 is three standard errors above a tenth.
    assert misses < 130


def test_predictions_ask_the_top_label() -> None:
    pred = predictions(5000)
    assert threshold_for(pred, 0.7) == threshold_for(top_label(pred), 0.7)


def test_weights_are_counts_and_shares_are_one_row() -> None:
    view = binary(np.round(claims(400).p, 1), claims(400).y)
    twice = binary(np.tile(view.p, 2), np.tile(view.y, 2))
    weighted = binary(view.p, view.y, weights=np.full(400, 2.0))
    assert threshold_for(weighted, 0.8) == threshold_for(twice, 0.8)
    shares = binary(view.p, np.where(view.y, 0.99, 0.01))
    assert threshold_for(shares, 0.7) >= threshold_for(view, 0.7)


def test_what_no_data_can_reach_names_the_best() -> None:
    with pytest.raises(Unreachable, match=r"0\.99 right at level 0\.95 on 200 rows; the best") as e:
        threshold_for(claims(200), 0.99)
    best = e.value.best
    assert best is not None
    assert threshold_for(claims(200), best) > 0
    with pytest.raises(Unreachable, match=r"and none half of them: take more") as e:
        threshold_for(binary([0.9] * 3, [1, 1, 1]))
    assert e.value.best is None
    with pytest.raises(ValueError, match="accuracy must be a share between 0 and 1, got 95"):
        threshold_for(claims(10), 95)
