"""Broken lines whose knots are free to move, many at once over the same points."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .types import Array, Ints

# Of the values of some lines, (lines, points), and the number of the problem that each line is meant for: each line's
# loss, and its slope and a curvature that is not negative, point by point.
Losses = Callable[[Array, Ints], tuple[Array, Array, Array]]

# Knots stay at least this share of the range apart: nearer ones would be a jump.
_GAP = 1e-6
_STEPS, _STEPS_OF_HEIGHTS = 30, 4
_TRIES = 16


class Fit(NamedTuple):
    """Lines, a row each, and their losses."""

    knots: Array
    heights: Array
    loss: Array

    def of(self, rows: Ints) -> "Fit":
        """Some of the lines."""
        return Fit(self.knots[rows], self.heights[rows], self.loss[rows])


def broken_lines(
    losses: Losses,
    x: Array,
    weight: Array,
    start: Array,
    *,
    most: int,
    bounds: tuple[float, float],
    tolerance: float,
    shrink: bool,
) -> list[Fit]:
    """Lines of one segment, of two, up to `most`, with free knots: for each of some problems the best that is found.

    Points `x` ascend, and have ranks by `weight`. `start` is a straight line for each problem, (problems, 2, 2): its
    knots, which stay, and its heights. Lines grow by a knot at the best of some ranks and begin anew with knots at even
    ranks; with `shrink` also by dropping a knot of a longer line. Losses have many dips, so there is no certificate.

    >>> x = np.linspace(0, 1, 101)
    >>> bent = np.interp(x, [0, 0.3, 1], [0, 1, 0.5])
    >>> squares = lambda f, of: (((f - bent) ** 2).sum(1), 2 * (f - bent), np.full(f.shape, 2.0))
    >>> start = np.array([[[0.0, 1.0], [0.0, 1.0]]])
    >>> fits = broken_lines(squares, x, np.ones(101), start, most=2, bounds=(-9, 9), tolerance=1e-12, shrink=True)
    >>> fits[1].knots.round(3).tolist(), fits[1].heights.round(3).tolist()
    ([[0.0, 0.3, 1.0]], [[0.0, 1.0, 0.5]])
    """
    rank = (np.cumsum(weight) - weight / 2) / weight.sum()
    tops = np.interp((np.arange(_TRIES) + 0.5) / _TRIES, rank, x)
    each = np.arange(len(start))

    def down(of: Ints, knots: Array, heights: Array, *, move_knots: bool = True) -> Fit:
        return _descend(
            lambda f: losses(f, of), x, knots, heights, bounds, tolerance, move_knots=move_knots
        )

    def best(tried: Fit) -> Ints:
        """Of the lines tried for each problem, that of the least loss."""
        per_problem = tried.loss.reshape(len(each), -1)
        return per_problem.argmin(1) + per_problem.shape[1] * each

    fits = [down(each, start[:, 0], start[:, 1])]
    for segments in range(2, most + 1 + (shrink and most > 1)):
        grown = _with_knots(fits[-1].knots, fits[-1].heights, tops[:, None])
        even = _with_knots(
            start[:, 0], start[:, 1], np.interp(np.arange(1, segments) / segments, rank, x)[None]
        )
        first = best(down(np.repeat(each, _TRIES), *grown, move_knots=False))
        begun = (
            np.stack([a[first], b], 1).reshape(-1, segments + 1)
            for a, b in zip(grown, even, strict=True)
        )
        twice = np.repeat(each, 2)
        fit = down(twice, *down(twice, *begun, move_knots=False)[:2])
        fits.append(fit.of(best(fit)))
    for i in range(len(fits) - 2, 0, -1) if shrink else ():
        left = np.array([np.delete(np.arange(i + 3), knot) for knot in range(1, i + 2)])
        without = [of[:, left].reshape(-1, i + 2) for of in fits[i + 1][:2]]
        first = best(down(np.repeat(each, i + 1), *without, move_knots=False))
        fits[i] = _better(fits[i], down(each, *(of[first] for of in without)))
    return fits[:most]


def values(x: Array, knots: Array, heights: Array) -> Array:
    """Each line, a row of knots and a row of heights, at ascending points `x` between the outer knots.

    >>> values(np.array([0.1, 0.5, 0.8]), np.array([[0.0, 0.5, 1.0]]), np.array([[0.0, 1.0, 0.0]])).round(3).tolist()
    [[0.2, 1.0, 0.4]]
    """
    right, starts = _places(x, knots)
    low, high = (_spread(each, starts, len(x)) for each in (heights[:, :-1], heights[:, 1:]))
    return (1 - right) * low + right * high


def _better(one: Fit, other: Fit) -> Fit:
    """Line by line that of the lesser loss."""
    both = Fit(*(np.concatenate(pair) for pair in zip(one, other, strict=True)))
    return both.of(np.arange(len(one.loss)) + len(one.loss) * (other.loss < one.loss))


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
) -> Fit:
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
    return Fit(knots, heights, loss)


def _in_heights_and_knots(
    x: Array, knots: Array, heights: Array, slope: Array, bend: Array
) -> tuple[Array, Array]:
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
    return gradient.reshape(lines, -1)[:, free], hessian.reshape(lines, 2 * n, 2 * n)[
        :, free[:, None], free
    ]


def _damped(gradient: Array, hessian: Array, damping: Array) -> Array:
    """The step to the minimum of a quadratic that is the steeper the more it is damped."""
    diagonal = np.arange(gradient.shape[1])
    own = hessian[:, diagonal, diagonal]
    # What has no curvature of its own gets a little, or the system would have no solution.
    hessian[:, diagonal, diagonal] += damping[:, None] * np.maximum(
        own, 1e-10 * own.max(1, keepdims=True) + 1e-12
    )
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
    sums = np.add.reduceat(of_points.reshape(len(of_points), -1), flat, axis=1).reshape(
        -1, *starts.shape
    )
    # numpy gives the next point for a segment without any.
    return np.where(empty, 0, sums)
