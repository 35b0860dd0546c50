"""How sure the numbers of a report are: the level of its intervals and bands, and their draws."""

from ..inference.intervals import interval
from ..inference.measuring import Ends, Measure
from ..inputs.views import Data

LEVEL = 0.95
# With so few an end moves, from seed to seed, by a tenth of the interval's width, and a report
# takes seconds.
DRAWS = 200


def report_interval(measure: Measure, x: Data) -> Ends:
    """The ends of a measure's interval, as `calibrant.interval` has them."""
    found = interval(measure, x, level=LEVEL, n_boot=DRAWS)
    return found.low, found.high
