"""Graphs of sums along the claims, and of several models by accuracy, error and order."""

import numpy as np
from matplotlib.axes import Axes

from ..curves import Cumulative, Histogram, Model, Ordering, Pareto
from ..curves import cumulative as cumulative_of
from ..curves import histogram as histogram_of
from ..fitting.types import Array
from ..inputs.predictions import Predictions
from ..inputs.views import Data, View
from .style import (
    BLACK,
    BLUE,
    GREY,
    MARKERS,
    PALE,
    SKY,
    VERMILLION,
    Look,
    Panels,
    colour_of,
    in_rows,
    one_axes,
    percent_axis,
    points,
    say,
    some_axes,
    styled,
    wrapped,
)

_DASHED = (0, (4, 2))
_BARS: Look = {
    "align": "edge",
    "color": SKY,
    "edgecolor": "white",
    "lw": 0.6,
}
_CELL: Look = {
    "height": 0.86,
    "alpha": 0.3,
    "edgecolor": "white",
    "lw": 1.5,
}
_CENTRED: Look = {
    "ha": "center",
    "va": "center",
    "parse_math": False,
}
_BESIDE: Look = {
    "loc": "upper left",
    "bbox_to_anchor": (1.01, 1),
    "borderaxespad": 0,
}


@styled
def histogram(seen: Histogram | Data, *, ax: Axes | None = None) -> Axes:
    """Draw how many rows claim which chance, the mean claim, and how often the event happened."""
    if isinstance(seen, Predictions | View):
        seen = histogram_of(seen)
    ax = one_axes(ax, 4.6, 3.4)
    left = seen.edges[:-1]
    width = seen.edges[1:] - left
    share = seen.count / seen.total
    ax.bar(left, share, width, **_BARS)
    ax.axvline(seen.share, color=BLACK, lw=1.6, label="share of events")
    ax.axvline(seen.mean_claim, color=VERMILLION, lw=1.6, ls=_DASHED, label="mean claim")
    percent_axis(ax, "x", "y")
    ax.set_xlim(0, 1)
    claimed = f"Claimed {100 * seen.mean_claim:.1f}% on average"
    happened = f"happened {100 * seen.share:.1f}%"
    event = wrapped(f"claimed chance that {seen.event}", 50)
    rows = f"share of {in_rows(seen.total)}"
    say(ax, title=f"{claimed}, {happened}", x=event, y=rows)
    ax.legend(loc="best")
    return ax


@styled
def cumulative(found: Cumulative | Data, *, panels: Panels = None) -> list[Axes]:
    """Draw summed claims and events by share of rows and by summed claims, then the map itself."""
    if isinstance(found, Predictions | View):
        found = cumulative_of(found)
    four = some_axes(panels, 4, 2, 3.6, 3.1)
    sums_by_rows, sums_by_claims, map_by_rows, map_by_claims = four
    _draw_sums(sums_by_rows, found.fractile, found)
    _draw_sums(sums_by_claims, found.claimed, found)
    _draw_map(map_by_rows, found.fractile, found)
    _draw_map(map_by_claims, found.p, found)
    rows = "share of rows, least sure first"
    sums = "sum over rows / all rows"
    event = wrapped(f"claimed chance that {found.event}", 42)
    error = f"KS error {points(found.error)}"
    say(sums_by_rows, title=error, x=rows, y=sums)
    say(sums_by_claims, title=in_rows(found.total), x="summed claims", y=sums)
    say(map_by_rows, x=rows, y="chance")
    say(map_by_claims, x=event, y="chance")
    for ax in four:
        percent_axis(ax, "x", "y")
        ax.margins(x=0)
        ax.set_ylim(0)
    # Where all claims are 0, their sums have no width of their own.
    last = max(found.claimed[-1], 0.01)
    sums_by_claims.set_xlim(0, last)
    return four


@styled
def pareto(found: Pareto, *, ax: Axes | None = None) -> Axes:
    """Draw models by error and accuracy with their intervals.

    Those that no other one beats are filled and joined.
    """
    ax = one_axes(ax, 7.2, 3.8)
    best = [_error_and_accuracy(model) for model in found.models if model.best]
    error, right = zip(*sorted(best), strict=True)
    ax.plot(error, right, color=PALE, lw=4, zorder=1)
    for place, model in enumerate(found.models):
        marker = MARKERS[place % len(MARKERS)]
        _draw_model(ax, model, colour_of(place), marker)
    percent_axis(ax, "y")
    ax.xaxis.set_major_formatter(_in_points)
    title = f"Lines: {100 * found.level:g}% intervals; filled: no other is better in both"
    measure = wrapped(f"{found.measure} in points, less is better", 56)
    say(ax, title=title, x=measure, y="accuracy")
    ax.legend(**_BESIDE)
    return ax


@styled
def ordering(found: Ordering, *, ax: Axes | None = None) -> Axes:
    """Draw how each evaluator orders the models, the best on the left, each with its error."""
    models = [wrapped(name, 20) for name in found.models]
    evaluators = [wrapped(name, 20) for name in found.evaluators]
    ax = one_axes(ax, *_size_of_table(models, evaluators))
    for row, order in enumerate(found.order):
        for place, model in enumerate(order):
            error = 100 * found.values[row, model]
            text = f"{models[model]}\n{error:.2f}"
            _draw_cell(ax, row, place, text, colour_of(model))
    places = np.arange(len(models))
    ax.set_xticks(places + 0.5, map(str, places + 1))
    ax.set_yticks(range(len(evaluators)), evaluators, parse_math=False)
    ax.set_xlim(0, len(models))
    ax.set_ylim(len(evaluators) - 0.5, -0.5)
    ax.tick_params(length=0)
    ax.spines[["left", "bottom"]].set_visible(False)
    say(ax, title="From the least error to the largest, in points", x="place")
    return ax


def _draw_sums(ax: Axes, x: Array, found: Cumulative) -> None:
    low = found.claimed - found.limit
    high = found.claimed + found.limit
    ax.fill_between(x, low, high, color=PALE, lw=0, label="if right, 19 times in 20")
    ax.plot(x, found.claimed, color=GREY, ls=_DASHED, label="summed claims")
    ax.plot(x, found.happened, color=BLUE, label="summed events")
    k = found.widest
    low, high = found.claimed[k], found.happened[k]
    ax.vlines(x[k], low, high, color=VERMILLION, lw=2.5, label="widest gap")
    ax.legend(loc="best")


def _draw_map(ax: Axes, x: Array, found: Cumulative) -> None:
    marker = None if len(x) > 2 else "o"
    label = f"calibrated, {found.family}"
    ax.plot(x, found.p, color=GREY, ls=_DASHED, label="claimed chance")
    ax.plot(x, found.q, color=BLUE, label=label, marker=marker)
    ax.legend(loc="best")


def _draw_model(ax: Axes, model: Model, colour: str, marker: str) -> None:
    error, right = _error_and_accuracy(model)
    low, high = model.error.low, model.error.high
    ax.hlines(right, low, high, color=colour, lw=1.2)
    low, high = model.accuracy.low, model.accuracy.high
    ax.vlines(error, low, high, color=colour, lw=1.2)
    share = f"{100 * right:.1f}%"
    name = wrapped(model.name, 28)
    ax.plot(
        error,
        right,
        ls="none",
        marker=marker,
        ms=7,
        color=colour if model.best else "white",
        mec=colour,
        mew=1.5,
        label=f"{points(error)}, {share}: {name}",
    )


def _error_and_accuracy(model: Model) -> tuple[float, float]:
    return model.error.estimate, model.accuracy.estimate


def _in_points(error: float, _: float) -> str:
    return f"{100 * error:g}"


def _size_of_table(models: list[str], evaluators: list[str]) -> tuple[float, float]:
    """Inches that cells need for the names in them."""
    lines = 1 + max(map(_lines, [*models, *evaluators]))
    letters = max(map(_letters, models))
    column = max(0.9, 0.085 * letters)
    row = 0.16 + 0.13 * lines
    width = 1.9 + column * len(models)
    height = 1.1 + row * len(evaluators)
    return width, height


def _lines(name: str) -> int:
    return len(name.split("\n"))


def _letters(name: str) -> int:
    """The letters of the longest line."""
    lines = name.split("\n")
    return max(map(len, lines))


def _draw_cell(ax: Axes, row: int, place: int, text: str, colour: str) -> None:
    ax.barh(row, 1, left=place, color=colour, **_CELL)
    ax.text(place + 0.5, row, text, fontsize=7.5, **_CENTRED)
