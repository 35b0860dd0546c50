"""The maximum mean calibration error: how far residuals reach in the space of a kernel."""

import numpy as np

from ..fitting.types import Array
from ..inputs.habits import takes_one
from ..inputs.questions import Asked
from ..inputs.views import View
from .averages import mean_over_views

# How far apart claims may lie to be held against one another: the kernel is exp(-|p - q| / 0.4).
REACH = 0.4


@takes_one
def mmce(x: Asked) -> float:
    """Maximum mean calibration error: the norm of mean residuals in the kernel exp(-|p - q| / 0.4).

    >>> from calibrant import binary
    >>> round(mmce(binary([0.8] * 10, [1] * 6 + [0] * 4)), 3)
    0.2
    """
    return mean_over_views(_mmce, x)


@takes_one
def weighted_mmce(x: Asked) -> float:
    """MMCE in which rows whose event happened count as much as all the others.

    If there are none of one kind, it is left out.
    """
    return mean_over_views(_weighted_mmce, x)


def _mmce(view: View) -> float:
    p, w, happened = view.pool
    residual = happened - w * p
    residual /= w.sum()
    return _kernel_norm(p, residual)


def _weighted_mmce(view: View) -> float:
    p, w, happened = view.pool
    failed = w - happened
    mass = np.zeros(len(p))
    if happened.any():
        residual = (1 - p) * happened
        mass += residual / happened.sum()
    if failed.any():
        residual = -p * failed
        mass += residual / failed.sum()
    return _kernel_norm(p, mass)


def _kernel_norm(p: Array, mass: Array) -> float:
    """The root of the sum over pairs of mass times mass times the kernel, p in ascending order.

    The kernel is the covariance of a Markov process, so the sum is one of squares: of the mass
    beyond each claim, discounted by distance, times the variance that is new there.
    """
    decay = np.exp(-p / REACH)
    beyond = np.cumsum((mass * decay)[::-1])[::-1] / decay
    step = np.diff(p, prepend=-np.inf)
    new_variance = -np.expm1(-2 / REACH * step)
    return float(np.sqrt(new_variance @ beyond**2))
