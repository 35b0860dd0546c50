"""The Kolmogorov-Smirnov calibration error: claims and events summed up in order of the claim, and their widest gap."""

import numpy as np

from ..fitting.types import Array
from ..inputs.questions import Asked, views_of
from ..inputs.views import View


def drift(view: View) -> tuple[Array, Array]:
    """Distinct claims s in ascending order, and the mean over all rows of (y - p) where p <= s."""
    p, w, happened = view.pool
    return p, np.cumsum(happened - w * p) / view.total


def ks_error(x: Asked) -> float:
    """Widest gap between summed claims and summed events; the norm-1 error itself where all gaps have one sign.

    >>> from calibrant import binary
    >>> round(ks_error(binary([0.8] * 10, [1] * 6 + [0] * 4)), 3)
    0.2
    """
    return float(np.mean([np.abs(drift(view)[1]).max() for view in views_of(x)]))
