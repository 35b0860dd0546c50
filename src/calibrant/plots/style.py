"""One style for all pictures: colours told apart by colour-blind eyes and on grey paper.

Words are shown as they are.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from textwrap import fill
from typing import Any, Literal, ParamSpec, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, PercentFormatter
from scipy.special import expit, logit

from ..fitting.types import Array
from ..inputs.checks import MAKE_THEM
from ..inputs.habits import is_column

Look = dict[str, Any]  # arguments to matplotlib
Panels = Sequence[Axes] | None  # axes to draw on; None: those of a new figure

# Okabe and Ito's colours, from dark to light by turns, so that neighbours differ on grey paper too.
BLUE = "#0072B2"
ORANGE = "#E69F00"
BLACK = "#000000"
SKY = "#56B4E9"
VERMILLION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
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
GREY = "#6b6b6b"
PALE = "#d9d9d9"
PALE_BLUE = "#bfe0f3"
PALE_VERMILLION = "#eeb48c"

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
# Chances that may be labelled by log odds, one half in the middle.
_BELOW_HALF = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1)
_ABOVE_HALF = tuple(1 - p for p in reversed(_BELOW_HALF))
_TICKS = (*_BELOW_HALF, 0.5, *_ABOVE_HALF)
_HALF = len(_BELOW_HALF)
# Letters of all labels along an x axis, at most.
_MOST_LETTERS = 36
# Log odds shown, at least: room for two ticks.
_LEAST_SPAN = 5.0
# How much more is shown than there is, so that nothing touches the frame.
_ROOM = 1.03
# Nothing drawn by log odds is nearer to 0 or 1.
_LEAST = 1e-9

P = ParamSpec("P")
R = TypeVar("R")


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """Draw in the one style, and leave all settings as they were."""

    @wraps(draw)
    def within(*args: P.args, **options: P.kwargs) -> R:
        if args and is_column(args[0]):
            raise ValueError(f"a picture is of a curve, predictions or a view: {MAKE_THEM}")
        with mpl.rc_context(STYLE):
            return draw(*args, **options)

    return within


def one_axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes given, or those of a new figure, in inches."""
    if ax is not None:
        return ax
    _, made = plt.subplots(figsize=(width, height), layout="constrained")
    return made


def some_axes(panels: Panels, number: int, columns: int, width: float, height: float) -> list[Axes]:
    """The axes given, as many as there are panels, or those of a new figure.

    A new figure has panels of the width and height, in inches.
    """
    if panels is None:
        return _new_panels(number, columns, width, height)
    given = list(panels)
    if len(given) != number:
        raise ValueError(
            f"panels must be {number} axes, one for each part of the picture, got {len(given)}"
        )
    return given


def axes_above_axes(
    given: Panels, number: int, width: float, height: float
) -> list[tuple[Axes, Axes]]:
    """Axes and low ones below them that share their x.

    They lie within those given, or side by side in a new figure.
    """
    if given is not None:
        low = (0, -0.26, 1, 0.21)
        panels = some_axes(given, number, number, 0, 0)
        return [(ax, ax.inset_axes(low, sharex=ax)) for ax in panels]
    figure = plt.figure(figsize=(number * width, height), layout="constrained")
    above, below = figure.subplots(
        2,
        number,
        squeeze=False,
        sharex="col",
        height_ratios=[9, 2],
    )
    return list(zip(above, below, strict=True))


def say(ax: Axes, *, title: str = "", x: str = "", y: str = "") -> None:
    """Title and labels as they are: a name with dollar signs is no formula."""
    ax.set_title(title, loc="left", parse_math=False)
    ax.set_xlabel(x, parse_math=False)
    ax.set_ylabel(y, parse_math=False)


def wrapped(text: str, width: int, *, most: int = 3) -> str:
    """Long words broken into lines, so many at most."""
    lines = fill(text, width).split("\n")
    shown = "\n".join(lines[:most])
    # A name that begins with an underscore would be left out of legends.
    start = " " if text.startswith("_") else ""
    end = "…" if len(lines) > most else ""
    return start + shown + end


def points(error: float) -> str:
    """An error in points: hundredths."""
    return f"{100 * error:.2f} points"


def number(count: float) -> str:
    """A count in words, whole where it is whole."""
    decimals = 0 if count == round(count) else 1
    return f"{count:,.{decimals}f}"


def in_rows(total: float) -> str:
    """How many rows."""
    return f"{number(total)} rows"


def colour_of(place: int) -> str:
    """The colour of one of several things, by its place among them."""
    return COLOURS[place % len(COLOURS)]


def percent_axis(ax: Axes, *which: Literal["x", "y"]) -> None:
    """Show fractions as percent along the axes named."""
    for name in which:
        axis = ax.xaxis if name == "x" else ax.yaxis
        axis.set_major_formatter(PercentFormatter(1, symbol="%"))


def logit_axes(ax: Axes, low: float, high: float) -> tuple[float, float]:
    """Space chances by their log odds along both axes, so that 1% and 99.9% stay readable.

    What is returned are the ends to show.
    """
    first, last = logit(low), logit(high)
    middle = (first + last) / 2
    half = max(_LEAST_SPAN, last - first) / 2
    low = expit(middle - _ROOM * half)
    high = expit(middle + _ROOM * half)
    shown = [low <= tick <= high for tick in _TICKS]
    ticks = np.flatnonzero(shown).tolist()
    ax.set_xscale("function", functions=(_log_odds, expit))
    ax.set_yscale("function", functions=(_log_odds, expit))
    _set_ticks(ax.xaxis, ticks, _few_enough(ticks))
    _set_ticks(ax.yaxis, ticks, ticks)
    return low, high


def diagonal(ax: Axes, low: float = 0.0, high: float = 1.0) -> None:
    """Where claims are right."""
    ends = [low, high]
    dashes = (0, (4, 3))
    ax.plot(ends, ends, color=GREY, lw=1, ls=dashes, zorder=1.5)


def hide_labels(ax: Axes, *, x: bool, y: bool) -> None:
    """Leave the numbers along an axis to a neighbour that has the same."""
    ax.tick_params(labelbottom=not x, labelleft=not y)


def key(ax: Axes, *, outside: bool, loc: Literal["upper left", "lower right", "best"]) -> None:
    """What each mark means: below a figure of our own, where it hides nothing, else within."""
    if outside:
        handles, labels = ax.get_legend_handles_labels()
        ax.figure.legend(handles, labels, loc="outside lower left", ncols=2)
    else:
        ax.legend(loc=loc)


def _new_panels(number: int, columns: int, width: float, height: float) -> list[Axes]:
    rows = -(-number // columns)
    size = (columns * width, rows * height)
    figure = plt.figure(figsize=size, layout="constrained")
    table = figure.subplots(rows, columns, squeeze=False)
    found = table.ravel().tolist()
    for spare in found[number:]:
        spare.remove()
    return found[:number]


def _few_enough(ticks: list[int]) -> list[int]:
    """Ticks that leave room between their labels along x: every so many, one half among them."""
    for step in range(1, _HALF + 1):
        kept = [place for place in ticks if (place - _HALF) % step == 0]
        labels = [_percent(_TICKS[place]) for place in kept]
        if len("".join(labels)) < _MOST_LETTERS:
            break
    return kept


def _set_ticks(axis: Axis, ticks: list[int], labelled: list[int]) -> None:
    major = [_TICKS[place] for place in labelled]
    minor = [_TICKS[place] for place in ticks]
    axis.set_major_locator(FixedLocator(major))
    axis.set_minor_locator(FixedLocator(minor))
    axis.set_major_formatter(FuncFormatter(_percent))


def _percent(p: float, _: float | None = None) -> str:
    digits = f"{100 * p:.9f}".rstrip("0")
    return digits.rstrip(".") + "%"


def _log_odds(p: Array) -> Array:
    return logit(np.clip(p, _LEAST, 1 - _LEAST))
