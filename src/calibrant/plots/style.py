"""One style for all pictures: colours told apart by colour-blind eyes and on grey paper, words shown as they are."""

from collections.abc import Callable, Sequence
from functools import wraps
from textwrap import fill
from typing import Any, Literal, ParamSpec, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, PercentFormatter
from scipy.special import expit, logit

from ..fitting.types import Array

# Okabe and Ito's colours, from dark to light by turns, so that neighbours differ on grey paper too.
BLUE, ORANGE, BLACK, SKY = "#0072B2", "#E69F00", "#000000", "#56B4E9"
VERMILLION, GREEN, PURPLE, YELLOW = "#D55E00", "#009E73", "#CC79A7", "#F0E442"
COLOURS = (BLUE, ORANGE, BLACK, SKY, VERMILLION, GREEN, PURPLE)
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1, 1)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (9, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
    "-",
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY, PALE, PALE_BLUE, PALE_VERMILLION = "#6b6b6b", "#d9d9d9", "#bfe0f3", "#eeb48c"

STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.labelcolor": BLACK,
    "axes.grid": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.8,
    "figure.titlesize": 10.5,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": BLACK,
    "ytick.labelcolor": BLACK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": True,
    "legend.framealpha": 0.85,
    "legend.edgecolor": "none",
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "text.color": BLACK,
    "text.usetex": False,
    "text.parse_math": False,
}
_TICKS = (
    1e-7,
    1e-6,
    1e-5,
    1e-4,
    1e-3,
    0.01,
    0.1,
    0.5,
    0.9,
    0.99,
    0.999,
    0.9999,
    1 - 1e-5,
    1 - 1e-6,
    1 - 1e-7,
)
# Letters of all labels along an x axis, at most.
_MOST_LETTERS = 36
# Log odds shown, at least: room for two ticks.
_LEAST_SPAN = 5.0
# Nothing drawn by log odds is nearer to 0 or 1.
_LEAST = 1e-9

P = ParamSpec("P")
R = TypeVar("R")


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """Draw in the one style, and leave all settings as they were."""

    @wraps(draw)
    def within(*args: P.args, **options: P.kwargs) -> R:
        with mpl.rc_context(STYLE):
            return draw(*args, **options)

    return within


def one_axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes given, or those of a new figure, in inches."""
    return plt.subplots(figsize=(width, height), layout="constrained")[1] if ax is None else ax


def some_axes(
    panels: Sequence[Axes] | None, number: int, columns: int, width: float, height: float
) -> list[Axes]:
    """The axes given, as many as there are panels, or those of a new figure of panels so large, in inches."""
    if panels is None:
        rows = -(-number // columns)
        size = (columns * width, rows * height)
        found = (
            plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)[1]
            .ravel()
            .tolist()
        )
        for spare in found[number:]:
            spare.remove()
        return found[:number]
    given = list(panels)
    if len(given) != number:
        raise ValueError(
            f"panels must be {number} axes, one for each part of the picture, got {len(given)}"
        )
    return given


def axes_above_axes(
    given: Sequence[Axes] | None, number: int, width: float, height: float
) -> list[tuple[Axes, Axes]]:
    """Axes and low ones below them that share their x: within those given, or side by side in a new figure."""
    if given is not None:
        return [
            (ax, ax.inset_axes((0, -0.26, 1, 0.21), sharex=ax))
            for ax in some_axes(given, number, number, 0, 0)
        ]
    size = (number * width, height)
    _, found = plt.subplots(
        2,
        number,
        figsize=size,
        layout="constrained",
        squeeze=False,
        sharex="col",
        height_ratios=[9, 2],
    )
    return list(zip(*found, strict=True))


def say(ax: Axes, *, title: str = "", x: str = "", y: str = "") -> None:
    """Title and labels as they are: a name with dollar signs is no formula."""
    ax.set_title(title, loc="left", parse_math=False)
    ax.set_xlabel(x, parse_math=False)
    ax.set_ylabel(y, parse_math=False)


def wrapped(text: str, width: int, *, most: int = 3) -> str:
    """Long words broken into lines, so many at most."""
    lines = fill(text, width).split("\n")
    # A name that begins with an underscore would be left out of legends.
    start = " " if text.startswith("_") else ""
    return start + "\n".join(lines[:most]) + ("…" if len(lines) > most else "")


def points(error: float) -> str:
    """An error in points: hundredths."""
    return f"{100 * error:.2f} points"


def number(count: float) -> str:
    """A count in words, whole where it is whole."""
    return f"{count:,.0f}" if count == round(count) else f"{count:,.1f}"


def percent_axis(ax: Axes, *which: str) -> None:
    """Show fractions as percent along the axes named, x or y."""
    for name in which:
        {"x": ax.xaxis, "y": ax.yaxis}[name].set_major_formatter(PercentFormatter(1, symbol="%"))


def logit_axes(ax: Axes, low: float, high: float) -> tuple[float, float]:
    """Space chances by their log odds along both axes, so that 1% and 99.9% stay readable; the ends to show."""
    middle, half = (logit(low) + logit(high)) / 2, max(_LEAST_SPAN, logit(high) - logit(low)) / 2
    low, high = expit(middle - 1.03 * half), expit(middle + 1.03 * half)
    ticks = [place for place, tick in enumerate(_TICKS) if low <= tick <= high]
    # Long labels would touch along x: some go without, but not one half.
    step = next(
        step
        for step in range(1, 8)
        if len("".join(_percent(_TICKS[k]) for k in ticks if k % step == 7 % step)) < _MOST_LETTERS
    )
    ax.set_xscale("function", functions=(_log_odds, expit))
    ax.set_yscale("function", functions=(_log_odds, expit))
    for axis, each in ((ax.xaxis, step), (ax.yaxis, 1)):
        axis.set_major_locator(FixedLocator([_TICKS[k] for k in ticks if k % each == 7 % each]))
        axis.set_minor_locator(FixedLocator([_TICKS[k] for k in ticks]))
        axis.set_major_formatter(FuncFormatter(lambda p, _: _percent(p)))
    return low, high


def _percent(p: float) -> str:
    return f"{100 * p:.9f}".rstrip("0").rstrip(".") + "%"


def _log_odds(p: Array) -> Array:
    return logit(np.clip(p, _LEAST, 1 - _LEAST))


def diagonal(ax: Axes, low: float = 0.0, high: float = 1.0) -> None:
    """Where claims are right."""
    ax.plot([low, high], [low, high], color=GREY, lw=1, ls=(0, (4, 3)), zorder=1.5)


def hide_labels(ax: Axes, *, x: bool, y: bool) -> None:
    """Leave the numbers along an axis to a neighbour that has the same."""
    ax.tick_params(labelbottom=not x, labelleft=not y)


def key(ax: Axes, *, outside: bool, loc: Literal["upper left", "lower right", "best"]) -> None:
    """What each mark means: below a figure of our own, where it hides nothing, else within the axes."""
    if outside:
        ax.figure.legend(*ax.get_legend_handles_labels(), loc="outside lower left", ncols=2)
    else:
        ax.legend(loc=loc)
