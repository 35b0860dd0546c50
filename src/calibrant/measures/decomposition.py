"""A mean score taken apart: what calibration could gain, what is told apart, what is given."""

from typing import Literal, NamedTuple

import numpy as np

from ..families.defaults import DECOMPOSITION_FAMILY
from ..families.family import Family
from ..families.names import family_of
from ..fitting.logspace import floored_log
from ..fitting.types import Array
from ..fitting.weights import weighted_mean
from ..inputs.checks import check_argument
from ..inputs.habits import takes_one
from ..inputs.questions import Asked, views_of
from ..inputs.views import View
from .scores import brier, event_rate, expected_loss, nll

ScoringRule = Literal["brier", "log"]


class Decomposition(NamedTuple):
    """A mean score taken apart: score = miscalibration - discrimination + uncertainty."""

    miscalibration: float
    discrimination: float
    uncertainty: float


@takes_one
def decompose(
    x: Asked,
    *,
    score: ScoringRule = "brier",
    family: Family | str = DECOMPOSITION_FAMILY,
) -> Decomposition:
    """Score = miscalibration - discrimination + uncertainty, with calibrated chances from `family`.

    >>> from calibrant import binary
    >>> parts = decompose(binary([0.9, 0.9, 0.1, 0.1], [1, 0, 0, 0]))
    >>> [round(part, 4) for part in parts]
    [0.085, 0.0625, 0.1875]
    """
    check_argument("score", score, ScoringRule)
    family = family_of(family)
    return mean_decomposition([_parts(view, score, family) for view in views_of(x)])


def mean_decomposition(each: list[Decomposition]) -> Decomposition:
    """The mean of each part over several views."""
    parts = np.mean(each, axis=0)
    return Decomposition(*parts.tolist())


def _parts(view: View, score: ScoringRule, family: Family) -> Decomposition:
    q = np.clip(family.fit(view)(view), 0, 1)
    base = np.full(view.n, event_rate(view))
    claimed = brier(view) if score == "brier" else nll(view)
    calibrated = _mean_score(view, q, score)
    constant = _mean_score(view, base, score)
    return Decomposition(claimed - calibrated, constant - calibrated, constant)


def _mean_score(view: View, q: Array, score: ScoringRule) -> float:
    """The mean score if chances q were claimed instead."""
    if score == "brier":
        losses = expected_loss(view.y, (1 - q) ** 2, q**2)
    else:
        losses = expected_loss(view.y, -floored_log(q), -floored_log(1 - q))
    return weighted_mean(losses, view.w)
