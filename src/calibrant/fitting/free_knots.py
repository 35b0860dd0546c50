"""Continuous pieces of a line or a parabola with free knots, of least squared error."""

from typing import Literal, NamedTuple

import numpy as np

from .evolution import evolve
from .types import Array, Ints

Degree = Literal[1, 2]

# Knots this near to one another would be a jump.
_GAP = 1e-6
# A height that no point has a say in stays where the identity has it. It is a share of all weight.
_RIDGE = 1e-9


class Pieces(NamedTuple):
    """A row for each problem: knots, heights there, and by how much each piece bulges.

    Between knots a and b it lies `bulge` t (1 - t) above the chord, t = (x - a) / (b - a).
    """

    knots: Array
    heights: Array
    bulges: Array


class FreeKnots:
    """Pieces of least squared error for each row of weights `w` and of weighted outcomes `y`.

    Knots are some of the points `x`, which ascend, found by differential evolution; for given knots
    heights and bulges have a closed form.

    >>> x = np.linspace(0, 1, 101)
    >>> bent = np.interp(x, [0, 0.3, 1], [0, 1, 0.5])
    >>> found = FreeKnots(x, np.ones((1, 101)), bent[None], degree=1).fit(2)
    >>> found.knots.round(3).tolist(), found.heights.round(3).tolist()
    ([[0.0, 0.3, 1.0]], [[0.0, 1.0, 0.5]])
    """

    def __init__(self, x: Array, w: Array, y: Array, degree: Degree) -> None:
        total = w.sum(1, keepdims=True)
        gap = y - w * x
        self._problems = len(w)
        self._knots = _apart(x)
        pieces = _possible_pieces(x, self._knots, w / total, gap / total, degree)
        self._pieces = _Tables(pieces)

    def fit(self, segments: int) -> Pieces:
        """The best found of so many pieces, of fewer where points are fewer."""
        knots = self._knots
        inner = min(segments, len(knots) - 1) - 1
        ranks: Array = np.empty((self._problems, 0))
        if inner:
            ranks = evolve(self._losses, self._problems, inner)
        places = _places(ranks[:, None], len(knots))
        gaps, bulges = _solution(self._pieces.at(places))
        found = knots[places]
        heights = found + gaps
        return Pieces(found[:, 0], heights[:, 0], bulges[:, 0])

    def _losses(self, members: Array) -> Array:
        """Mean squared errors, less that of the identity."""
        places = _places(members, len(self._knots))
        return -_explained(self._pieces.at(places))


class _Equations(NamedTuple):
    """What pieces add to the normal equations of the heights at their ends, bulges worked out.

    A bulge is `bulge` less what the heights take of it; `explained` is what it takes of the error.
    """

    at_left: Array
    across: Array
    at_right: Array
    to_left: Array
    to_right: Array
    bulge: Array
    of_left: Array
    of_right: Array
    explained: Array


class _Tables:
    """The equations of a piece between any two knots, side by side so that one look finds all."""

    def __init__(self, equations: _Equations) -> None:
        tables = np.stack(equations, axis=-1)
        self._knots = tables.shape[1]
        self._rows = tables.reshape(-1, len(equations))

    def at(self, places: Ints) -> _Equations:
        """Those of the pieces between neighbours of (problems, members, knots)."""
        problem = np.arange(len(places))[:, None, None]
        row = problem * self._knots + places[..., :-1]
        found = self._rows.take(row * self._knots + places[..., 1:], axis=0)
        return _Equations(*np.moveaxis(found, -1, 0))


def _possible_pieces(x: Array, knots: Array, w: Array, y: Array, degree: Degree) -> _Equations:
    """The equations of a piece between any two knots: tables (problems, knots, knots)."""
    m = _sums_along(x, knots, w, 2 * degree)
    g = _sums_along(x, knots, y, degree)
    none = np.zeros_like(m[0])
    straight = _Equations(
        at_left=m[0] - 2 * m[1] + m[2],
        across=m[1] - m[2],
        at_right=m[2],
        to_left=g[0] - g[1],
        to_right=g[1],
        bulge=none,
        of_left=none,
        of_right=none,
        explained=none,
    )
    if degree == 1:
        return straight
    own = m[2] - 2 * m[3] + m[4] + _RIDGE
    return _without_bulges(
        straight,
        own,
        left=(m[1] - 2 * m[2] + m[3]) / own,
        right=(m[2] - m[3]) / own,
        target=(g[1] - g[2]) / own,
    )


def _without_bulges(
    straight: _Equations,
    own: Array,
    left: Array,
    right: Array,
    target: Array,
) -> _Equations:
    """The equations once each bulge, target - left * height - right * height, is worked out."""
    return _Equations(
        at_left=straight.at_left - own * left**2,
        across=straight.across - own * left * right,
        at_right=straight.at_right - own * right**2,
        to_left=straight.to_left - own * left * target,
        to_right=straight.to_right - own * right * target,
        bulge=target,
        of_left=left,
        of_right=right,
        explained=own * target**2,
    )


def _sums_along(x: Array, knots: Array, of_points: Array, most: int) -> list[Array]:
    """For each power, sums over the points from one knot to another of how far along they lie.

    A point at a knot belongs to the piece that begins there. Only pieces to the right are asked for.
    """
    first = np.searchsorted(x, knots)
    first[-1] = len(x)
    is_reached = x >= knots[:, None]
    away = np.where(is_reached, x - knots[:, None], 0)
    width = knots - knots[:, None]
    np.fill_diagonal(width, 1.0)
    found: list[Array] = []
    terms = of_points[:, None] * is_reached
    for power in range(most + 1):
        running = np.cumsum(terms, axis=2)
        running = np.pad(running, [(0, 0), (0, 0), (1, 0)])
        found.append(running[:, :, first] / width**power)
        terms = terms * away
    return found


def _apart(x: Array) -> Array:
    """The points that may be knots: not too near, the outer ones among them; or 0 and 1."""
    cells = np.floor(x / _GAP)
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    kept = x[starts]
    # Two in cells side by side may still be one.
    kept = kept[np.diff(kept, prepend=-1) > _GAP / 2]
    kept = kept[x[-1] - kept > _GAP]
    kept = np.append(kept, x[-1])
    return kept if len(kept) > 1 else np.array([0.0, 1.0])


def _places(members: Array, knots: int) -> Ints:
    """Which knots a member of places in [0, 1] stands for, the outer ones added; no two are one."""
    inner = members.shape[-1]
    # Less the places before them, places need only be in order.
    room = knots - 2 - inner
    places = np.empty((*members.shape[:-1], inner + 2), np.intp)
    places[..., 0] = 0
    places[..., 1:-1] = np.round(members * room) + np.arange(1, inner + 1)
    places[..., -1] = knots - 1
    return places


def _eliminated(system: _Equations) -> tuple[Array, Array]:
    """Pivots and right sides once each height is worked out of the next knot's equation."""
    pivots = _at_knots(system.at_left, system.at_right) + _RIDGE
    right = _at_knots(system.to_left, system.to_right)
    for i in range(1, pivots.shape[-1]):
        across = system.across[..., i - 1]
        factor = across / pivots[..., i - 1]
        pivots[..., i] -= factor * across
        right[..., i] -= factor * right[..., i - 1]
    return pivots, right


def _at_knots(at_left: Array, at_right: Array) -> Array:
    """What pieces add at their left and right ends."""
    *others, pieces = at_left.shape
    found = np.zeros((*others, pieces + 1))
    found[..., :-1] += at_left
    found[..., 1:] += at_right
    return found


def _explained(system: _Equations) -> Array:
    """By how much mean squared error falls at the solution."""
    pivots, right = _eliminated(system)
    by_heights = (right**2 / pivots).sum(-1)
    return by_heights + system.explained.sum(-1)


def _solution(system: _Equations) -> tuple[Array, Array]:
    """Heights at the knots above the identity, and the bulges of the pieces."""
    pivots, right = _eliminated(system)
    heights = right / pivots
    for i in range(pivots.shape[-1] - 2, -1, -1):
        factor = system.across[..., i] / pivots[..., i]
        heights[..., i] -= factor * heights[..., i + 1]
    of_left = system.of_left * heights[..., :-1]
    of_right = system.of_right * heights[..., 1:]
    return heights, system.bulge - of_left - of_right
