"""Claims and events summed up: their widest gap (Kolmogorov-Smirnov), and any interval's."""

import numpy as np

from ..fitting.types import Array
from ..inputs.habits import takes_one
from ..inputs.questions import Asked
from ..inputs.views import View
from .averages import mean_over_views


def drift(view: View) -> tuple[Array, Array]:
    """Distinct claims s in ascending order, and the mean over all rows of (y - p) where p <= s."""
    p, w, happened = view.pool
    drifted = np.cumsum(happened - w * p)
    drifted /= view.total
    return p, drifted


def widest_gap(view: View) -> float:
    """The KS error of one view."""
    _, gap = drift(view)
    return float(np.abs(gap).max())


@takes_one
def ks_error(x: Asked) -> float:
    """Widest gap between summed claims and summed events.

    It is the norm-1 error itself where all gaps have one sign (Gupta et al. 2021).

    >>> from calibrant import binary
    >>> round(ks_error(binary([0.8] * 10, [1] * 6 + [0] * 4)), 3)
    0.2
    """
    return mean_over_views(widest_gap, x)


@takes_one
def cutoff_error(x: Asked) -> float:
    """Widest gap of claims and events summed over an interval of claims, as a mean over all rows.

    Of any interval the error is no larger (Rossellini et al. 2025): it lies between the KS error,
    of intervals that begin at 0, and twice that. `worst_interval` says which interval it is.

    >>> from calibrant import binary
    >>> view = binary([0.2] * 10 + [0.8] * 10, [1] * 4 + [0] * 6 + [1] * 6 + [0] * 4)
    >>> round(cutoff_error(view), 3), round(ks_error(view), 3)
    (0.1, 0.1)
    """
    return mean_over_views(_widest_interval, x)


def _widest_interval(view: View) -> float:
    _, gap = drift(view)
    return max(0.0, float(gap.max())) - min(0.0, float(gap.min()))
