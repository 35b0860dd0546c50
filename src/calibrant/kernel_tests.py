"""Kernel calibration errors: do claims near one another err together?"""

from math import factorial

import numpy as np

from .predictions import Array
from .views import Asked, View, views_of

# exp(-(p - q)^2 / 2) is the sum of products of these features, as p q <= 1: the first one left out is below 1e-18.
_RANK = 20
_SCALE = 2 * (1 - np.exp(-0.5))


def skce(x: Asked) -> float:
    """Squared kernel calibration error, without bias: mean over pairs of rows of how alike they err.

    Claims p and q weigh 2 (1 - e^-1/2) exp(-(p - q)^2 / 2); it is 0 on average for a calibrated model, so it may be
    negative.

    >>> from calibrant import binary
    >>> round(skce(binary([0.8] * 10, [1] * 6 + [0] * 4)), 4)
    0.0105
    """
    return float(np.mean([_of_one(view) for view in views_of(x)]))


def pair_mean(p: Array, w: Array, happened: Array) -> Array:
    """The mean over pairs, for each row of `happened`: how many of each claim did, of `w`."""
    total = w.sum()
    if total <= 1:
        return np.zeros(happened.shape[:-1])
    together = (happened - w * p) @ features(p)
    alone = happened @ (1 - p) ** 2 + (w - happened) @ p**2
    return _SCALE * ((together**2).sum(-1) - alone) / (total * (total - 1))


def features(p: Array) -> Array:
    """Columns whose products over two claims add up to exp(-(p - q)^2 / 2)."""
    power = np.arange(_RANK)
    return np.exp(-(p[:, None] ** 2) / 2) * p[:, None] ** power / np.sqrt([float(factorial(m)) for m in power])


def _of_one(view: View) -> float:
    p, w, happened = view.pool
    return float(pair_mean(p, w, happened))
