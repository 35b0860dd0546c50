"""Limits that a model is held to, each judged by the interval of its number."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from ..inference.measuring import Ends
from ..inputs.predictions import Predictions
from ..inputs.questions import top_label
from ..inputs.views import Data, View
from ..measures.draws import summarised
from ..measures.errors import calibration_error, ece
from ..measures.ks import ks_error
from ..measures.recalibration_line import observed_expected
from ..measures.scores import brier, event_rate, nll
from ..progress import progress, quiet
from .confidence import report_interval
from .first_question import first_view
from .units import Unit, shown

Side = Literal["at most", "at least"]
Outcome = Literal["pass", "open", "fail"]


@dataclass(frozen=True)
class Limited:
    """What can be limited: on which side of a limit it should be, its value and its interval."""

    side: Side
    unit: Unit
    meaning: str
    measured: Callable[[Data], tuple[float, Ends]]


@dataclass(frozen=True)
class Checked:
    """A number held against its limit; `low` and `high` are the ends of its 95% interval.

    It is open where the limit lies within the interval: more rows would tell.
    """

    name: str
    value: float
    low: float
    high: float
    limit: float
    side: Side
    unit: Unit
    outcome: Outcome

    def __str__(self) -> str:
        value, low, high, limit = (
            shown(each, self.unit) for each in (self.value, self.low, self.high, self.limit)
        )
        word = "FAIL" if self.outcome == "fail" else self.outcome
        unit = self.unit if self.unit in ("%", "") else f" {self.unit}"
        meaning = LIMITED[self.name].meaning
        return f"{word}  {meaning} {value}{unit} ({low} to {high}), {self.side} {limit}"


@dataclass(frozen=True)
class Check:
    """What `check_limits` found, a line for each limit."""

    limits: tuple[Checked, ...]
    is_strict: bool

    @property
    def is_passed(self) -> bool:
        """Whether no limit fails."""
        return all(each.outcome != "fail" for each in self.limits)

    def to_dict(self) -> dict[str, Any]:
        """As json holds it; errors are fractions, not points."""
        return {
            "passed": self.is_passed,
            "strict": self.is_strict,
            "limits": [asdict(each) for each in self.limits],
        }

    def __str__(self) -> str:
        return "\n".join(map(str, self.limits))


def check_limits(x: Data, limits: Mapping[str, float], *, strict: bool = False) -> Check:
    """Hold numbers of predictions against limits; `LIMITED` has the names.

    One fails where its whole interval lies beyond the limit: the data show that it is broken. With
    `strict` one fails wherever a part of the interval does: the data do not show that it is kept.

    >>> from calibrant import binary
    >>> found = check_limits(binary([0.9] * 100, [1] * 60 + [0] * 40), {"ece": 0.02})
    >>> found.is_passed, round(found.limits[0].value, 3)
    (False, 0.3)
    """
    checked = []
    with progress("checking limits", len(limits)) as tick:
        for name, limit in limits.items():
            with quiet():
                checked.append(_checked(name, x, limit, is_strict=strict))
            tick()
    return Check(tuple(checked), strict)


def _checked(name: str, x: Data, limit: float, *, is_strict: bool) -> Checked:
    limited = LIMITED[name]
    value, (low, high) = limited.measured(x)
    sign = 1 if limited.side == "at most" else -1
    best, worst = sorted((sign * low, sign * high))
    outcome: Outcome = "pass"
    if best > sign * limit or (is_strict and worst > sign * limit):
        outcome = "fail"
    elif worst > sign * limit:
        outcome = "open"
    return Checked(name, value, low, high, limit, limited.side, limited.unit, outcome)


def _of_first_question(measure: Callable[[View], float]) -> Callable[[Data], tuple[float, Ends]]:
    def measured(x: Data) -> tuple[float, Ends]:
        view = first_view(x)
        return measure(view), report_interval(measure, summarised(view))

    return measured


def _of_whole(measure: Callable[[Data], float]) -> Callable[[Data], tuple[float, Ends]]:
    def measured(x: Data) -> tuple[float, Ends]:
        return measure(x), report_interval(measure, x)

    return measured


def _accuracy(x: Data) -> tuple[float, Ends]:
    if not isinstance(x, Predictions):
        raise ValueError(
            "accuracy is of classes, and these rows have one chance each: leave it out"
        )
    view = top_label(x)
    return event_rate(view), report_interval(event_rate, view)


def _ratio(x: Data) -> tuple[float, Ends]:
    """By how many times events are claimed too often, or too seldom: 1 is right."""
    value, (low, high) = _of_first_question(observed_expected)(x)
    times = [_times(each) for each in (low, high)]
    least = 1.0 if low <= 1 <= high else min(times)
    return _times(value), (least, max(times))


def _times(ratio: float) -> float:
    return max(ratio, 1 / ratio) if ratio > 0 else np.inf


LIMITED: Mapping[str, Limited] = {
    "error": Limited(
        "at most", "points", "calibration error", _of_first_question(calibration_error)
    ),
    "ece": Limited("at most", "points", "ECE", _of_first_question(ece)),
    "ks-error": Limited("at most", "points", "KS error", _of_first_question(ks_error)),
    "ratio": Limited("at most", "", "times too high or too low", _ratio),
    "nll": Limited("at most", "nats", "NLL", _of_whole(nll)),
    "brier": Limited("at most", "", "Brier score", _of_whole(brier)),
    "accuracy": Limited("at least", "%", "accuracy", _accuracy),
}
