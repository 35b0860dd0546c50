"""The reliability diagram as numbers: a map fitted to a view, how sure it is, and how many claims lie where."""

from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from scipy.special import expit

from ..families.binary.binned import Binned, Steps
from ..families.binary.smooth import Smooth
from ..families.family import Family, Map
from ..fitting.blocks import on_all_cores
from ..fitting.types import Array
from ..inference.bands import Band, confidence_band, consistency_band
from ..inputs.checks import check_argument
from ..inputs.predictions import Predictions
from ..inputs.views import View
from .claims import Histogram, histogram, one_view, shown_odds

# Points of a line, half of them evenly by chance and half by log odds; fewer distinct claims than these are all kept.
_POINTS = 100


@dataclass(frozen=True, eq=False)
class Bins:
    """From where to where each bin reaches that holds claims, and how the map rises within it: `slope` 1 or 0."""

    low: Array
    high: Array
    mean_p: Array
    slope: int


@dataclass(frozen=True, eq=False)
class Curve:
    """A calibration map at some claims `p`, ascending, with what is known of the claims around each.

    `q` is the calibrated chance there, `count` how many claims lie nearest, `gap` their mean distance from their own
    calibrated chances: the mean of `gap`, weighed by `count`, is `error`. Of binned families each bin that holds
    claims is a point, at its mean claim, and `bins` says from where to where it reaches; of others `bins` is None.
    Within `confidence` the true map lies, with probability `level` at each claim; within `consistency` the fitted one
    would, if the claims were right. Both are None without a `level`.
    """

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
    level: float | None
    confidence: Band | None
    consistency: Band | None
    bins: Bins | None


def reliability(
    x: Predictions | View,
    family: Family = Smooth(),  # noqa: B008 - families are frozen
    *,
    level: float | None = 0.95,
    n_boot: int = 200,
    seed: int = 0,
) -> Curve:
    """The map of `family` fitted to a view's own rows, whose mean distance from the claims is the calibration error.

    Bands take most of the time, as the family is fitted `n_boot` times again, or twice that; `level=None` skips them.

    >>> from calibrant import Binned, binary
    >>> curve = reliability(binary([0.2] * 10 + [0.8] * 10, [0] * 9 + [1] * 5 + [0] * 6), Binned(5), level=None)
    >>> curve.p.round(2).tolist(), curve.q.round(2).tolist(), round(curve.error, 2)
    ([0.2, 0.8], [0.1, 0.4], 0.25)
    """
    view = one_view(x)
    check_argument("family", family, Family)
    if level is not None and not 0 < level < 1:
        raise ValueError(
            f"level must lie between 0 and 1, such as 0.95, or be None for no bands; got {level!r}"
        )
    fitted = family.fit(view)
    rule = fitted.rule
    bins = _bins(rule) if isinstance(rule, Steps) else None
    p = _points(view) if bins is None else bins.mean_p
    count, gap = _around(view, fitted, p)
    confidence = consistency = None
    if level is not None:
        confidence = confidence_band(view, family, p, level=level, n_boot=n_boot, seed=seed)
        consistency = consistency_band(view, family, p, level=level, n_boot=n_boot, seed=seed)
    return Curve(
        view.event,
        in_short(family),
        p,
        np.clip(fitted(p), 0, 1),
        count,
        gap,
        float(np.average(gap, weights=count)),
        view.total,
        histogram(view),
        histogram(view, axes="logit"),
        level,
        confidence,
        consistency,
        bins,
    )


def tilted_roof(
    x: Predictions | View,
    family: Binned = Binned(),  # noqa: B008 - families are frozen
    *,
    level: float | None = 0.95,
    n_boot: int = 200,
    seed: int = 0,
) -> Curve:
    """The reliability diagram of bins whose tops rise with the claim, as ECE sees them (paper 004, fig. 1c).

    Within a bin every claim is as far from the top as its mean claim is: all gaps show, wherever one looks.
    """
    if not isinstance(family, Binned) or family.slope != 1:
        raise ValueError(
            f"a tilted roof is of Binned(slope=1), got {family!r}; others are drawn by reliability"
        )
    return reliability(x, family, level=level, n_boot=n_boot, seed=seed)


def in_short(family: Family) -> str:
    """How the family is made, without what it has by default."""
    told = [
        f"{field.name}={getattr(family, field.name)!r}"
        for field in fields(family)  # type: ignore[arg-type]
        if field.init and getattr(family, field.name) != field.default
    ]
    return f"{type(family).__name__}({', '.join(told)})"


def _bins(rule: Steps) -> Bins:
    held = rule.count > 0
    edges = np.clip(np.concatenate([[0.0], rule.inner, [1.0]]), 0, 1)
    low, high, mean_p = edges[:-1][held], edges[1:][held], rule.mean_p[held]
    # The mean of equal claims on an edge rounds, and must not leave their bin.
    return Bins(
        low,
        high,
        np.minimum(mean_p, high) if rule.edges == "width" else np.maximum(mean_p, low),
        rule.slope,
    )


def _points(view: View) -> Array:
    """Where a line is drawn: over the claims there are, evenly by chance and by log odds; few claims are all kept."""
    claims = view.pool.p
    even = np.linspace(claims[0], claims[-1], _POINTS)
    odds = expit(np.linspace(shown_odds(claims[0]), shown_odds(claims[-1]), _POINTS))
    kept = claims if len(claims) <= _POINTS else claims[[0, -1]]
    return np.unique(np.concatenate([even, np.clip(odds, claims[0], claims[-1]), kept]))


def _around(view: View, fitted: Map, p: Array) -> tuple[Array, Array]:
    """How many claims belong to each point, and their mean distance from their calibrated chances."""
    rule = fitted.rule
    if isinstance(rule, Steps):
        held, inner = rule.count > 0, rule.inner
        # Where a claim on an edge falls is the rule's to say.
        side: Literal["left", "right"] = "left" if rule.edges == "width" else "right"
    else:
        held, inner, side = np.ones(len(p), np.bool_), (p[:-1] + p[1:]) / 2, "left"

    def sums(block: View) -> Array:
        place = np.searchsorted(inner, block.p, side=side)
        gap = np.abs(fitted(block) - block.p)
        return np.stack(
            [
                np.bincount(place, block.w, len(held)),
                np.bincount(place, gap if block.w is None else block.w * gap, len(held)),
            ]
        )

    count, gap = np.sum(on_all_cores(sums, view.blocks()), axis=0)[:, held]
    return count, np.divide(gap, count, out=np.abs(fitted(p) - p), where=count > 0)
