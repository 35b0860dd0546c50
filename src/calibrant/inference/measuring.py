"""What inference asks of any measure: one number, of data shaped as they were given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, views_of
from ..inputs.views import Data, View

Measure = Callable[[Any], float]
Ends = tuple[float, float]  # the lower and the upper end of an interval


@dataclass(frozen=True)
class Bootstrap:
    """How an interval is drawn: its confidence level, how many draws, and their seed."""

    level: float
    n_boot: int
    seed: int

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            rule = "level must lie between 0 and 1, such as 0.95"
            raise ValueError(f"{rule}; got {self.level!r}")
        is_whole = isinstance(self.n_boot, int | np.integer)
        if not is_whole or self.n_boot < 100:
            rule = "n_boot must be a whole number, at least 100"
            raise ValueError(f"{rule}, got {self.n_boot!r}")

    @property
    def quantiles(self) -> Ends:
        """Between which quantiles of the draws an interval lies."""
        return middle(self.level)


def middle(level: float) -> Ends:
    """Between which quantiles the middle part of a distribution lies."""
    return (1 - level) / 2, (1 + level) / 2


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
