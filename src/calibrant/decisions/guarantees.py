"""From which claim on to answer, so that answers are as often right as asked: learn, then test."""

from typing import NamedTuple

import numpy as np
from scipy.special import bdtr

from ..fitting.types import Array
from ..inputs.predictions import Predictions
from ..inputs.views import View
from .kept import kept, single_view

# With so many times the rows that the strictest start needs there is a second one, at so many times.
# Both were chosen on normal log odds, where docs/benchmarks/decisions.md has other tasks.
_MANY = 10
_SECOND = 4


class Unreachable(ValueError):
    """No threshold keeps what was asked; `best` is what these rows can vouch for, None if nothing."""

    def __init__(self, rule: str, best: float | None) -> None:
        self.best = best
        super().__init__(rule)


def threshold_for(x: Predictions | View, accuracy: float = 0.95, *, level: float = 0.95) -> float:
    """The lowest claim from which on answers are right so often, at this level of confidence.

    In a share `level` of samples, at least, what is answered at or above the threshold found is
    right with the chance `accuracy` among all rows to come, not only these. Thresholds are tested
    from strict ones down until one fails (learn then test, Angelopoulos et al. 2021), so that
    looking at many costs nothing. Claims need not be calibrated; rows must be independent.

    >>> from calibrant import simulate
    >>> view = simulate.task("square", 0).sample(2000, seed=0).view
    >>> 0.8 < threshold_for(view, accuracy=0.9) < 0.95
    True
    """
    for name, share in (("accuracy", accuracy), ("level", level)):
        if not 0 < share < 1:
            raise ValueError(f"{name} must be a share between 0 and 1, got {share}")
    view = single_view(x)
    steps = _steps(view)
    # Rows that are wrong in part vary less than those wrong or right: Bentkus's bound.
    tolerated = (1 - level) / np.e if view.is_fractional else 1 - level
    threshold = _lowest_passed(steps, accuracy, tolerated)
    if threshold is None:
        asked = f"{accuracy:g} right at level {level:g} on {view.total:,.6g} rows"
        raise _unreachable(asked, _best_accuracy(steps, accuracy, tolerated))
    return threshold


class _Steps(NamedTuple):
    """Thresholds from the strictest down, the rows that each keeps, and how many are wrong."""

    p: Array
    rows: Array
    wrong: Array


def _steps(view: View) -> _Steps:
    found = kept(view)
    wrong = found.rows - found.events
    return _Steps(found.p, found.rows, wrong)


def _lowest_passed(steps: _Steps, accuracy: float, tolerated: float) -> float | None:
    """The lowest threshold that passes, of those above which every one passes from a start on."""
    starts = _starts(steps, accuracy, tolerated)
    each = tolerated / max(len(starts), 1)
    lowest = -1
    for start in starts:
        passed = _tails(steps, slice(start, None), 1 - accuracy) <= each
        until = len(passed) if passed.all() else int(passed.argmin())
        if until:
            lowest = max(lowest, start + until - 1)
    return None if lowest < 0 else float(steps.p[lowest])


def _starts(steps: _Steps, accuracy: float, tolerated: float) -> list[int]:
    """Where testing starts, by rows alone: with the fewest that can vouch, and with more of them.

    Of the fewest none may be wrong; the second start forgives some, for half of what is tolerated.
    """
    every = steps.rows[-1]
    least = np.log(tolerated) / np.log(accuracy)
    if every < least:
        return []
    wanted = [least]
    if every >= _MANY * least:
        least = np.log(tolerated / 2) / np.log(accuracy)
        wanted = [least, _SECOND * least]
    found = np.searchsorted(steps.rows, np.array(wanted) * (1 - 1e-12))
    return [int(each) for each in found]


def _tails(steps: _Steps, at: slice, risk: float) -> Array:
    """The chance of no more wrong than there are, were the risk as large as can be borne."""
    # A weight is a count: what is no whole row is left out of the rows and added to the wrong ones.
    rows = np.floor(steps.rows[at] + 1e-9).astype(np.int64)
    wrong = np.ceil(steps.wrong[at] - 1e-9)
    tails: Array = bdtr(np.minimum(wrong, rows), rows, risk)
    return tails


def _best_accuracy(steps: _Steps, accuracy: float, tolerated: float) -> float | None:
    """The highest accuracy in steps of half a hundredth, above one half, that the rows vouch for."""
    lower = np.arange(0.505, accuracy, 0.005)[::-1]
    for each in lower.round(3).tolist():
        if _lowest_passed(steps, each, tolerated) is not None:
            return float(each)
    return None


def _unreachable(asked: str, best: float | None) -> Unreachable:
    if best is None:
        return Unreachable(f"no threshold keeps {asked}, and none half of them: take more", None)
    return Unreachable(
        f"no threshold keeps {asked}; the best attainable is {best:g}: ask for it of fresh rows",
        best,
    )
