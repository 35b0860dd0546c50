"""How sure a measure is: between which values it would lie with endless rows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..inputs.habits import takes_one
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, binary
from ..inputs.views import Canonical, View
from ..measures.draws import Random, replicates
from ..measures.rows import sorted_rows
from ..progress import progress, quiet
from .bootstrap import redrawn
from .closed_form import closed_form
from .inversion import invert_tests
from .measuring import Bootstrap, Ends, Measure, like, number, several
from .whole_vectors import (
    ENDLESS,
    NOTHING,
    as_asked,
    is_vector_error,
    of_predictions,
    refuse_vectors,
    vector_terms,
)

# How often claims of 1/4 and 3/4 come true where they are right, too high and too low.
_RIGHT = (0.25, 0.75)
_TOO_HIGH = (0.1, 0.6)
_TOO_LOW = (0.4, 0.9)
_VIEWS = "interval(ece, classwise(pred)) or interval(ece, one_class(pred, 3))"


class Interval(NamedTuple):
    """What a measure gives, and between which values it would lie with endless rows."""

    estimate: float
    low: float
    high: float


@takes_one
def interval(
    measure: Measure,
    x: Asked | Canonical,
    *,
    level: float = 0.95,
    n_boot: int = 1000,
    seed: int = 0,
) -> Interval:
    """Between which values `measure` would lie, with confidence `level`, given endless such rows.

    Accuracy has Wilson's interval, `nll` and `brier` have Student's. An error, which is 0 where
    claims are right, is held against what truths at many distances from the claims would show:
    random variation adds to it, so the estimate may lie above the interval; a fractional outcome
    is drawn as one that happens or not, which makes the interval wider. `vector_error` has
    limits of its bound, each of which holds with confidence `level`: only the lower one is also a
    limit of the true error. Any other measure is taken of bootstrap samples.

    >>> from calibrant import ece, simulate
    >>> found = interval(ece, simulate.task("square", 0.05).sample(1000, seed=0).view)
    >>> bool(found.low < 0.05 < found.high)
    True
    """
    draws = Bootstrap(level, n_boot, seed)
    terms_of = vector_terms(measure)
    if terms_of is not None:
        terms = terms_of(x)
        return Interval(terms.error, *terms.ends(level))
    measure, x = of_predictions(measure, x)
    estimate = number(measure, x)
    ends = closed_form(measure, x, level)
    if ends is None:
        asked = as_asked(measure, x, estimate)
        ends = _by_draws(measure, asked, draws)
    return Interval(estimate, *ends)


def _by_draws(measure: Measure, x: Asked, draws: Bootstrap) -> Ends:
    if not is_error(measure, x):
        return _percentiles(measure, x, draws)
    if isinstance(x, Predictions):
        refuse_vectors("interval", _VIEWS)
    return invert_tests(measure, x, draws)


def _percentiles(measure: Measure, x: Asked, draws: Bootstrap) -> Ends:
    """The percentile bootstrap: the middle part of what bootstrap samples give."""
    rows = sorted_rows(several(x))

    def resampled(_: int, random: Random) -> float:
        sample = redrawn(rows, random)
        return number(measure, like(x, sample))

    samples = range(draws.n_boot)
    with progress("bootstrapping", draws.n_boot) as tick, quiet():
        found = replicates(resampled, samples, draws.seed, tick)
    low, high = np.quantile(found, draws.quantiles)
    return float(low), float(high)


def is_error(measure: Measure, x: Asked) -> bool:
    """Whether a measure is 0 where claims are right, and not below it where they are wrong."""
    if isinstance(x, Predictions):
        return is_vector_error(measure, x)
    try:
        right = number(measure, _claims(x, _RIGHT))
        too_high = number(measure, _claims(x, _TOO_HIGH))
        too_low = number(measure, _claims(x, _TOO_LOW))
    except ValueError:
        # An error is defined wherever there are claims and outcomes.
        return False
    least = min(too_high, too_low)
    return abs(right) < NOTHING and least > -NOTHING


def _claims(x: View | Sequence[View], rates: Ends) -> Asked:
    """Views as x has them, of claims of 1/4 and 3/4, endlessly many, that come true so often."""
    low, high = rates
    shares = np.array([low, 1 - low, high, 1 - high])
    p = [0.25, 0.25, 0.75, 0.75]
    y = [1, 0, 1, 0]
    view = binary(p, y, weights=ENDLESS * shares)
    views = [view] * len(several(x))
    return like(x, views)
