"""Calibration at large: the line that recalibrates log odds best, and events over claims."""

from typing import NamedTuple

import numpy as np

from ..fitting.irls import logistic
from ..fitting.types import Array
from ..fitting.weights import present
from ..inputs.checks import Undefined
from ..inputs.habits import takes_one
from ..inputs.questions import Asked, views_of
from ..inputs.views import View, split_outcomes
from .averages import mean_over_views
from .scores import event_rate, mean_claim

_IDENTITY = np.array([1.0, 0.0])


class LogisticLine(NamedTuple):
    """The line through log odds that best fits the outcomes: (1, 0) for a calibrated model."""

    slope: float
    intercept: float


@takes_one
def slope_intercept(x: Asked) -> LogisticLine:
    """Logistic regression of outcomes on log odds; a slope below 1 means claims too extreme.

    Refused where no line fits best: one outcome only, one claim only, or a threshold that parts
    the outcomes.

    >>> from calibrant import binary
    >>> line = slope_intercept(binary([0.2] * 5 + [0.8] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0]))
    >>> round(line.slope, 6)
    1.0
    """
    lines = [_fitted_line(view) for view in views_of(x)]
    mean = np.mean(lines, axis=0)
    return LogisticLine(*mean.tolist())


@takes_one
def observed_expected(x: Asked) -> float:
    """Events that happened over events claimed: below 1 means too much was promised."""
    return mean_over_views(_observed_expected, x)


def _observed_expected(view: View) -> float:
    claimed = mean_claim(view)
    if claimed == 0:
        raise Undefined(
            "observed_expected needs claims above 0",
            "every chance is exactly 0, so nothing is expected",
        )
    return event_rate(view) / claimed


def _fitted_line(view: View) -> Array:
    view = split_outcomes(view)
    why = _no_line(view)
    if why is not None:
        raise Undefined("no slope and intercept fit best", why)
    ones = np.ones(view.n)
    features = np.stack([view.log_odds, ones], axis=1)
    coefficients, _ = logistic(features, view.y, view.w, start=_IDENTITY)
    return coefficients


def _no_line(view: View) -> str | None:
    """Why no line fits the outcomes best, if none does."""
    kept = present(view.w, view.n)
    z = view.log_odds[kept]
    y = view.y[kept]
    yes = z[y]
    no = z[~y]
    if not len(yes) or not len(no):
        return "every outcome is the same"
    if z.min() == z.max():
        return "all claims are the same"
    rises = yes.min() >= no.max()
    falls = yes.max() <= no.min()
    if rises or falls:
        return "one threshold parts the outcomes"
    return None
