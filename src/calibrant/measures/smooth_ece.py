"""Smooth ECE: the calibration error that is left once what happened is blurred, and the diagram behind it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.fft import dct

from ..fitting.blocks import row_blocks
from ..fitting.types import Array
from ..inputs.questions import Asked, views_of
from ..inputs.views import View

# Cells to a width: splitting claims between cells, and integrating over them, then cost less than 1e-5 of the error.
_FINENESS = 8
_NARROWEST = 1e-6
# Widths are sought down to these, one after the other: a finer grid is laid only where it is needed.
_REACHES = (2.0**-11, 2.0**-16, _NARROWEST)
# What nodes at -1, 0, 1 and 2 get of a mass at f between 0 and 1, by powers of f: cubics then keep their sums.
_CUBIC = np.array([[0, -2, 3, -1], [6, -3, -6, 3], [0, 6, 3, -3], [0, -1, 0, 1]]) / 6
# A kernel of this width is flat, so wider ones are no different.
_FLAT = 10.0
# A diagram's own width is no less, nor has it more cells: finer than can be seen.
_VISIBLE = 1e-3
_CELLS = 1 << 12
# Where the density of claims is below this share of its peak there are none to speak of.
_NOBODY = 1e-6


class Smoothed(NamedTuple):
    """A smooth diagram: what happened, `q`, of those who claim about `p`, and the density of claims there."""

    p: Array
    q: Array
    density: Array
    width: float


def smece(x: Asked, *, width: float | None = None) -> float:
    """Smooth ECE: the mean size of outcome less claim, blurred by a Gaussian that is reflected at 0 and 1.

    By default the width is that which equals the error it gives, found to 1e-6.

    >>> from calibrant import binary
    >>> round(smece(binary([0.8] * 10, [1] * 6 + [0] * 4)), 3)
    0.2
    """
    _refuse_width(width)
    return float(
        np.mean([_automatic(view) if width is None else _at(view, width) for view in views_of(x)])
    )


def smoothed(view: View, *, width: float | None = None) -> Smoothed:
    """The diagram of smooth ECE: outcomes blurred by the same kernel, by default at the width that `smece` finds.

    No width is less than 0.001 here. Where nobody claims anything, `q` runs straight between those who do.
    """
    _refuse_width(width)
    width = max(_automatic(view) if width is None else width, _VISIBLE)
    cells = max(_cells(width), _CELLS)
    claims, happened = (
        _blurred(_waves(_spread(view, mass, cells)), width, cells)[:: cells // _CELLS]
        for mass in (_weight, _happened)
    )
    p = np.linspace(0, 1, _CELLS + 1)
    known = claims > _NOBODY * claims.max()
    q = np.interp(p, p[known], np.clip(happened[known] / claims[known], 0, 1))
    return Smoothed(p, q, np.maximum(claims, 0), float(width))


def _at(view: View, width: float) -> float:
    return _error(_waves(_spread(view, _residual, _cells(width))), width)


def _automatic(view: View) -> float:
    """The width s at which the error is s: there is one, as the error falls while widths grow."""
    for reach in _REACHES:
        waves = _waves(_spread(view, _residual, _cells(reach)))
        if (error := _error(waves, reach)) >= reach:
            return _crossing(waves, reach)
        p, w, happened = view.pool
        # No width shows more than distinct claims do by themselves.
        if (most := float(np.abs(happened - w * p).sum() / view.total)) < _NARROWEST:
            return most
    return error


def _crossing(waves: Array, low: float) -> float:
    from scipy.optimize import brentq

    # An error of 1 may be a digit above it.
    return float(brentq(lambda width: _error(waves, width) - width, low, 1 + 1e-9, xtol=1e-12))


def _error(waves: Array, width: float) -> float:
    return _size(_blurred(waves, width, _cells(width)))


def _weight(view: View) -> Array:
    return np.ones(view.n) if view.w is None else view.w


def _happened(view: View) -> Array:
    return _weight(view) * view.y


def _residual(view: View) -> Array:
    return _weight(view) * (view.y - view.p.astype(np.float64))


def _cells(width: float) -> int:
    """How many cells a grid over [0, 1] needs, a power of two: every grid holds the coarser ones."""
    return int(2 ** np.ceil(np.log2(_FINENESS / min(width, 1 / 32))))


def _spread(view: View, mass: Callable[[View], Array], cells: int) -> Array:
    """Each row's mass, as a share of all rows, split between the four nodes about its claim as a cubic would be."""
    moments = np.zeros((4, cells))
    for rows in row_blocks(view.n):
        block = view[rows]
        at = block.p.astype(np.float64) * cells
        left = np.minimum(at.astype(np.intp), cells - 1)
        at -= left
        part = mass(block)
        for moment in moments:
            moment += np.bincount(left, part, cells)
            part = part * at
    # One node more on either side, whose share is reflected.
    nodes = np.zeros(cells + 3)
    for first, powers in enumerate(_CUBIC):
        nodes[first : first + cells] += powers @ moments
    nodes[2] += nodes[0]
    nodes[-3] += nodes[-1]
    return nodes[1:-1] / view.total


def _waves(mass: Array) -> Array:
    """The sums of mass times cos(pi k p), k = 0, 1, ...: reflection at 0 and 1 is in the cosines."""
    mass[1:-1] /= 2
    return dct(mass, 1)


def _blurred(waves: Array, width: float, cells: int) -> Array:
    """The density that waves add up to at the nodes of a grid, once a kernel has weakened each."""
    k = np.arange(cells + 1)
    return dct(waves[: cells + 1] * np.exp(-((np.pi * min(width, _FLAT) * k) ** 2) / 2), 1)


def _size(density: Array) -> float:
    """The integral of its absolute value over [0, 1]."""
    size = np.abs(density)
    turns = np.flatnonzero(np.diff(density < 0))
    a, b = size[turns], size[turns + 1]
    # Where the sign turns a trapezoid holds less; and the slopes there tell by how much arcs exceed their chords.
    corners = ((a + b) / 6 - a * b / (a + b)).sum()
    return float((size.sum() - (size[0] + size[-1]) / 2 + corners) / (len(density) - 1))


def _refuse_width(width: float | None) -> None:
    if width is not None and not (
        isinstance(width, float | int | np.floating | np.integer) and _NARROWEST <= width < np.inf
    ):
        raise ValueError(
            f"width must be a number of at least {_NARROWEST:g}, or None for an automatic one; got {width!r}"
        )
