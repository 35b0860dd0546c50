"""The Kolmogorov-Smirnov calibration error: the widest gap of claims and events summed up."""

import numpy as np

from ..fitting.types import Array
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


def ks_error(x: Asked) -> float:
    """Widest gap between summed claims and summed events.

    It is the norm-1 error itself where all gaps have one sign (Gupta et al. 2021).

    >>> from calibrant import binary
    >>> round(ks_error(binary([0.8] * 10, [1] * 6 + [0] * 4)), 3)
    0.2
    """
    return mean_over_views(widest_gap, x)
