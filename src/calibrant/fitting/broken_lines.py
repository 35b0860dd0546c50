"""Broken lines whose knots are free to move, many at once over the same points."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .levenberg_marquardt import BrokenLines, Losses, descend
from .segments import line_values
from .types import Array, Ints

# Of the values of some lines, (lines, points), and the number of the problem that each line is
# meant for: each line's loss, and its slope and a curvature that is not negative, point by point.
LossOfProblems = Callable[[Array, Ints], Losses]

# Ranks at which a new knot is tried.
_TRIES = 16


def broken_lines(
    losses: LossOfProblems,
    x: Array,
    weight: Array,
    start: Array,
    *,
    most: int,
    bounds: tuple[float, float],
    tolerance: float,
    shrink: bool,
) -> list[BrokenLines]:
    """Lines of one segment, of two, up to `most`, with free knots: the best found for each problem.

    Points `x` ascend, and have ranks by `weight`. `start` is a straight line for each problem,
    (problems, 2, 2): its knots, which stay, and its heights. Lines grow by a knot at the best of
    some ranks and begin anew with knots at even ranks; with `shrink` also by dropping a knot of a
    longer line. Losses have many local minima, so there is no certificate.

    >>> x = np.linspace(0, 1, 101)
    >>> bent = np.interp(x, [0, 0.3, 1], [0, 1, 0.5])
    >>> def squares(f, of):
    ...     gap = f - bent
    ...     return (gap**2).sum(1), 2 * gap, np.full(f.shape, 2.0)
    >>> settings = dict(most=2, bounds=(-9, 9), tolerance=1e-12, shrink=True)
    >>> start = np.array([[[0.0, 1.0], [0.0, 1.0]]])
    >>> fits = broken_lines(squares, x, np.ones(101), start, **settings)
    >>> fits[1].knots.round(3).tolist(), fits[1].heights.round(3).tolist()
    ([[0.0, 0.3, 1.0]], [[0.0, 1.0, 0.5]])
    """
    rank = np.cumsum(weight) - weight / 2
    rank /= weight.sum()
    search = _Search(
        losses,
        x,
        rank,
        start,
        bounds,
        tolerance,
    )
    fits = search.grow(most)
    if shrink and most > 1:
        last = search.longer(fits[-1])
        fits = search.shrink([*fits, last])
    return fits[:most]


@dataclass(frozen=True, eq=False)
class _Search:
    """Problems over the same points, which have ranks, and how they are solved."""

    losses: LossOfProblems
    x: Array
    rank: Array
    start: Array
    bounds: tuple[float, float]
    tolerance: float

    def grow(self, most: int) -> list[BrokenLines]:
        """Lines of one segment, of two, up to `most`."""
        knots, heights = self._straight
        fit = self._descend(self._problems, knots, heights)
        fits = [fit]
        while len(fits) < most:
            fit = self.longer(fit)
            fits.append(fit)
        return fits

    def shrink(self, fits: list[BrokenLines]) -> list[BrokenLines]:
        """The same from the longest down, each the better of itself and a longer one shortened."""
        straight, *others, longest = fits
        found = [longest]
        for fit in reversed(others):
            shorter = self.shorter(found[0])
            better = _better(fit, shorter)
            found.insert(0, better)
        return [straight, *found]

    def longer(self, fit: BrokenLines) -> BrokenLines:
        """Lines of one segment more: from these with a new knot, or from knots at even ranks."""
        segments = fit.knots.shape[1]
        grown_knots, grown_heights = self._grown(fit)
        even_knots, even_heights = self._even(segments)
        knots = _alternate(grown_knots, even_knots)
        heights = _alternate(grown_heights, even_heights)
        twice = np.repeat(self._problems, 2)
        begun = self._descend(
            twice,
            knots,
            heights,
            move_knots=False,
        )
        fit = self._descend(twice, begun.knots, begun.heights)
        return fit.of(self._best(fit))

    def shorter(self, fit: BrokenLines) -> BrokenLines:
        """Lines of one segment less, by dropping an inner knot."""
        knots = _all_but_one(fit.knots)
        heights = _all_but_one(fit.heights)
        knots, heights = self._best_of(knots, heights)
        return self._descend(self._problems, knots, heights)

    @cached_property
    def _problems(self) -> Ints:
        return np.arange(len(self.start))

    @property
    def _straight(self) -> tuple[Array, Array]:
        """Knots and heights to start from."""
        knots = self.start[:, 0]
        heights = self.start[:, 1]
        return knots, heights

    def _grown(self, fit: BrokenLines) -> tuple[Array, Array]:
        """Lines with a knot more, at the best of some ranks."""
        ranks = np.arange(_TRIES) + 0.5
        places = self._at_ranks(ranks / _TRIES)
        grown = _with_knots(fit.knots, fit.heights, places[:, None])
        return self._best_of(*grown)

    def _even(self, segments: int) -> tuple[Array, Array]:
        """The straight lines to start from, with knots at even ranks."""
        ranks = np.arange(1, segments) / segments
        places = self._at_ranks(ranks)
        return _with_knots(*self._straight, places[None])

    def _at_ranks(self, ranks: Array) -> Array:
        """The points that have these ranks."""
        return np.interp(ranks, self.rank, self.x)

    def _best_of(self, knots: Array, heights: Array) -> tuple[Array, Array]:
        """Of several lines for each problem, that of the least loss once heights are fitted."""
        each = len(knots) // len(self.start)
        problems = np.repeat(self._problems, each)
        tried = self._descend(
            problems,
            knots,
            heights,
            move_knots=False,
        )
        best = self._best(tried)
        return knots[best], heights[best]

    def _descend(
        self,
        problems: Ints,
        knots: Array,
        heights: Array,
        *,
        move_knots: bool = True,
    ) -> BrokenLines:
        def losses(f: Array) -> Losses:
            return self.losses(f, problems)

        return descend(
            losses,
            self.x,
            knots,
            heights,
            bounds=self.bounds,
            tolerance=self.tolerance,
            move_knots=move_knots,
        )

    def _best(self, tried: BrokenLines) -> Ints:
        """Of the lines tried for each problem, that of the least loss."""
        problems = len(self.start)
        losses = tried.loss.reshape(problems, -1)
        first = losses.shape[1] * self._problems
        return first + losses.argmin(1)


def _better(one: BrokenLines, other: BrokenLines) -> BrokenLines:
    """Line by line that of the lesser loss."""
    from_other = other.loss < one.loss
    rows = from_other[:, None]
    return BrokenLines(
        knots=np.where(rows, other.knots, one.knots),
        heights=np.where(rows, other.heights, one.heights),
        loss=np.where(from_other, other.loss, one.loss),
    )


def _with_knots(knots: Array, heights: Array, more: Array) -> tuple[Array, Array]:
    """Every line with every row of `more` knots, which ascend; the lines themselves stay."""
    lines = len(knots)
    sets, size = more.shape
    levels = line_values(more.ravel(), knots, heights)
    knots = np.repeat(knots, sets, axis=0)
    heights = np.repeat(heights, sets, axis=0)
    knots = np.append(knots, np.tile(more, (lines, 1)), axis=1)
    heights = np.append(heights, levels.reshape(-1, size), axis=1)
    order = np.argsort(knots, axis=1, kind="stable")
    return (
        np.take_along_axis(knots, order, axis=1),
        np.take_along_axis(heights, order, axis=1),
    )


def _alternate(one: Array, other: Array) -> Array:
    """The first row of one, the first of the other, the second of one, and so on."""
    pairs = np.stack([one, other], axis=1)
    return pairs.reshape(-1, one.shape[1])


def _all_but_one(x: Array) -> Array:
    """Every row without one of its inner columns, again and again for each of these."""
    size = x.shape[1]
    without = [np.delete(x, column, axis=1) for column in range(1, size - 1)]
    return np.stack(without, axis=1).reshape(-1, size - 1)
