"""Broken lines whose knots are free to move, many at once over the same points."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]
# Of the values of some lines, (lines, points), and the number of the problem that each line is meant for: each line's
# loss, and its slope and a curvature that is not negative, point by point.
Losses = Callable[[Array, Ints], tuple[Array, Array, Array]]

# Knots stay at least this share of the range apart: nearer ones would be a jump.
_GAP = 1e-6
_STEPS, _STEPS_OF_HEIGHTS = 30, 4
_TRIES, _KEPT = 16, 2


def broken_lines(
    losses: Losses,
    x: Array,
    weight: Array,
    start: Array,
    *,
    most: int,
    bounds: tuple[float, float],
    tolerance: float,
) -> list[tuple[Array, Array]]:
    """Knots and heights of the lines of one segment, of two, up to `most`, that fit some problems best: a row each.

    Points `x` ascend, with ranks by `weight`. `start` is a straight line for each problem, (problems, 2, 2): two knots,
    which stay, and their heights. A knot is added at the best of some ranks, and then all are moved; so are knots at
    even ranks, and the better line is kept. Losses have many dips, so there is no certificate.
    """
    rank = (np.cumsum(weight) - weight / 2) / weight.sum()
    tops = np.interp((np.arange(_TRIES) + 0.5) / _TRIES, rank, x)
    each = np.arange(len(start))
    tried, refined = np.append(np.repeat(each, _TRIES), each), np.tile(each, _KEPT + 1)

    def down(of: Ints, knots: Array, heights: Array, *, move_knots: bool = True) -> tuple[Array, Array, Array]:
        return _descend(lambda f: losses(f, of), x, knots, heights, bounds, tolerance, move_knots=move_knots)

    knots, heights, _ = down(each, start[:, 0], start[:, 1])
    found = [(knots, heights)]
    while len(found) < most:
        inner = np.interp(np.arange(1, len(found) + 1) / (len(found) + 1), rank, x)
        more = _with_knots(knots, heights, tops[:, None]), _with_knots(start[:, 0], start[:, 1], inner[None])
        knots, heights, loss = down(
            tried, *(np.concatenate(pair) for pair in zip(*more, strict=True)), move_knots=False
        )
        best = loss[: -len(each)].reshape(len(each), -1).argsort(1, kind="stable")[:, :_KEPT].T + _TRIES * each
        chosen = np.append(best, _TRIES * len(each) + each)
        knots, heights, loss = down(refined, knots[chosen], heights[chosen])
        better = loss.reshape(-1, len(each)).argmin(0) * len(each) + each
        knots, heights = knots[better], heights[better]
        found.append((knots, heights))
    return found


def values(x: Array, knots: Array, heights: Array) -> Array:
    """Each line, a row of knots and a row of heights, at ascending points `x` between the outer knots.

    >>> values(np.array([0.1, 0.5, 0.8]), np.array([[0.0, 0.5, 1.0]]), np.array([[0.0, 1.0, 0.0]])).round(3).tolist()
    [[0.2, 1.0, 0.4]]
    """
    right, starts = _places(x, knots)
    low, high = (_spread(each, starts, len(x)) for each in (heights[:, :-1], heights[:, 1:]))
    return (1 - right) * low + right * high


def _with_knots(knots: Array, heights: Array, more: Array) -> tuple[Array, Array]:
    """Every line with every row of `more` knots, which ascend; the lines themselves stay."""
    sets, size = more.shape
    levels = values(more.ravel(), knots, heights).reshape(-1, size)
    knots = np.append(np.repeat(knots, sets, axis=0), np.tile(more, (len(knots), 1)), axis=1)
    heights = np.append(np.repeat(heights, sets, axis=0), levels, axis=1)
    order = np.argsort(knots, axis=1, kind="stable")
    return np.take_along_axis(knots, order, 1), np.take_along_axis(heights, order, 1)


def _descend(
    derivatives: Callable[[Array], tuple[Array, Array, Array]],
    x: Array,
    knots: Array,
    heights: Array,
    bounds: tuple[float, float],
    tolerance: float,
    *,
    move_knots: bool,
) -> tuple[Array, Array, Array]:
    """Inner knots, heights and losses, by steps of Levenberg and Marquardt, with a damping for each line."""
    n = knots.shape[1]
    moving = 2 * n - 2 if move_knots else n
    knots, heights = _apart(knots), np.clip(heights, *bounds)
    loss, slope, bend = derivatives(values(x, knots, heights))
    damping, done = np.full(len(knots), 1e-2), np.zeros(len(knots), np.bool_)
    for _ in range(_STEPS if move_knots else _STEPS_OF_HEIGHTS):
        gradient, hessian = _in_heights_and_knots(x, knots, heights, slope, bend)
        gradient, hessian = gradient[:, :moving], hessian[:, :moving, :moving]
        uphill = gradient[:, :n] > 0
        held = np.nonzero(np.where(uphill, heights <= bounds[0], heights >= bounds[1]))
        gradient[held], hessian[*held], hessian[held[0], :, held[1]] = 0, 0, 0
        move = _damped(gradient, hessian, damping)
        moved = knots.copy()
        moved[:, 1:-1] += move[:, n:] if move_knots else 0
        ahead = _apart(moved), np.clip(heights + move[:, :n], *bounds)
        found = derivatives(values(x, *ahead))
        gain = loss - found[0]
        better = gain > 0
        loss = np.where(better, found[0], loss)
        knots, heights, slope, bend = (
            np.where(better[:, None], new, old)
            for new, old in zip((*ahead, *found[1:]), (knots, heights, slope, bend), strict=True)
        )
        damping = np.where(better, np.maximum(damping / 5, 1e-8), damping * 5)
        # A step that fails is tried again, shorter, but not for ever.
        done |= np.where(better, gain <= tolerance, damping > 1e4)
        if done.all():
            break
    return knots, heights, loss


def _in_heights_and_knots(x: Array, knots: Array, heights: Array, slope: Array, bend: Array) -> tuple[Array, Array]:
    """Gradient and Gauss-Newton Hessian of the losses, in the heights and then the inner knots."""
    right, starts = _places(x, knots)
    lines, n = knots.shape
    of_points = np.empty((5, lines, len(x)))
    of_points[0], of_points[2] = slope, bend
    np.multiply(of_points[::2][:2], right, out=of_points[1::2])
    np.multiply(of_points[3], right, out=of_points[4])
    s, sr, b, br, brr = _sums(of_points, starts)
    # A point lies on the height to its right as far as it has come along its segment, and on the left one by the
    # rest; on a knot as on its height, times the steepness of the segment, which a knot's move shifts the other way.
    steep = -np.diff(heights) / np.diff(knots)
    gradient, hessian = np.zeros((lines, 2, n)), np.zeros((lines, 2, n, 2, n))
    left = np.arange(n - 1)
    for i in (0, 1):
        gradient[:, i, :-1] += steep**i * (s - sr)
        gradient[:, i, 1:] += steep**i * sr
        for j in (0, 1):
            both = steep ** (i + j)
            hessian[:, i, left, j, left] += both * (b - 2 * br + brr)
            hessian[:, i, left + 1, j, left + 1] += both * brr
            hessian[:, i, left, j, left + 1] += both * (br - brr)
            hessian[:, i, left + 1, j, left] += both * (br - brr)
    free = np.delete(np.arange(2 * n), [n, 2 * n - 1])
    return gradient.reshape(lines, -1)[:, free], hessian.reshape(lines, 2 * n, 2 * n)[:, free[:, None], free]


def _damped(gradient: Array, hessian: Array, damping: Array) -> Array:
    """The step to the minimum of a quadratic that is the steeper the more it is damped."""
    diagonal = np.arange(gradient.shape[1])
    own = hessian[:, diagonal, diagonal]
    # What has no curvature of its own gets a little, or the system would have no solution.
    hessian[:, diagonal, diagonal] += damping[:, None] * np.maximum(own, 1e-10 * own.max(1, keepdims=True) + 1e-12)
    return -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]


def _apart(knots: Array) -> Array:
    """Knots in order and not too near, the outer ones where they were."""
    first, last = knots[:, :1], knots[:, -1:]
    gaps = np.arange(knots.shape[1]) * _GAP * (last - first)
    moved = np.maximum.accumulate(np.clip(knots - gaps, first, last - gaps[:, -1:]), axis=1) + gaps
    moved[:, -1:] = last
    return moved


def _places(x: Array, knots: Array) -> tuple[Array, Ints]:
    """How far along its segment each point lies, and which point is the first of each segment."""
    starts = np.searchsorted(x, knots[:, :-1])
    starts[:, 0] = 0
    begin, width = (_spread(each, starts, len(x)) for each in (knots[:, :-1], np.diff(knots)))
    return (x - begin) / width, starts


def _spread(of_segments: Array, starts: Ints, points: int) -> Array:
    """What belongs to segments, given to their points."""
    counts = np.diff(starts, axis=1, append=points)
    return np.repeat(of_segments.ravel(), counts.ravel()).reshape(len(starts), points)


def _sums(of_points: Array, starts: Ints) -> Array:
    """Sums over the points of each segment, of several quantities at once."""
    lines, points = of_points.shape[1:]
    empty = np.diff(starts, axis=1, append=points) == 0
    flat = np.minimum(starts + points * np.arange(lines)[:, None], lines * points - 1).ravel()
    sums = np.add.reduceat(of_points.reshape(len(of_points), -1), flat, axis=1).reshape(-1, *starts.shape)
    # numpy gives the next point for a segment without any.
    return np.where(empty, 0, sums)
