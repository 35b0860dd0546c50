"""Between which values a number of a report would lie if there were endless rows of the same kind."""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri, stdtrit

from ..choosing import Score
from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.types import Array
from ..inference.bootstrap import MOST_CELLS, cells
from ..inference.intervals import interval
from ..inputs.predictions import Predictions
from ..inputs.views import View
from ..measures.scores import row_brier, row_nll

Ends = tuple[float, float]

LEVEL = 0.95
# With so few an end moves, from seed to seed, by a tenth of the interval's width, and a report takes seconds.
DRAWS = 200


def of_share(share: float, total: float) -> Ends:
    """Wilson's interval: it has a width even where all rows agree."""
    z = float(ndtri((1 + LEVEL) / 2))
    middle = (share + z**2 / (2 * total)) / (1 + z**2 / total)
    half = z / (1 + z**2 / total) * np.sqrt(share * (1 - share) / total + z**2 / (4 * total**2))
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def of_mean(x: Array, w: Array | None) -> Ends:
    """Student's interval for the mean of rows, weights being counts."""
    total = float(len(x) if w is None else w.sum())
    if total <= 1:
        raise ValueError(f"a mean of {total:g} rows has no interval; at least 2 are needed")
    mean = float(np.average(x, weights=w))
    error = np.sqrt(np.average((x - mean) ** 2, weights=w) / (total - 1))
    half = float(stdtrit(total - 1, (1 + LEVEL) / 2) * error)
    return mean - half, mean + half


def of_measure(measure: Callable[[View], float], view: View) -> Ends:
    """By draws, as `calibrant.interval` has it."""
    found = interval(measure, view, level=LEVEL, n_boot=DRAWS)
    return found.low, found.high


def summarised(view: View) -> View:
    """The same claims with neighbours together where they are many, so that draws cost the same for any rows."""
    if view.n <= 2 * MOST_CELLS:
        return view
    part = cells(view)
    return part.counted(part.happened)


def row_losses(x: Predictions | View, score: Score) -> Array:
    """NLL or Brier score, a row each."""
    if isinstance(x, View):
        if score == "brier":
            return (x.p.astype(np.float64) - x.y) ** 2
        return np.logaddexp(0, np.where(x.y, -x.log_odds, x.log_odds))
    loss = row_brier if score == "brier" else row_nll
    return np.concatenate(on_all_cores(lambda rows: loss(x[rows]), row_blocks(x.n, x.k)))
