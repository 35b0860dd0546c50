"""The numbers that the tools of a team are given, by name."""

from collections.abc import Callable
from typing import Literal

from ..inputs.views import View
from ..measures.errors import calibration_error, ece
from ..measures.ks import ks_error
from ..measures.recalibration_line import observed_expected
from ..measures.scores import brier, nll

Name = Literal["calibration_error", "ece", "ks_error", "observed_expected", "nll", "brier"]
MEASURES: dict[Name, Callable[[View], float]] = {
    "calibration_error": calibration_error,
    "ece": ece,
    "ks_error": ks_error,
    "observed_expected": observed_expected,
    "nll": nll,
    "brier": brier,
}
