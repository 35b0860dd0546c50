"""A measure of several views is the mean over them."""

from collections.abc import Callable
from typing import Literal

import numpy as np

from ..inputs.questions import Asked, Scored, views_of
from ..inputs.views import Canonical, View

Norm = Literal[1, 2, "max"]


def mean_over_views(measure: Callable[[View], float], x: Asked) -> float:
    """What a measure gives, averaged over the views that are asked of."""
    values = [measure(view) for view in views_of(x)]
    return float(np.mean(values))


def mean_over_questions(measure: Callable[[View | Canonical], float], x: Scored) -> float:
    """What a measure gives of whole vectors, or averaged over the views that are asked of."""
    values = [measure(question) for question in questions_of(x)]
    return float(np.mean(values))


def questions_of(x: Scored) -> tuple[View | Canonical, ...]:
    """Whole vectors as one question, or the views that are asked of."""
    if isinstance(x, Canonical):
        return (x,)
    return views_of(x)


def power(error: float, norm: Norm) -> float:
    """What errors of several questions are averaged as: in norm 2, squares."""
    return error**2 if norm == 2 else error


def of_power(mean: float, norm: Norm) -> float:
    """The error whose `power` this is: in norm 2, the root."""
    return float(np.sqrt(max(0.0, mean))) if norm == 2 else mean
