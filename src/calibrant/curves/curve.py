"""The reliability diagram as numbers: a fitted map, its bands, and how many claims lie where."""

from dataclasses import dataclass, fields, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit

from ..families.binary.binned import Binned
from ..families.defaults import BINNED_CURVE_FAMILY, CURVE_FAMILY
from ..families.family import Family
from ..families.maps import Map
from ..families.names import family_of
from ..families.rules import Bins
from ..fitting.blocks import on_all_cores
from ..fitting.types import Array, Bools
from ..fitting.weights import weighted, weighted_mean
from ..inference.bands import Band, confidence_band, consistency_band
from ..inputs.predictions import Predictions
from ..inputs.views import View
from .claims import Histogram, histogram, one_view, shown_odds
from .drawn import Drawn

# Points of a line, half of them evenly by chance and half by log odds; fewer distinct claims than
# these are all kept.
_POINTS = 100


@dataclass(frozen=True, eq=False)
class BinRanges:
    """From where to where each bin reaches that holds claims, and its mean claim.

    Within a bin the map rises by `slope`, 1 or 0.
    """

    low: Array
    high: Array
    mean_p: Array
    slope: int

    @property
    def ends(self) -> Array:
        """Where each bin begins and ends, (bins, 2)."""
        return np.stack([self.low, self.high], axis=1)


@dataclass(frozen=True, eq=False)
class Curve(Drawn):
    """A calibration map at some claims `p`, ascending, and what is known of the claims around each.

    `q` is the calibrated chance there, `count` how many claims lie nearest, `gap` their mean
    distance from their own calibrated chances: the mean of `gap`, weighted by `count`, is `error`.
    Of binned families each bin that holds claims is a point, at its mean claim, and `bins` says
    from where to where it reaches; of others `bins` is None. Within `confidence` the true map lies,
    with probability `level` at each claim; within `consistency` the fitted one would, if the claims
    were right. Both are None without a `level`.
    """

    drawn_by = "reliability"

    event: str
    family: str
    p: Array
    q: Array
    count: Array
    gap: Array
    error: float
    total: float
    histogram: Histogram
    odds_histogram: Histogram
    bins: BinRanges | None
    level: float | None = None
    confidence: Band | None = None
    consistency: Band | None = None


def reliability(
    x: Predictions | View,
    family: Family | str = CURVE_FAMILY,
    *,
    level: float | None = 0.95,
    n_boot: int = 200,
    seed: int = 0,
) -> Curve:
    """The map of `family` fitted to a view's own rows; its mean distance from claims is `error`.

    Bands take most of the time, as the family is fitted `n_boot` times again, or twice that;
    `level=None` skips them.

    >>> from calibrant import Binned, binary
    >>> view = binary([0.2] * 10 + [0.8] * 10, [0] * 9 + [1] * 5 + [0] * 6)
    >>> curve = reliability(view, Binned(5), level=None)
    >>> curve.p.round(2).tolist(), curve.q.round(2).tolist(), round(curve.error, 2)
    ([0.2, 0.8], [0.1, 0.4], 0.25)
    """
    view = one_view(x)
    family = family_of(family)
    _check_level(level)
    curve = _without_bands(view, family)
    if level is None:
        return curve
    confidence = confidence_band(view, family, curve.p, level=level, n_boot=n_boot, seed=seed)
    consistency = consistency_band(view, family, curve.p, level=level, n_boot=n_boot, seed=seed)
    return replace(curve, level=level, confidence=confidence, consistency=consistency)


def tilted_roof(
    x: Predictions | View,
    family: Binned = BINNED_CURVE_FAMILY,
    *,
    level: float | None = 0.95,
    n_boot: int = 200,
    seed: int = 0,
) -> Curve:
    """The reliability diagram of bins whose tops rise with the claim, as ECE sees them.

    Within a bin every claim is as far from the top as its mean claim is: all gaps show, wherever
    one looks (Kängsepp et al. 2022, fig. 1c).
    """
    if not isinstance(family, Binned) or family.slope != 1:
        raise ValueError(
            f"a tilted roof is of Binned(slope=1), got {family!r}; others are drawn by reliability"
        )
    return reliability(x, family, level=level, n_boot=n_boot, seed=seed)


def in_short(family: Family) -> str:
    """How the family is made, without what it has by default."""
    settings = []
    for field in fields(family):  # type: ignore[arg-type]
        value = getattr(family, field.name)
        if field.init and value != field.default:
            settings.append(f"{field.name}={value!r}")
    return f"{type(family).__name__}({', '.join(settings)})"


def _check_level(level: float | None) -> None:
    if level is not None and not 0 < level < 1:
        raise ValueError(
            f"level must lie between 0 and 1, such as 0.95, or be None for no bands; got {level!r}"
        )


def _without_bands(view: View, family: Family) -> Curve:
    fitted = family.fit(view)
    bins: Bins | None = fitted.rule.bins
    ranges = None if bins is None else _bin_ranges(bins)
    p = _points(view) if ranges is None else ranges.mean_p
    cells = _nearest(p) if bins is None else _binned(bins)
    count, gap = _around(view, fitted, p, cells)
    return Curve(
        event=view.event,
        family=in_short(family),
        p=p,
        q=np.clip(fitted(p), 0, 1),
        count=count,
        gap=gap,
        error=weighted_mean(gap, count),
        total=view.total,
        histogram=histogram(view),
        odds_histogram=histogram(view, axes="logit"),
        bins=ranges,
    )


def _bin_ranges(bins: Bins) -> BinRanges:
    held = bins.count > 0
    edges = np.clip(np.concatenate([[0.0], bins.inner, [1.0]]), 0, 1)
    low = edges[:-1][held]
    high = edges[1:][held]
    mean_p = bins.mean_p[held]
    # The mean of equal claims on an edge rounds, and must not leave their bin.
    within = np.minimum(mean_p, high) if bins.edges == "width" else np.maximum(mean_p, low)
    return BinRanges(low, high, within, bins.slope)


def _points(view: View) -> Array:
    """Where a line is drawn: over the claims there are, evenly by chance and by log odds."""
    claims = view.pool.p
    low, high = claims[[0, -1]]
    even = np.linspace(low, high, _POINTS)
    odds = np.linspace(shown_odds(low), shown_odds(high), _POINTS)
    even_by_odds = np.clip(expit(odds), low, high)
    kept = claims if len(claims) <= _POINTS else claims[[0, -1]]
    return np.unique(np.concatenate([even, even_by_odds, kept]))


class _Cells(NamedTuple):
    """The claims between `inner` edges belong together; a claim on an edge goes to one `side`."""

    inner: Array
    side: Literal["left", "right"]
    held: Bools


def _binned(bins: Bins) -> _Cells:
    # Where a claim on an edge falls is the rule's to say.
    side: Literal["left", "right"] = "left" if bins.edges == "width" else "right"
    return _Cells(bins.inner, side, bins.count > 0)


def _nearest(p: Array) -> _Cells:
    middles = (p[:-1] + p[1:]) / 2
    return _Cells(middles, "left", np.ones(len(p), np.bool_))


def _around(view: View, fitted: Map, p: Array, cells: _Cells) -> tuple[Array, Array]:
    """How many claims belong to each point, and their mean distance from calibrated chances."""
    inner, side, held = cells

    def sums(block: View) -> Array:
        cell = np.searchsorted(inner, block.p, side=side)
        gap = np.abs(fitted(block) - block.p)
        count = np.bincount(cell, block.w, len(held))
        total_gap = np.bincount(cell, weighted(gap, block.w), len(held))
        return np.stack([count, total_gap])

    count, total_gap = np.sum(on_all_cores(sums, view.blocks()), axis=0)[:, held]
    at_points = np.abs(fitted(p) - p)
    return count, np.divide(total_gap, count, out=at_points, where=count > 0)
