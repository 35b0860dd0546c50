"""Several views are averaged, and whole vectors are one question."""

import numpy as np
import pytest

from calibrant import canonical, classwise, from_probs, top_label
from calibrant.measures.averages import mean_over_questions, mean_over_views, questions_of
from calibrant.measures.scores import event_rate

PRED = from_probs([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]], [2, 1])


def test_the_mean_is_over_the_views_asked_of() -> None:
    views = classwise(PRED)
    assert mean_over_views(event_rate, views) == np.mean([event_rate(view) for view in views])
    assert mean_over_views(event_rate, PRED) == event_rate(top_label(PRED))


def test_whole_vectors_are_one_question() -> None:
    view = canonical(PRED)
    assert questions_of(view) == (view,)
    assert mean_over_questions(lambda each: float(each.n), view) == 2
    with pytest.raises(ValueError, match="expected Predictions, a View or a sequence of Views"):
        mean_over_views(event_rate, view)  # type: ignore[arg-type]
