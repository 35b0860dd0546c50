"""Three classes in a triangle: each corner is certain of one class."""

from collections.abc import Sequence

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
    number,
    points,
    say,
    some_axes,
    styled,
    wrapped,
)

_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
_LOOKS = ((BLUE, "o"), (ORANGE, "s"), (BLACK, "^"))
_GAPS = LinearSegmentedColormap.from_list("gaps", ["#fdf3ec", "#f3b48a", VERMILLION])
# Fewer rows than these tell little of their bin's share of events.
_MANY = 10
_ARROW = {
    "arrowstyle": "-|>,head_width=0.15,head_length=0.3",
    "color": BLACK,
    "lw": 0.8,
    "shrinkA": 0,
    "shrinkB": 0,
}


@styled
def simplex(seen: Simplex, *, panels: Sequence[Axes] | None = None) -> list[Axes]:
    """Draw some of the rows over the bins, and beside them each bin's gap.

    Arrows lead from what is claimed to what happened, in bins of at least ten rows.
    """
    found = some_axes(panels, 2, 2, 4.2, 4.0)
    rows, gaps = found
    triangles = list(seen.corners @ _CORNERS)
    rows.add_collection(PolyCollection(triangles, facecolor="none", edgecolor=PALE, lw=0.8))
    for k, (colour, marker) in enumerate(_LOOKS):
        x, y = (seen.points[seen.labels == k] @ _CORNERS).T
        rows.plot(x, y, ls="none", marker=marker, ms=3.5, color=colour, alpha=0.6, mew=0)
    _shaded(gaps, seen.corners, seen.gap, edge=0.8)
    many = seen.count >= _MANY
    for claim, share in zip(
        seen.mean_claim[many] @ _CORNERS, seen.share[many] @ _CORNERS, strict=True
    ):
        gaps.annotate("", share, claim, arrowprops=_ARROW)
    for ax in found:
        _corners(ax, seen)
    say(rows, title=f"{number(len(seen.points))} of {number(seen.total)} rows, by their class")
    say(gaps, title=f"Canonical error {points(seen.error)}")
    return found


@styled
def surface(seen: Surface, *, ax: Axes | None = None) -> Axes:
    """Draw the gap between claims and what happens about them; where no row is near, nothing."""
    ax = some_axes(None if ax is None else [ax], 1, 1, 4.2, 4.0)[0]
    near = seen.reached >= 1
    _shaded(ax, seen.corners[near], seen.gap[near], edge=0.0)
    _corners(ax, seen)
    say(
        ax,
        title=f"Canonical error {points(seen.error)}\nby kernels of bandwidth {seen.bandwidth:.2g}",
    )
    return ax


def _shaded(ax: Axes, corners: Array, gap: Array, *, edge: float) -> None:
    """Triangles by their gap, and what the shades mean."""
    # Without a line between them, faces would leave hairs: each is drawn over its own edge.
    shades = PolyCollection(
        list(corners @ _CORNERS),
        cmap=_GAPS,
        norm=Normalize(0, max(0.1, gap.max(initial=0))),
        edgecolor="white" if edge else "face",
        lw=edge or 0.2,
    )
    shades.set_array(gap)
    ax.add_collection(shades)
    show = FuncFormatter(lambda gap, _: f"{100 * gap:.0f}")
    bar = ax.figure.colorbar(
        shades, ax=ax, location="bottom", shrink=0.6, aspect=30, pad=0.02, format=show
    )
    bar.set_label("gap, summed over classes, in points")
    bar.outline.set_visible(False)


def _corners(ax: Axes, seen: Simplex | Surface) -> None:
    """The triangle and the names of its corners, each with the marker of its class."""
    ax.plot(*np.vstack([_CORNERS, _CORNERS[:1]]).T, color=GREY, lw=1)
    places = (
        (0.0, -0.06, "left", "top"),
        (1.0, -0.06, "right", "top"),
        (0.5, 0.93, "center", "bottom"),
    )
    for corner, (x, y, ha, va), name, (colour, marker) in zip(
        _CORNERS, places, seen.classes, _LOOKS, strict=True
    ):
        ax.text(x, y, wrapped(name, 22, most=1), ha=ha, va=va, color=BLACK, parse_math=False)
        ax.plot(*corner, marker=marker, color=colour, ms=7, clip_on=False)
    ax.set_xlim(-0.05, 1.05)
    ax.set_ylim(-0.16, 1.05)
    ax.set_aspect("equal")
    ax.set_axis_off()
