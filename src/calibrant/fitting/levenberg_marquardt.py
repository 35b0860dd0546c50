"""Heights and knots of many broken lines at once, by steps of Levenberg and Marquardt."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .segments import line_derivatives, line_values
from .types import Array, Bools, Ints

# Of the values of lines, (lines, points): each line's loss, and its slope and a curvature that is
# not negative, point by point.
Losses = tuple[Array, Array, Array]
LossOfLines = Callable[[Array], Losses]

# Knots stay at least this share of the range apart: nearer ones would be a jump.
_GAP = 1e-6
_STEPS = 30
_STEPS_OF_HEIGHTS = 4
_FIRST_DAMPING = 1e-2
_LEAST_DAMPING = 1e-8
# A step that fails is tried again, shorter, but not for ever.
_MOST_DAMPING = 1e4


class BrokenLines(NamedTuple):
    """Lines, a row each, and their losses."""

    knots: Array
    heights: Array
    loss: Array

    def of(self, rows: Ints) -> "BrokenLines":
        """Some of the lines."""
        return BrokenLines(
            self.knots[rows],
            self.heights[rows],
            self.loss[rows],
        )


def descend(
    losses: LossOfLines,
    x: Array,
    knots: Array,
    heights: Array,
    *,
    bounds: tuple[float, float],
    tolerance: float,
    move_knots: bool,
) -> BrokenLines:
    """Lines of lesser loss, begun at some; outer knots stay, and so may the inner ones.

    Heights keep within `bounds`. A line is done once a step gains no more than `tolerance`.
    """

    def at(knots: Array, heights: Array) -> _State:
        knots = apart(knots)
        heights = np.clip(heights, *bounds)
        f = line_values(x, knots, heights)
        return _State(knots, heights, *losses(f))

    here = at(knots, heights)
    damping = np.full(len(knots), _FIRST_DAMPING)
    done = damping > _MOST_DAMPING
    for _ in range(_STEPS if move_knots else _STEPS_OF_HEIGHTS):
        gradient, hessian = _derivatives(x, here, move_knots=move_knots)
        _hold_at_bounds(gradient, hessian, here.heights, bounds)
        move = _damped_move(gradient, hessian, damping)
        ahead = at(*_moved(here, move))
        gain = here.loss - ahead.loss
        better = gain > 0
        here = _choose(better, ahead, here)
        damping = _next_damping(damping, better)
        hopeless = damping > _MOST_DAMPING
        done |= np.where(better, gain <= tolerance, hopeless)
        if done.all():
            break
    return BrokenLines(here.knots, here.heights, here.loss)


def apart(knots: Array) -> Array:
    """Knots in order and not too near, the outer ones where they were."""
    first = knots[:, :1]
    last = knots[:, -1:]
    places = np.arange(knots.shape[1])
    gaps = places * _GAP * (last - first)
    # Less the gaps, knots need only be in order.
    largest = last - gaps[:, -1:]
    closed = np.clip(knots - gaps, first, largest)
    moved = np.maximum.accumulate(closed, axis=1)
    moved += gaps
    moved[:, -1:] = last
    return moved


class _State(NamedTuple):
    """Lines, their losses, and slopes and curvatures of these, point by point."""

    knots: Array
    heights: Array
    loss: Array
    slope: Array
    curvature: Array


def _derivatives(x: Array, here: _State, *, move_knots: bool) -> tuple[Array, Array]:
    gradient, hessian = line_derivatives(
        x,
        here.knots,
        here.heights,
        here.slope,
        here.curvature,
    )
    if move_knots:
        return gradient, hessian
    n = here.heights.shape[1]
    heights = np.s_[:n]
    return gradient[:, heights], hessian[:, heights, heights]


def _moved(here: _State, move: Array) -> tuple[Array, Array]:
    """Knots and heights after a move of the heights, and of the inner knots if they move."""
    n = here.heights.shape[1]
    of_heights, of_knots = np.split(move, [n], axis=1)
    knots = here.knots.copy()
    if of_knots.size:
        knots[:, 1:-1] += of_knots
    return knots, here.heights + of_heights


def _hold_at_bounds(
    gradient: Array,
    hessian: Array,
    heights: Array,
    bounds: tuple[float, float],
) -> None:
    """Let no height that is at a bound move beyond it."""
    low, high = bounds
    n = heights.shape[1]
    uphill = gradient[:, :n] > 0
    held = np.where(uphill, heights <= low, heights >= high)
    line, place = np.nonzero(held)
    gradient[line, place] = 0
    hessian[line, place] = 0
    hessian[line, :, place] = 0


def _damped_move(gradient: Array, hessian: Array, damping: Array) -> Array:
    """The step to the minimum of a quadratic that is the steeper the more it is damped."""
    place = np.arange(gradient.shape[1])
    diagonal = np.s_[:, place, place]
    own = hessian[diagonal]
    # What has no curvature of its own gets a little, or the system would have no solution.
    least = 1e-10 * own.max(1, keepdims=True)
    least += 1e-12
    own = np.maximum(own, least)
    own *= damping[:, None]
    hessian[diagonal] += own
    solution = np.linalg.solve(hessian, gradient[:, :, None])
    return -solution[:, :, 0]


def _next_damping(damping: Array, better: Bools) -> Array:
    """Less after a step that gained, more after one that did not."""
    less = np.maximum(damping / 5, _LEAST_DAMPING)
    return np.where(better, less, damping * 5)


def _choose(better: Bools, ahead: _State, here: _State) -> _State:
    """Line by line, what lies ahead where it is better."""
    rows = better[:, None]
    return _State(
        knots=np.where(rows, ahead.knots, here.knots),
        heights=np.where(rows, ahead.heights, here.heights),
        loss=np.where(better, ahead.loss, here.loss),
        slope=np.where(rows, ahead.slope, here.slope),
        curvature=np.where(rows, ahead.curvature, here.curvature),
    )
