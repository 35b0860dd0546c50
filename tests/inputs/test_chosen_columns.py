"""Columns that each row has of its own: questions asked together are those asked one by one."""

import numpy as np
import pytest
from scipy.special import softmax

from calibrant import from_logits, from_probs, top_label, top_r
from calibrant.inputs.chosen_columns import among, leading_columns
from calibrant.inputs.questions import each_rank


@pytest.mark.parametrize("ranks", [1, 3, 8])
def test_each_rank_is_the_question_asked_one_by_one(ranks: int) -> None:
    rng = np.random.default_rng(ranks)
    z = rng.normal(0, 3, (200, 9)).round(1)
    y = rng.integers(0, 9, 200)
    for pred in (from_logits(z, y), from_probs(softmax(z, axis=1), y)):
        for r, view in enumerate(each_rank(pred, ranks), 1):
            alone = top_r(pred, r)
            np.testing.assert_array_equal(view.p, alone.p)
            np.testing.assert_array_equal(view.y, alone.y)
            np.testing.assert_array_equal(view.log_odds, alone.log_odds)
            np.testing.assert_array_equal(view[5:9].log_odds, alone.log_odds[5:9])
            assert view.event == alone.event


def test_the_top_label_is_the_question_of_the_leading_column() -> None:
    rng = np.random.default_rng(0)
    z = rng.normal(0, 3, (500, 6)).round(1)
    for pred in (
        from_logits(z, rng.integers(0, 6, 500)),
        from_probs(softmax(z, axis=1), z.argmin(1)),
    ):
        top = top_label(pred)
        same = among(pred, leading_columns(pred, 1), top.event)
        np.testing.assert_allclose(same.p, top.p, rtol=1e-14)
        np.testing.assert_array_equal(same.y, top.y)
        np.testing.assert_array_equal(same.log_odds, top.log_odds)
