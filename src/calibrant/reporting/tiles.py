"""The three numbers of a first look, each with its interval and what right claims would show."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..before_after import before_after
from ..families.defaults import ERROR_FAMILY
from ..inference.intervals import interval
from ..inference.levels import gain_limit, null_level, ratio_range
from ..inference.measuring import Ends, Measure
from ..inputs.views import View
from ..measures.draws import summarised
from ..measures.errors import calibration_error
from ..measures.recalibration_line import observed_expected
from ..progress import quiet
from .confidence import LEVEL
from .recalibration import Recalibration
from .units import Unit

ERROR = "calibration error"
RATIO = "observed/expected"
GAIN = "NLL to be gained"
# Draws of an interval on a first look: its ends may move by a fifth of the width.
FEW_DRAWS = 100
_END_95 = 1.96


@dataclass(frozen=True)
class Tile:
    """A number, the ends of its 95% interval, and between what right claims show it, 19 times in 20.

    What is undefined is None.
    """

    name: str
    value: float | None
    unit: Unit
    meaning: str
    low: float | None = None
    high: float | None = None
    right_low: float | None = None
    right_high: float | None = None

    @property
    def is_off(self) -> bool:
        """Whether right claims hardly show such a number."""
        if self.value is None or self.right_high is None:
            return False
        least = -np.inf if self.right_low is None else self.right_low
        return not least <= self.value <= self.right_high


def tiles(
    view: View, mended: Recalibration, known: Mapping[str, Ends], *, seed: int = 0
) -> tuple[Tile, ...]:
    """Calibration error, observed over expected, and the NLL that mending gains.

    `known` are intervals that are there already. The gain is that of maps of other rows, or where
    there are none, of cross-validation.
    """
    with quiet():
        return _error(view, known, seed), _ratio(view, known, seed), _gain(view, mended, seed)


def _error(view: View, known: Mapping[str, Ends], seed: int) -> Tile:
    few = summarised(view)
    value = calibration_error(view)
    low, high = known.get(ERROR) or _ends(calibration_error, few, seed)
    level = null_level(calibration_error, few, seed=seed)
    meaning = "mean distance of the claims from the truth"
    return Tile(ERROR, value, "points", meaning, low, high, 0.0, level.high)


def _ratio(view: View, known: Mapping[str, Ends], seed: int) -> Tile:
    meaning = "what happened for each one claimed"
    try:
        value = observed_expected(view)
    except ValueError as error:
        return Tile(RATIO, None, "", str(error))
    low, high = known.get(RATIO) or _ratio_ends(view, seed)
    # Where every outcome is the same, so is every bootstrap sample.
    has_ends = low < high
    right_low, right_high = ratio_range(view)
    return Tile(
        name=RATIO,
        value=value,
        unit="",
        meaning=meaning,
        low=low if has_ends else None,
        high=high if has_ends else None,
        right_low=right_low,
        right_high=right_high,
    )


def _ratio_ends(view: View, seed: int) -> Ends:
    try:
        return _ends(observed_expected, summarised(view), seed)
    except ValueError:
        # Of few rows a bootstrap sample may claim nothing.
        return np.nan, np.nan


def _gain(view: View, mended: Recalibration, seed: int) -> Tile:
    if mended.gain_error > 0:
        gain, error = mended.gain, mended.gain_error
        meaning = f"by {mended.best}, fitted on other rows"
    else:
        try:
            change = before_after(ERROR_FAMILY, view, seed=seed).changes[0]
        except ValueError:
            return Tile(GAIN, None, "nats", "too few rows to try a map on")
        gain, error = change.before - change.after, change.error
        meaning = "by a smooth map, cross-validated"
    half = _END_95 * error
    return Tile(GAIN, gain, "nats", meaning, gain - half, gain + half, None, gain_limit(error))


def _ends(measure: Measure, view: View, seed: int) -> Ends:
    found = interval(measure, view, level=LEVEL, n_boot=FEW_DRAWS, seed=seed)
    return found.low, found.high
