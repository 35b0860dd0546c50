"""What inference asks of any measure: one number, of data shaped as they were given."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, views_of
from ..inputs.views import Data, View

Measure = Callable[[Any], float]
Ends = tuple[float, float]  # the lower and the upper end of an interval


def number(measure: Measure, x: object) -> float:
    """What a measure gives, which must be one number."""
    value: object = measure(x)
    if not isinstance(value, float | int | np.floating):
        raise ValueError(
            f"measure must give one number, got {value!r}; pick one, as in lambda x: measure(x)[0]"
        )
    if np.isnan(value):
        raise ValueError(
            "measure must give a number, got nan; refuse such rows, or leave them out",
        )
    return float(value)


def several(x: Asked) -> list[Data]:
    """The predictions, or the views, that a measure was given."""
    if isinstance(x, Predictions):
        return [x]
    return list(views_of(x))


def like(x: Asked, parts: Sequence[Any]) -> Any:  # noqa: ANN401 - as a measure was given x
    """Other data as a measure was given x: alone, or several."""
    is_alone = isinstance(x, Predictions | View)
    return parts[0] if is_alone else parts


def middle(level: float) -> Ends:
    """Between which quantiles the middle part of a distribution lies."""
    return (1 - level) / 2, (1 + level) / 2


def check_options(level: float, n_boot: int) -> None:
    """A level must lie between 0 and 1, and draws must be enough for quantiles."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, such as 0.95; got {level!r}")
    is_whole = isinstance(n_boot, int | np.integer)
    if not is_whole or n_boot < 100:
        raise ValueError(f"n_boot must be a whole number, at least 100, got {n_boot!r}")
