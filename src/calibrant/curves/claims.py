"""How many claims are made of which chance: the histogram beside every diagram."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from ..families.binary.binning import width_bins
from ..families.binary.piecewise import Space
from ..fitting.blocks import on_all_cores
from ..fitting.types import Array, Ints
from ..fitting.weights import weighted
from ..inputs.checks import MAKE_THEM, check_argument, check_count
from ..inputs.predictions import Predictions
from ..inputs.questions import top_label
from ..inputs.views import View
from .drawn import Drawn

# A picture shows no log odds beyond these: chances of one in nine million.
_LIMIT = 16.0
# Bars by log odds span so much at least: those of claims that hardly differ are as wide as others.
_LEAST_SPAN = 4.0


@dataclass(frozen=True, eq=False)
class Histogram(Drawn):
    """Between each two `edges` how many claims, their sum, and how many of their events happened.

    No row is left out: `mean_claim` and `share` are the mean claim and the share of events over
    all of them.
    """

    drawn_by = "histogram"

    event: str
    edges: Array
    count: Array
    claimed: Array
    happened: Array

    @property
    def total(self) -> float:
        """How many observations the claims stand for."""
        return float(self.count.sum())

    @property
    def mean_p(self) -> Array:
        """Mean claim of each bar that holds some."""
        held = self.count > 0
        return self.claimed[held] / self.count[held]

    @property
    def mean_y(self) -> Array:
        """Share of events of each bar that holds claims."""
        held = self.count > 0
        return self.happened[held] / self.count[held]

    @property
    def mean_claim(self) -> float:
        """Mean claim of all rows."""
        return float(self.claimed.sum() / self.total)

    @property
    def share(self) -> float:
        """Share of rows whose event happened."""
        return float(self.happened.sum() / self.total)


def histogram(x: Predictions | View, bars: int = 20, *, axes: Space = "chance") -> Histogram:
    """How many claims are made of which chance, in bars of one width by chance or by log odds.

    By log odds the bars span the claims made. A claim on an edge falls below it; one too extreme
    to be drawn falls into the outermost bar.

    >>> from calibrant import binary
    >>> histogram(binary([0.1, 0.6, 0.7], [0, 1, 0]), 2).count.tolist()
    [1.0, 2.0]
    """
    view = one_view(x)
    check_argument("axes", axes, Space)
    if not isinstance(bars, int | np.integer) or bars < 1:
        raise ValueError(f"bars must be a whole number, at least 1, got {bars!r}")
    check_count("bars", int(bars))
    edges = np.linspace(0, 1, bars + 1) if axes == "chance" else _even_odds(view, bars)

    inner = edges[1:-1]
    place = width_bins if axes == "chance" else _searched

    def sums(block: View) -> Array:
        bar = place(block.p, inner)
        count = np.bincount(bar, block.w, bars)
        claimed = np.bincount(bar, weighted(block.p, block.w), bars)
        happened = np.bincount(bar, weighted(block.y, block.w), bars)
        return np.stack([count, claimed, happened])

    count, claimed, happened = np.sum(on_all_cores(sums, view.blocks()), axis=0)
    return Histogram(view.event, edges, count, claimed, happened)


def one_view(x: Predictions | View) -> View:
    """The view that a diagram is of: of predictions whether the top label is right."""
    if isinstance(x, Predictions):
        return top_label(x)
    if isinstance(x, View):
        return x
    raise ValueError(
        f"a diagram is of Predictions or one View, got {type(x).__name__}: {MAKE_THEM}"
    )


def shown_odds(p: float) -> float:
    """Log odds of a chance, as far as a picture shows them."""
    return float(np.clip(logit(p), -_LIMIT, _LIMIT))


def _searched(p: Array, inner: Array) -> Ints:
    return np.searchsorted(inner, p)


def _even_odds(view: View, bars: int) -> Array:
    claims = view.p if view.w is None else view.p[view.w > 0]
    low = shown_odds(float(claims.min()))
    high = shown_odds(float(claims.max()))
    middle = (low + high) / 2
    half = max(high - low, _LEAST_SPAN) / 2
    return expit(np.linspace(middle - half, middle + half, bars + 1))
