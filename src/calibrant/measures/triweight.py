"""The KDE-ECE of Zhang et al. 2020: claims and events as two densities by triweight kernels."""

from typing import Literal

import numpy as np

from ..families.binary.kernel import refuse_bandwidth
from ..fitting.types import Array
from ..inputs.checks import check_argument
from ..inputs.questions import Asked, views_of
from ..inputs.views import View
from .errors import distance

# Cells of the unit interval for densities along it.
_CELLS = 1 << 13
_NARROWEST, _FLAT = 4 / _CELLS, 100.0


def triweight_error(x: Asked, *, bandwidth: float | None = None, norm: Literal[1, 2] = 1) -> float:
    """Distance of claims from outcomes about them, integrated over their density, by triweight kernels (Zhang 2020).

    Both densities are mirrored at 0 and 1. `bandwidth` is the kernel's standard deviation; by default that of the
    claims times (2n)^(-1/5), where the authors' program takes that of the claims whose event happened.

    >>> from calibrant import simulate
    >>> round(triweight_error(simulate.task("square", 0.1).sample(10_000, seed=0).view), 2)
    0.1
    """
    refuse_bandwidth(bandwidth)
    check_argument("bandwidth", bandwidth, float | int | None)
    check_argument("norm", norm, Literal[1, 2])
    if bandwidth is not None and bandwidth < _NARROWEST:
        raise ValueError(
            f"bandwidth must be at least {_NARROWEST:.2g} along chances, such as 0.05; got {bandwidth}"
        )
    return float(np.mean([_triweight(view, bandwidth, norm) for view in views_of(x)]))


def _triweight(view: View, bandwidth: float | None, norm: Literal[1, 2]) -> float:
    p, w, happened = view.pool
    spread = np.sqrt(np.average((p - np.average(p, weights=w)) ** 2, weights=w))
    width = spread * (2 * w.sum()) ** -0.2 if bandwidth is None else bandwidth
    # A kernel narrower than a few cells would not be seen by the grid, and beyond some width all are flat.
    kernel = _triweight_kernel(min(max(width, _NARROWEST), _FLAT))
    density, events = (_mirrored(p, weights, kernel) for weights in (w, happened))
    at, trapezoid = np.linspace(0, 1, _CELLS + 1), np.ones(_CELLS + 1)
    trapezoid[[0, -1]] = 0.5
    seen = density > 1e-12 * density.max()
    share = np.divide(events, density, out=np.zeros(_CELLS + 1), where=seen)
    return distance(np.abs(np.clip(share, 0, 1) - at)[seen], (density * trapezoid)[seen], norm)


def _triweight_kernel(width: float) -> Array:
    """The kernel about 0 on a circle of twice the unit interval: what lies beyond an end is its mirror."""
    reach = int(3 * width * _CELLS)
    offset = np.arange(-reach, reach + 1)
    height = (1 - (offset / (3 * width * _CELLS)) ** 2) ** 3
    return np.bincount(offset % (2 * _CELLS), height / height.sum(), 2 * _CELLS).astype(np.float64)


def _mirrored(p: Array, weights: Array, kernel: Array) -> Array:
    """Density of weighted claims on the grid: shared out between cells, mirrored at both ends, smoothed."""
    below = np.minimum((p * _CELLS).astype(np.intp), _CELLS - 1)
    above = p * _CELLS - below
    mass = np.bincount(below, weights * (1 - above), _CELLS + 1) + np.bincount(
        below + 1, weights * above, _CELLS + 1
    )
    mass[[0, -1]] *= 2
    circle = np.concatenate([mass, mass[-2:0:-1]])
    return np.fft.irfft(np.fft.rfft(circle) * np.fft.rfft(kernel), 2 * _CELLS)[: _CELLS + 1]
