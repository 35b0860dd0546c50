"""Several views are averaged, and whole vectors are one question."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from calibrant import (
    Isotonic,
    calibration_error,
    canonical,
    classwise,
    ece,
    from_logits,
    from_probs,
    kde_error,
    top_label,
    triweight_error,
)
from calibrant.measures.averages import mean_over_questions, mean_over_views, questions_of
from calibrant.measures.scores import event_rate

PRED = from_probs([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]], [2, 1])


def test_the_mean_is_over_the_views_asked_of() -> None:
    views = classwise(PRED)
    assert mean_over_views(event_rate, views) == np.mean([event_rate(view) for view in views])
    assert mean_over_views(event_rate, PRED) == event_rate(top_label(PRED))


@pytest.mark.parametrize(
    "error",
    [ece, kde_error, triweight_error, partial(calibration_error, family=Isotonic())],
)
def test_in_norm_2_squares_are_averaged(error: Callable[..., float]) -> None:
    random = np.random.default_rng(0)
    views = classwise(from_logits(random.normal(size=(300, 3)), random.integers(0, 3, 300)))
    each = [error(view, norm=2) for view in views]
    assert error(views, norm=2) == pytest.approx(np.sqrt(np.mean(np.square(each))), rel=1e-12)
    each = [error(view, norm=1) for view in views]
    assert error(views, norm=1) == pytest.approx(np.mean(each), rel=1e-12)


def test_debiased_squares_are_averaged_before_the_root() -> None:
    random = np.random.default_rng(1)
    p = random.dirichlet(np.ones(8), 2000)
    right = (p.cumsum(1) > random.random((2000, 1))).argmax(1)
    views = classwise(from_probs(p, right))
    each = np.array([ece(view, norm=2, debias=True) for view in views])
    # Right claims: some classes show less than nothing, which the mean of roots would forget.
    assert (each == 0).any()
    assert ece(views, norm=2, debias=True) < np.sqrt(np.mean(each**2))


def test_whole_vectors_are_one_question() -> None:
    view = canonical(PRED)
    assert questions_of(view) == (view,)
    assert mean_over_questions(lambda each: float(each.n), view) == 2
    with pytest.raises(ValueError, match="expected Predictions, a View or a sequence of Views"):
        mean_over_views(event_rate, view)  # type: ignore[arg-type]
