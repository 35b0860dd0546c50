"""Smooth ECE: the calibration error left once residuals are smoothed, and the diagram behind it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.fft import dct

from ..fitting.blocks import row_blocks
from ..fitting.types import Array
from ..fitting.weights import counts
from ..inputs.habits import takes_one
from ..inputs.questions import Asked, only_view
from ..inputs.views import View
from .averages import mean_over_views

# Cells to a bandwidth: splitting claims between cells, and integrating over them, then cost less
# than 1e-5 of the error.
_FINENESS = 8
_NARROWEST = 1e-6
_COARSEST = 1 / 32
# Widths are sought down to these in turn: a finer grid is laid only where it is needed.
_REACHES = (2.0**-11, 2.0**-16, _NARROWEST)
# What nodes at -1, 0, 1 and 2 get of a mass at f between 0 and 1, by powers of f: cubics then keep
# their sums.
_CUBIC = np.array(
    [
        [0, -2, 3, -1],
        [6, -3, -6, 3],
        [0, 6, 3, -3],
        [0, -1, 0, 1],
    ]
)
_CUBIC_SHARES = _CUBIC / 6
# A kernel of this width is flat, so wider ones are no different.
_FLAT = 10.0
# A diagram's own width is no less, nor has it more cells: finer than can be seen.
_VISIBLE = 1e-3
_CELLS = 1 << 12
# Where the density of claims is below this share of its peak there are none to speak of.
_NOBODY = 1e-6
# The error may exceed 1 by a rounding.
_WIDEST = 1 + 1e-9
_NUMBERS = (float, int, np.floating, np.integer)

Mass = Callable[[View], Array]


class Smoothed(NamedTuple):
    """A smooth diagram: the share `q` of events about each claim `p`, and the claims' density."""

    p: Array
    q: Array
    density: Array
    width: float


@takes_one
def smece(x: Asked, *, width: float | None = None) -> float:
    """Smooth ECE: the mean size of residuals smoothed by a Gaussian, reflected at 0 and 1.

    By default the width is that which equals the error it gives, found to 1e-6.

    >>> from calibrant import binary
    >>> round(smece(binary([0.8] * 10, [1] * 6 + [0] * 4)), 3)
    0.2
    """
    _check_width(width)
    if width is None:
        return mean_over_views(_automatic_width, x)

    def error(view: View) -> float:
        waves = _residual_waves(view, width)
        return _error(waves, width)

    return mean_over_views(error, x)


def smoothed(view: View, *, width: float | None = None) -> Smoothed:
    """The diagram of smooth ECE: outcomes smoothed by the same kernel.

    By default at the width that `smece` finds, but none less than 0.001. Where nobody claims
    anything, `q` runs straight between those who do.
    """
    _check_width(width)
    view = only_view(view)
    if width is None:
        width = _automatic_width(view)
    width = max(width, _VISIBLE)
    claims = _density(view, _weight, width)
    happened = _density(view, _happened, width)
    p = np.linspace(0, 1, _CELLS + 1)
    known = claims > _NOBODY * claims.max()
    share = happened[known] / claims[known]
    share = np.clip(share, 0, 1)
    q = np.interp(p, p[known], share)
    density = np.maximum(claims, 0)
    return Smoothed(p, q, density, float(width))


def _density(view: View, mass: Mass, width: float) -> Array:
    """Smoothed masses of rows at the nodes of a diagram."""
    cells = max(_cells(width), _CELLS)
    waves = _waves(_spread(view, mass, cells))
    density = _blurred(waves, width, cells)
    step = cells // _CELLS
    return density[::step]


def _automatic_width(view: View) -> float:
    """The width s at which the error is s: there is one, as the error falls while widths grow."""
    for reach in _REACHES:
        waves = _residual_waves(view, reach)
        error = _error(waves, reach)
        if error >= reach:
            return _crossing(waves, reach)
        most = _binless_error(view)
        if most < _NARROWEST:
            return most
    return error


def _binless_error(view: View) -> float:
    """What distinct claims show by themselves: no width shows more."""
    p, w, happened = view.pool
    residual = happened - w * p
    size = np.abs(residual).sum()
    return float(size / view.total)


def _crossing(waves: Array, low: float) -> float:
    from scipy.optimize import brentq

    def excess(width: float) -> float:
        return _error(waves, width) - width

    width = brentq(excess, low, _WIDEST, xtol=1e-12)
    return float(width)


def _error(waves: Array, width: float) -> float:
    density = _blurred(waves, width, _cells(width))
    return _size(density)


def _residual_waves(view: View, width: float) -> Array:
    nodes = _spread(view, _residual, _cells(width))
    return _waves(nodes)


def _weight(view: View) -> Array:
    return counts(view.w, view.n)


def _happened(view: View) -> Array:
    return _weight(view) * view.y


def _residual(view: View) -> Array:
    p = view.p.astype(np.float64)
    return _weight(view) * (view.y - p)


def _cells(width: float) -> int:
    """How many cells a grid over [0, 1] needs, a power of two: every grid holds the coarser."""
    needed = _FINENESS / min(width, _COARSEST)
    power = np.ceil(np.log2(needed))
    return int(2**power)


def _spread(view: View, mass: Mass, cells: int) -> Array:
    """Masses of rows, as shares of all, split between the four nodes about each claim."""
    moments = _moments(view, mass, cells)
    # One node more on either side, whose share is reflected.
    nodes = np.zeros(cells + 3)
    for first, powers in enumerate(_CUBIC_SHARES):
        last = first + cells
        nodes[first:last] += powers @ moments
    nodes[2] += nodes[0]
    nodes[-3] += nodes[-1]
    return nodes[1:-1] / view.total


def _moments(view: View, mass: Mass, cells: int) -> Array:
    """The mass in each cell, times the powers 0 to 3 of where in the cell it lies."""
    moments = np.zeros((4, cells))
    for rows in row_blocks(view.n):
        block = view[rows]
        place = block.p.astype(np.float64) * cells
        left = place.astype(np.intp)
        left = np.minimum(left, cells - 1)
        place -= left
        part = mass(block)
        for moment in moments:
            moment += np.bincount(left, part, cells)
            part = part * place
    return moments


def _waves(mass: Array) -> Array:
    """The sums of mass times cos(pi k p), k = 0, 1, ...: cosines reflect at 0 and 1."""
    mass[1:-1] /= 2
    return dct(mass, 1)


def _blurred(waves: Array, width: float, cells: int) -> Array:
    """The density that waves add up to at the nodes of a grid, once a kernel has damped each."""
    n_nodes = cells + 1
    k = np.arange(n_nodes)
    frequency = np.pi * min(width, _FLAT) * k
    damping = np.exp(-(frequency**2) / 2)
    damped = waves[:n_nodes] * damping
    return dct(damped, 1)


def _size(density: Array) -> float:
    """The integral of its absolute value over [0, 1]."""
    size = np.abs(density)
    is_negative = density < 0
    turns = np.flatnonzero(np.diff(is_negative))
    a = size[turns]
    b = size[turns + 1]
    both = a + b
    # Where the sign turns a trapezoid holds less, and slopes tell how far arcs exceed their chords.
    corners = both / 6 - a * b / both
    first, last = size[0], size[-1]
    ends = (first + last) / 2
    integral = size.sum() - ends + corners.sum()
    return float(integral / (len(density) - 1))


def _check_width(width: float | None) -> None:
    if width is None:
        return
    is_number = isinstance(width, _NUMBERS)
    if not is_number or not _NARROWEST <= width < np.inf:
        rule = f"width must be a number of at least {_NARROWEST:g}, or None for an automatic one"
        raise ValueError(f"{rule}; got {width!r}")
