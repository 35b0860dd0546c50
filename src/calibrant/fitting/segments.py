"""Broken lines at ascending points, and what moves of their heights and knots do there.

A line is a row of knots and a row of heights; many lines are worked on at once.
"""

from typing import NamedTuple

import numpy as np

from .types import Array, Ints

# Of rows of knots or heights: those at the left end of a segment, and those at the right end.
_LEFT_ENDS = np.s_[:, :-1]
_RIGHT_ENDS = np.s_[:, 1:]


def line_values(x: Array, knots: Array, heights: Array) -> Array:
    """Each line at ascending points `x` between its outer knots.

    >>> knots = np.array([[0.0, 0.5, 1.0]])
    >>> heights = np.array([[0.0, 1.0, 0.0]])
    >>> line_values(np.array([0.1, 0.5, 0.8]), knots, heights).round(3).tolist()
    [[0.2, 1.0, 0.4]]
    """
    along, starts = _on_segments(x, knots)
    n = len(x)
    left = _spread(heights[_LEFT_ENDS], starts, n)
    right = _spread(heights[_RIGHT_ENDS], starts, n)
    left *= 1 - along
    right *= along
    return left + right


def line_derivatives(
    x: Array,
    knots: Array,
    heights: Array,
    slope: Array,
    curvature: Array,
) -> tuple[Array, Array]:
    """Gradient and Gauss-Newton Hessian of each line's loss, in its heights and its inner knots.

    `slope` and `curvature` are those of the loss in the line's value, point by point.
    """
    sums = _segment_sums(x, knots, slope, curvature)
    # A knot acts as its height does, times the steepness of the segment, the other way.
    steep = -np.diff(heights)
    steep /= np.diff(knots)
    even = np.ones_like(steep)
    lines, n = knots.shape
    gradient = np.zeros((lines, 2, n))
    hessian = np.zeros((lines, 2, n, 2, n))
    for i, factor in enumerate((even, steep)):
        _add_to_gradient(gradient[:, i], factor, sums)
        for j, other in enumerate((even, steep)):
            block = hessian[:, i, :, j]
            _add_to_hessian(block, factor * other, sums)
    return _without_outer_knots(gradient, hessian)


def _without_outer_knots(gradient: Array, hessian: Array) -> tuple[Array, Array]:
    """Derivatives in heights and all knots, (lines, 2, n), as those in heights and inner knots."""
    lines, _, n = gradient.shape
    size = 2 * n
    outer = [n, size - 1]
    free = np.delete(np.arange(size), outer)
    square = np.ix_(np.arange(lines), free, free)
    gradient = gradient.reshape(lines, size)
    hessian = hessian.reshape(lines, size, size)
    return gradient[:, free], hessian[square]


class _Points(NamedTuple):
    """How far along its segment each point lies, and which point is the first of each segment."""

    along: Array
    starts: Ints


class _Sums(NamedTuple):
    """Over each segment, slopes and curvatures in the heights at its ends."""

    slope_left: Array
    slope_right: Array
    curvature_left: Array
    curvature_right: Array
    curvature_across: Array


def _on_segments(x: Array, knots: Array) -> _Points:
    n = len(x)
    left = knots[_LEFT_ENDS]
    starts = np.searchsorted(x, left)
    starts[:, 0] = 0
    along = x - _spread(left, starts, n)
    along /= _spread(np.diff(knots), starts, n)
    return _Points(along, starts)


def _spread(of_segments: Array, starts: Ints, points: int) -> Array:
    """What belongs to segments, given to their points."""
    sizes = _sizes(starts, points)
    of_points = np.repeat(of_segments.ravel(), sizes.ravel())
    return of_points.reshape(-1, points)


def _sizes(starts: Ints, points: int) -> Ints:
    """How many points lie on each segment."""
    return np.diff(starts, axis=1, append=points)


def _segment_sums(
    x: Array,
    knots: Array,
    slope: Array,
    curvature: Array,
) -> _Sums:
    """A point hangs on the height to its right as far as it is along, on the left by the rest."""
    along, starts = _on_segments(x, knots)
    slope_along = slope * along
    once = curvature * along
    twice = once * along
    of_points = np.stack([slope, slope_along, curvature, once, twice])
    slopes, right, curvatures, mixed, both = _summed(of_points, starts)
    curvature_left = curvatures - 2 * mixed
    curvature_left += both
    return _Sums(
        slope_left=slopes - right,
        slope_right=right,
        curvature_left=curvature_left,
        curvature_right=both,
        curvature_across=mixed - both,
    )


def _summed(of_points: Array, starts: Ints) -> Array:
    """Sums over the points of each segment, of several quantities at once."""
    quantities, lines, points = of_points.shape
    flat = of_points.reshape(quantities, -1)
    row = points * np.arange(lines)
    first = starts + row[:, None]
    last = lines * points - 1
    first = np.minimum(first, last)
    sums = np.add.reduceat(flat, first.ravel(), axis=1)
    sums = sums.reshape(-1, *starts.shape)
    # numpy gives the next point for a segment without any.
    empty = _sizes(starts, points) == 0
    return np.where(empty, 0, sums)


def _add_to_gradient(gradient: Array, factor: Array, sums: _Sums) -> None:
    gradient[_LEFT_ENDS] += factor * sums.slope_left
    gradient[_RIGHT_ENDS] += factor * sums.slope_right


def _add_to_hessian(hessian: Array, factor: Array, sums: _Sums) -> None:
    segments = factor.shape[1]
    left = np.arange(segments)
    right = left + 1
    at_left = factor * sums.curvature_left
    at_right = factor * sums.curvature_right
    across = factor * sums.curvature_across
    hessian[:, left, left] += at_left
    hessian[:, right, right] += at_right
    hessian[:, left, right] += across
    hessian[:, right, left] += across
