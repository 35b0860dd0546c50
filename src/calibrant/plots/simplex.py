"""Three classes in a simplex: each corner is certain of one class."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.ticker import FuncFormatter

from ..curves import Simplex, Surface
from ..fitting.types import Array
from .style import (
    BLACK,
    BLUE,
    GREY,
    ORANGE,
    PALE,
    VERMILLION,
    Look,
    Panels,
    in_rows,
    number,
    one_axes,
    points,
    say,
    some_axes,
    styled,
    wrapped,
)

# Where the corners are drawn, where their names are written, and the marks of their classes.
_HEIGHT = np.sqrt(3) / 2
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, _HEIGHT]])
_NAMES: tuple[Look, ...] = (
    {"x": 0.0, "y": -0.06, "ha": "left", "va": "top"},
    {"x": 1.0, "y": -0.06, "ha": "right", "va": "top"},
    {"x": 0.5, "y": 0.93, "ha": "center", "va": "bottom"},
)
_MARKS: tuple[Look, ...] = (
    {"color": BLUE, "marker": "o"},
    {"color": ORANGE, "marker": "s"},
    {"color": BLACK, "marker": "^"},
)
_GAPS = LinearSegmentedColormap.from_list("gaps", ["#fdf3ec", "#f3b48a", VERMILLION])
# Fewer rows than these tell little of their bin's share of events.
_MANY = 10
_COLOUR_BAR: Look = {
    "location": "bottom",
    "shrink": 0.6,
    "aspect": 30,
    "pad": 0.02,
}
_ARROW = {
    "arrowstyle": "-|>,head_width=0.15,head_length=0.3",
    "color": BLACK,
    "lw": 0.8,
    "shrinkA": 0,
    "shrinkB": 0,
}


@styled
def simplex(seen: Simplex, *, panels: Panels = None) -> list[Axes]:
    """Draw some of the rows over the bins, and beside them each bin's gap.

    Arrows lead from what is claimed to what happened, in bins of at least ten rows.
    """
    both = some_axes(panels, 2, 2, 4.2, 4.0)
    rows, gaps = both
    _draw_rows(rows, seen)
    _draw_gaps(gaps, seen.corners, seen.gap, edge=0.8)
    _draw_arrows(gaps, seen)
    for ax in both:
        _draw_corners(ax, seen.classes)
    shown = number(len(seen.points))
    say(rows, title=f"{shown} of {in_rows(seen.total)}, by their class")
    say(gaps, title=_titled(seen))
    return both


@styled
def surface(seen: Surface, *, ax: Axes | None = None) -> Axes:
    """Draw the gap between claims and what happens about them; where no row is near, nothing."""
    ax = one_axes(ax, 4.2, 4.0)
    near = seen.reached >= 1
    _draw_gaps(ax, seen.corners[near], seen.gap[near], edge=0.0)
    _draw_corners(ax, seen.classes)
    how = f"by kernels of bandwidth {seen.bandwidth:.2g}"
    say(ax, title=f"{_titled(seen)}\n{how}")
    return ax


def _titled(seen: Simplex | Surface) -> str:
    """The error, and beside it what random variation alone would show."""
    error = f"Canonical error {points(seen.error)}"
    return f"{error}\nright claims would show {points(seen.level)}"


def _draw_rows(ax: Axes, seen: Simplex) -> None:
    """Some of the rows, by their class, over the bins."""
    bins = list(seen.corners @ _CORNERS)
    ax.add_collection(PolyCollection(bins, facecolor="none", edgecolor=PALE, lw=0.8))
    for k, mark in enumerate(_MARKS):
        of_class = seen.points[seen.labels == k]
        x, y = (of_class @ _CORNERS).T
        ax.plot(x, y, ls="none", ms=3.5, alpha=0.6, mew=0, **mark)


def _draw_arrows(ax: Axes, seen: Simplex) -> None:
    """From the mean claim of a bin to what happened there."""
    many = seen.count >= _MANY
    starts = seen.mean_claim[many] @ _CORNERS
    ends = seen.share[many] @ _CORNERS
    for start, end in zip(starts, ends, strict=True):
        ax.annotate("", end, start, arrowprops=_ARROW)


def _draw_gaps(ax: Axes, corners: Array, gap: Array, *, edge: float) -> None:
    """Triangles shaded by their gap, and what the shades mean."""
    largest = max(0.1, gap.max(initial=0))
    shades = PolyCollection(
        list(corners @ _CORNERS),
        cmap=_GAPS,
        norm=Normalize(0, largest),
        # Without a line between them, faces would leave hairs: each is drawn over its own edge.
        edgecolor="white" if edge else "face",
        lw=edge or 0.2,
    )
    shades.set_array(gap)
    ax.add_collection(shades)
    in_points = FuncFormatter(_in_points)
    bar = ax.figure.colorbar(shades, ax=ax, format=in_points, **_COLOUR_BAR)
    bar.set_label("gap, summed over classes, in points")
    bar.outline.set_visible(False)


def _in_points(gap: float, _: float) -> str:
    return f"{100 * gap:.0f}"


def _draw_corners(ax: Axes, classes: tuple[str, str, str]) -> None:
    """The outline and the names of its corners, each with the marker of its class."""
    outline = np.vstack([_CORNERS, _CORNERS[:1]])
    ax.plot(*outline.T, color=GREY, lw=1)
    for corner, place, mark, name in zip(_CORNERS, _NAMES, _MARKS, classes, strict=True):
        text = wrapped(name, 22, most=1)
        ax.text(s=text, color=BLACK, parse_math=False, **place)
        ax.plot(*corner, ms=7, clip_on=False, **mark)
    ax.set_xlim(-0.05, 1.05)
    ax.set_ylim(-0.16, 1.05)
    ax.set_aspect("equal")
    ax.set_axis_off()
