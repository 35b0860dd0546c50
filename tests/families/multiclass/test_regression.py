"""The search for strengths against the whole grid, and what holds tables where rows are few."""

import numpy as np
import pytest

from calibrant import canonical, from_logits, nll
from calibrant.families.multiclass.linear import MatrixAndShift
from calibrant.families.multiclass.regression import (
    _line,
    _search,
    best_factors,
    best_table,
    refuse_strength,
)


@pytest.mark.parametrize("best", [(0, 0), (7, 3), (20, 11), (35, 8)])
def test_the_search_finds_the_dip_of_a_smooth_grid(best: tuple[int, int]) -> None:
    def score(place: tuple[int, int]) -> float:
        return 1 + 0.01 * ((place[0] - best[0]) ** 2 / 9 + (place[1] - best[1]) ** 2)

    assert _search(score, 36, 12) == best
    assert _search(lambda place: score((best[0], place[1])), 1, 12) == (0, best[1])


def test_a_single_bump_does_not_end_a_line() -> None:
    scores = [1.0, 0.9, 0.95, 0.8, 0.9, 1.0, 0.1]
    assert _line(lambda place: scores[place[0]], [(i, 0) for i in range(7)]) == (3, 0)


def test_more_entries_than_rows_are_held_near_the_best_factors() -> None:
    random = np.random.default_rng(0)
    pred = from_logits(random.normal(0, 2, (60, 12)), random.integers(0, 12, 60))
    view = canonical(pred)
    factors, table = best_factors(view, view.scores), best_table(view, view.scores, 0, 0)
    assert nll(from_logits(pred.scores * factors.weights + factors.shift, pred.labels)) >= nll(
        from_logits(MatrixAndShift(*table).logits(pred.scores), pred.labels)
    )
    assert np.abs(table.weights).max() < 100


def test_strengths_are_finite_and_not_negative() -> None:
    with pytest.raises(ValueError, match="off_diagonal must be at least 0 and finite, got -1"):
        refuse_strength(off_diagonal=-1.0, intercept=1.0)
