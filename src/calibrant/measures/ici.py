"""Mean, median and 90th percentile of the distance from claims to a smooth fit."""

from collections.abc import Callable

import numpy as np

from ..families.defaults import ERROR_FAMILY
from ..families.family import Family
from ..families.names import family_of
from ..fitting.types import Array
from ..fitting.weights import counts
from ..inputs.habits import takes_one
from ..inputs.questions import Asked
from ..inputs.views import View
from .averages import mean_over_views
from .errors import calibration_error

# Summed shares are this near to a level where rounding alone parts them.
_ROUNDING = 1e-9


@takes_one
def ici(x: Asked, family: Family | str = ERROR_FAMILY) -> float:
    """Integrated calibration index: `calibration_error` in norm 1 (Austin and Steyerberg 2019).

    It is the mean distance from claims to what a family, fitted on the same rows, makes of them.

    >>> from calibrant import binary
    >>> round(ici(binary([0.8] * 1000, [1] * 600 + [0] * 400)), 3)
    0.199
    """
    return calibration_error(x, family)


@takes_one
def e50(x: Asked, family: Family | str = ERROR_FAMILY) -> float:
    """Median distance from claims to what a family makes of them (Austin and Steyerberg 2019).

    Half of the rows err by no more than it.
    """
    return mean_over_views(_percentile(0.5, family), x)


@takes_one
def e90(x: Asked, family: Family | str = ERROR_FAMILY) -> float:
    """90th percentile of the distance from claims to what a family makes of them.

    Nine of ten rows err by no more than it (Austin and Steyerberg 2019).
    """
    return mean_over_views(_percentile(0.9, family), x)


def _percentile(level: float, named: Family | str) -> Callable[[View], float]:
    family = family_of(named)

    def of_view(view: View) -> float:
        q = family.fit(view)(view)
        return _least_gap(np.abs(q - view.p), counts(view.w, view.n), level)

    return of_view


def _least_gap(gap: Array, w: Array, level: float) -> float:
    """The least gap that no more than the rest of the rows exceed."""
    order = np.argsort(gap, kind="stable")
    share = np.cumsum(w[order]) / w.sum()
    place = np.searchsorted(share, level - _ROUNDING)
    return float(gap[order[place]])
