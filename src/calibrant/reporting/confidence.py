"""How sure the numbers of a report are: the level of its intervals and bands, and their draws."""

from ..inference.intervals import interval
from ..inference.measuring import Ends, Measure
from ..inputs.views import Data

LEVEL = 0.95
# As `calibrant.interval` has it by default.
DRAWS = 1000
# Bands of a curve are drawn in less time than they are looked at.
BAND_DRAWS = 100


def report_interval(measure: Measure, x: Data, seed: int = 0) -> Ends:
    """The ends of a measure's interval, as `calibrant.interval` has them.

    Where many distinct claims were summarised in cells, those of errors are the same still; those
    of slope, intercept and observed/expected are the same but for random variation.
    """
    found = interval(measure, x, level=LEVEL, n_boot=DRAWS, seed=seed)
    return found.low, found.high
