"""The segment of any column whose claims are furthest off, and whether a search finds such by chance."""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ..decisions.kept import single_view
from ..fitting.blocks import on_all_cores
from ..fitting.types import Array, Ints
from ..fitting.weights import counts
from ..inputs.groups import Grouping
from ..inputs.predictions import Predictions
from ..inputs.views import View
from ..measures.scores import event_rate, mean_claim
from .segments import Columns, segments

# Claims are told apart by so many cells of as many rows.
_CELLS = 32
# Fewer observations, or fewer events than this among right claims, tell nothing of a segment.
FEWEST, _LEAST_VARIANCE = 50, 3.0
_AT_A_TIME = 50
_TOO_FEW = (
    "no segment has {} rows, in which some events and some others are expected, of {:,} rows in "
    "all: take more rows, or columns of fewer values"
)


class Segment(NamedTuple):
    """The segment of a column in words, its `rows`, and what they claim and show.

    `p_value` is how often, were all claims right, a search of these columns would find a segment as
    far off. The search likes what is off by chance: on other rows its gap will be smaller.
    """

    name: str
    column: str
    rows: Ints
    total: float
    claimed: float
    happened: float
    p_value: float


class _Rows(NamedTuple):
    """Of each row the claim as it is read, its cell, its weight, and the weight of what happened."""

    p: Array
    cell: Ints
    w: Array
    happened: Array


class _Walks(NamedTuple):
    """The segments of a column that rows can tell of: how far their sums range, in deviations.

    `rows` and `p` are the rows and the mean claim of each cell, (segments, cells).
    """

    places: Ints
    ranges: Array
    deviation: Array
    rows: Array
    p: Array

    @property
    def furthest(self) -> float:
        """The widest range."""
        return float(self.ranges.max(initial=0))

    def widest(self, n_draws: int, seed: tuple[int, int]) -> Array:
        """The widest range in each of some draws of outcomes from the claims."""
        random = np.random.default_rng(seed)
        counted = np.rint(self.rows).astype(np.int64)
        expected = counted * self.p
        found = []
        for start in range(0, n_draws, _AT_A_TIME):
            draws = min(_AT_A_TIME, n_draws - start)
            happened = random.binomial(counted, self.p, (draws, *self.p.shape))
            ranges = _range(happened - expected) / self.deviation
            found.append(ranges.max(1, initial=0))
        return np.concatenate(found)


def worst_segment(
    x: Predictions | View, columns: Columns, *, n_draws: int = 999, seed: int = 0
) -> Segment:
    """The segment furthest off: a value of names, or a range of numbers, of any of the columns.

    It is the one in which the sum of outcome less claim, along the claims, ranges furthest for its
    size: its claims may be too high, too low, or too extreme. Outcomes drawn from the claims tell
    what the search finds where there is nothing. Columns are drawn apart, which is conservative
    where they tell the same (Royen 2014).

    >>> from calibrant import binary
    >>> random = np.random.default_rng(0)
    >>> p, site, age = random.random(4000), random.integers(0, 5, 4000), random.random(4000)
    >>> y = random.random(4000) < np.where(site == 3, p**2, p)
    >>> found = worst_segment(binary(p, y), {"site": site, "age": age})
    >>> found.name, found.p_value
    ('site = 3', 0.001)
    """
    view = single_view(x)
    parted = segments(columns, view.n)
    rows = _rows(view)
    found = on_all_cores(partial(_walks, rows), list(parted.values()))
    walks = dict(zip(parted, found, strict=True))
    column = max(walks, key=lambda name: walks[name].furthest)
    walk = walks[column]
    if not walk.furthest:
        raise ValueError(_TOO_FEW.format(FEWEST, view.n))
    place = walk.places[walk.ranges.argmax()]
    inside = np.flatnonzero(parted[column].place == place)
    part = view[inside]
    return Segment(
        parted[column].names[place],
        column,
        inside,
        part.total,
        mean_claim(part),
        event_rate(part),
        _share_as_far(found, walk.furthest, n_draws, seed),
    )


def _share_as_far(walks: list[_Walks], furthest: float, n_draws: int, seed: int) -> float:
    """How often the widest range of any segment is as large, were all claims right."""

    def widest(place: int) -> Array:
        return walks[place].widest(n_draws, (seed, place))

    found = on_all_cores(widest, range(len(walks)))
    as_far = np.max(found, axis=0) >= furthest * (1 - 1e-9)
    return float((1 + as_far.sum()) / (1 + n_draws))


def _rows(view: View) -> _Rows:
    p = expit(view.log_odds)
    w = counts(view.w, view.n)
    inner = np.linspace(0, 1, _CELLS + 1)[1:-1]
    edges = np.unique(np.quantile(p, inner, method="lower"))
    return _Rows(p, np.searchsorted(edges, p), w, w * view.y)


def _walks(x: _Rows, grouping: Grouping) -> _Walks:
    """The walk of each segment that has rows enough."""
    many = len(grouping.names)
    place = grouping.place * _CELLS + x.cell

    def table(values: Array) -> Array:
        sums = np.bincount(place, values, many * _CELLS)
        return sums.reshape(many, _CELLS).astype(np.float64)

    rows, expected = table(x.w), table(x.w * x.p)
    variance = table(x.w * x.p * (1 - x.p)).sum(1)
    tells = (rows.sum(1) >= FEWEST) & (variance >= _LEAST_VARIANCE)
    places = np.flatnonzero(tells)
    steps = (table(x.happened) - expected)[places]
    rows, expected = rows[places], expected[places]
    deviation = np.sqrt(variance[places])
    claims = np.divide(expected, rows, out=np.zeros(rows.shape), where=rows > 0)
    return _Walks(places, _range(steps) / deviation, deviation, rows, np.clip(claims, 0, 1))


def _range(steps: Array) -> Array:
    """From the lowest to the highest running sum along the last axis, 0 included."""
    sums = steps.cumsum(-1)
    wide: Array = np.maximum(sums.max(-1), 0) - np.minimum(sums.min(-1), 0)
    return wide
