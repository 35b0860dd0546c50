"""The KDE-ECE of Zhang et al. 2020: claims and events as two densities by triweight kernels."""

from typing import Literal

import numpy as np

from ..families.binary.kernel import check_bandwidth
from ..fitting.types import Array
from ..fitting.weights import weighted_mean
from ..inputs.checks import check_argument
from ..inputs.habits import takes_one
from ..inputs.questions import Asked
from ..inputs.views import View
from .averages import mean_over_views, of_power, power
from .errors import distance

# Cells of the unit interval for densities along it, and of a circle of it and its mirror image.
_CELLS = 1 << 13
_CIRCLE = 2 * _CELLS
_N_NODES = _CELLS + 1
_NODES = np.linspace(0, 1, _N_NODES)
_ENDS = [0, -1]
# A kernel narrower than a few cells is not seen by the grid, and beyond some width all are flat.
_NARROWEST = 4 / _CELLS
_FLAT = 100.0
# Where the density of claims is below this share of its peak there are none.
_NOBODY = 1e-12


@takes_one
def triweight_error(
    x: Asked,
    *,
    bandwidth: float | None = None,
    norm: Literal[1, 2] = 1,
) -> float:
    """Distance of claims from the outcomes about them, by triweight kernels (Zhang et al. 2020).

    It is integrated over the density of claims; both densities are mirrored at 0 and 1.
    `bandwidth` is the kernel's standard deviation; by default that of the claims times
    (2n)^(-1/5), where the authors' program takes that of the claims whose event happened.

    >>> from calibrant import simulate
    >>> round(triweight_error(simulate.task("square", 0.1).sample(10_000, seed=0).view), 2)
    0.1
    """
    check_bandwidth(bandwidth)
    check_argument("bandwidth", bandwidth, float | int | None)
    check_argument("norm", norm, Literal[1, 2])
    if bandwidth is not None and bandwidth < _NARROWEST:
        rule = f"bandwidth must be at least {_NARROWEST:.2g} along chances, such as 0.05"
        raise ValueError(f"{rule}; got {bandwidth}")

    def powered(view: View) -> float:
        return power(_error(view, bandwidth, norm), norm)

    return of_power(mean_over_views(powered, x), norm)


def _error(view: View, bandwidth: float | None, norm: Literal[1, 2]) -> float:
    p, w, happened = view.pool
    if bandwidth is None:
        bandwidth = _rule_of_thumb(p, w)
    kernel = _kernel(bandwidth)
    density = _mirrored(p, w, kernel)
    events = _mirrored(p, happened, kernel)
    is_seen = density > _NOBODY * density.max()
    q = events[is_seen] / density[is_seen]
    q = np.clip(q, 0, 1)
    gap = np.abs(q - _NODES[is_seen])
    # The trapezoid rule counts both ends by half.
    density[_ENDS] /= 2
    return distance(gap, density[is_seen], norm)


def _rule_of_thumb(p: Array, w: Array) -> float:
    """The standard deviation of the claims times (2n)^(-1/5)."""
    mean = weighted_mean(p, w)
    variance = weighted_mean((p - mean) ** 2, w)
    twice = 2 * w.sum()
    return float(np.sqrt(variance) * twice**-0.2)


def _kernel(bandwidth: float) -> Array:
    """The kernel about 0 on the circle: beyond an end lies its mirror."""
    bandwidth = min(max(bandwidth, _NARROWEST), _FLAT)
    support = 3 * bandwidth * _CELLS
    reach = int(support)
    offset = np.arange(-reach, reach + 1)
    squares = (offset / support) ** 2
    height = (1 - squares) ** 3
    height /= height.sum()
    kernel = np.bincount(offset % _CIRCLE, height, _CIRCLE)
    return kernel.astype(np.float64)


def _mirrored(p: Array, w: Array, kernel: Array) -> Array:
    """Density of claims on the grid: shared out between cells, mirrored at both ends, smoothed."""
    place = p * _CELLS
    below = np.minimum(place.astype(np.intp), _CELLS - 1)
    above = place - below
    mass = np.bincount(below, w * (1 - above), _N_NODES)
    mass = mass + np.bincount(below + 1, w * above, _N_NODES)
    mass[_ENDS] *= 2
    mirrored = mass[-2:0:-1]
    circle = np.concatenate([mass, mirrored])
    waves = np.fft.rfft(circle)
    waves *= np.fft.rfft(kernel)
    smooth = np.fft.irfft(waves, _CIRCLE)
    return smooth[:_N_NODES]
