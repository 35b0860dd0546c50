"""Reliability diagrams: claimed against calibrated chance, with bands, gaps and a histogram."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from ..curves import BinRanges, Classwise, Curve, Histogram, SmoothECE
from ..curves import classwise as curves_of_classes
from ..curves import reliability as reliability_curve
from ..curves import smece as smece_curve
from ..curves import tilted_roof as roof_curve
from ..families.binary.piecewise import Space
from ..fitting.types import Array
from ..inputs.predictions import Predictions
from ..inputs.views import Data, View
from .marks import WHOLE, draw_claims, draw_map, framed, free_corner, level_of, seen_on, title_of
from .style import (
    BLACK,
    BLUE,
    DASHES,
    GREY,
    PALE,
    PALE_BLUE,
    PALE_VERMILLION,
    Look,
    Panels,
    axes_above_axes,
    colour_of,
    diagonal,
    hide_labels,
    in_rows,
    key,
    percent_axis,
    points,
    say,
    some_axes,
    styled,
    wrapped,
)

HAPPENS = "how often it happens"
_DOTS: Look = {
    "ls": "none",
    "marker": "o",
    "ms": 4,
    "color": PALE,
    "mec": GREY,
    "mew": 0.6,
}


@styled
def reliability(curve: Curve | Data, *, ax: Axes | None = None, axes: Space = "chance") -> Axes:
    """Draw a calibration map over its claims; below it, how many there are and which came true.

    Bins are points at their mean claims, with a bar for each gap; other families are lines. With
    `axes` "logit" chances are spaced by their log odds. Of predictions or a view it is the curve of
    `curves.reliability`, as it is usually made; so with the other pictures of one model.
    """
    if isinstance(curve, Predictions | View):
        curve = reliability_curve(curve)
    above, below = _map_and_claims(ax)
    draw_map(above, framed(above, curve, axes))
    say(above, title=title_of(curve), y=HAPPENS)
    draw_claims(below, seen_on(curve, axes))
    key(above, outside=ax is None, loc=free_corner(curve, axes))
    return above


@styled
def tilted_roof(curve: Curve | Data, *, ax: Axes | None = None) -> Axes:
    """Draw bins whose tops rise with the claim.

    Wherever one looks, the way from the diagonal is the bin's gap.
    """
    if isinstance(curve, Predictions | View):
        curve = roof_curve(curve)
    if curve.bins is None or curve.bins.slope != 1:
        raise ValueError(
            f"a tilted roof is drawn of curves.tilted_roof(...), got a curve of {curve.family}"
        )
    above, below = _map_and_claims(ax)
    framed(above, curve, "chance")
    _draw_roof(above, curve.bins, curve.q - curve.p)
    if curve.confidence is not None:
        sure = f"{level_of(curve)} confidence"
        above.vlines(curve.p, *curve.confidence, color=BLACK, lw=1, label=sure)
    say(above, title=title_of(curve), y=HAPPENS)
    draw_claims(below, curve.histogram)
    key(above, outside=ax is None, loc=free_corner(curve, "chance"))
    return above


@styled
def maps(curves: Mapping[str, Curve], *, ax: Axes | None = None, axes: Space = "chance") -> Axes:
    """Draw the maps of several families over the same claims; dots are what happened."""
    if not curves:
        raise ValueError(
            "there is no curve to draw: give at least one by name, as curves.maps does"
        )
    above, below = _map_and_claims(ax)
    first = next(iter(curves.values()))
    framed(above, first, axes)
    seen = seen_on(first, axes)
    _draw_shares(above, seen)
    for place, (name, curve) in enumerate(curves.items()):
        label = f"{points(curve.error)}: {wrapped(name, 34)}"
        _draw_line(above, curve, label, _look(place))
    say(above, title=f"Calibration maps, {in_rows(first.total)}", y=HAPPENS)
    draw_claims(below, seen)
    key(above, outside=ax is None, loc="best")
    return above


@styled
def smece(found: SmoothECE | Data, *, ax: Axes | None = None) -> Axes:
    """Draw the share of events near each claim, the thicker the more claims there are."""
    if isinstance(found, Predictions | View):
        found = smece_curve(found)
    above, below = _map_and_claims(ax)
    percent_axis(above, "x", "y")
    diagonal(above, *WHOLE)
    _draw_by_density(above, found)
    kernel = f"share of events, kernel of {points(found.width)}"
    above.plot([], [], color=BLUE, label=kernel)
    above.set(xlim=WHOLE, ylim=WHOLE)
    error = f"Smooth ECE {points(found.error)}"
    rows = in_rows(found.total)
    say(above, title=f"{error}\n{rows}", y=HAPPENS)
    hide_labels(above, x=True, y=False)
    draw_claims(below, found.histogram)
    key(above, outside=ax is None, loc="upper left")
    return above


@styled
def before_after(
    curves: Mapping[str, Curve], *, panels: Panels = None, axes: Space = "chance"
) -> list[Axes]:
    """Draw several reliability diagrams side by side."""
    pairs = axes_above_axes(panels, len(curves), 3.3, 4.7)
    first = next(iter(curves), None)
    for (above, below), (name, curve) in zip(pairs, curves.items(), strict=True):
        is_first = name == first
        draw_map(above, framed(above, curve, axes))
        title = _name_and_error(wrapped(name, 30), curve)
        say(above, title=title, y=HAPPENS if is_first else "")
        draw_claims(below, seen_on(curve, axes))
        if is_first:
            key(above, outside=panels is None, loc=free_corner(curve, axes))
        else:
            say(below, x="claimed chance")
    return [above for above, _ in pairs]


@styled
def classwise(classes: Classwise | Predictions, *, panels: Panels = None) -> list[Axes]:
    """Draw a small diagram of each class, the worst first.

    A new figure's title says of how many classes they are.
    """
    if isinstance(classes, Predictions):
        classes = curves_of_classes(classes)
    shown = len(classes.curves)
    columns = min(4, shown)
    # A title needs some width, and beside one row of panels its own height counts.
    width = max(2.1, 4.4 / columns)
    height = 2.3 if shown > columns else 2.8
    found = some_axes(panels, shown, columns, width, height)
    for ax, name, curve in zip(found, classes.names, classes.curves, strict=True):
        _draw_panel(ax, name, curve)
    if panels is None:
        for place, ax in enumerate(found):
            has_below = place + columns < shown
            has_left = place % columns > 0
            hide_labels(ax, x=has_below, y=has_left)
        _say_around(found[0].figure, classes)
    return found


def _map_and_claims(ax: Axes | None) -> tuple[Axes, Axes]:
    """Axes for a map, and below them those for its claims."""
    given = None if ax is None else [ax]
    return axes_above_axes(given, 1, 4.6, 6.0)[0]


def _draw_roof(ax: Axes, bins: BinRanges, lifts: Array) -> None:
    for ends, lift in zip(bins.ends, lifts, strict=True):
        tops = ends + lift
        ax.fill_between(ends, tops, color=PALE_BLUE, lw=0.5)
        gap = ax.fill_between(ends, ends, tops, color=PALE_VERMILLION, lw=0.5)
        (roof,) = ax.plot(ends, tops, color=BLUE, solid_capstyle="butt")
    gap.set_label("gap")
    roof.set_label("calibrated chance")


def _draw_shares(ax: Axes, seen: Histogram) -> None:
    """What happened, bar by bar."""
    ax.plot(seen.mean_p, seen.mean_y, **_DOTS, label="share of events")


def _look(place: int) -> Look:
    return {
        "color": colour_of(place),
        "ls": DASHES[place % len(DASHES)],
        "lw": 1.6,
    }


def _draw_line(ax: Axes, curve: Curve, label: str, look: Look) -> None:
    """The map as a line, or a piece for each bin."""
    bins = curve.bins
    if bins is None:
        ax.plot(curve.p, curve.q, **look, label=label)
        return
    pieces = []
    for ends, p, q in zip(bins.ends, curve.p, curve.q, strict=True):
        tops = q + bins.slope * (ends - p)
        pieces += ax.plot(ends, tops, **look)
    pieces[0].set_label(label)


def _draw_by_density(ax: Axes, found: SmoothECE) -> None:
    """The share of events as a line, the thicker the more claims there are."""
    ends = np.stack([found.p, found.q], axis=1)
    pieces = np.stack([ends[:-1], ends[1:]], axis=1)
    density = found.density[1:] / found.density.max()
    widths = 0.8 + 5 * density**0.5
    line = LineCollection(list(pieces), linewidths=widths, color=BLUE, capstyle="round")
    ax.add_collection(line)


def _draw_panel(ax: Axes, name: str, curve: Curve) -> None:
    draw_map(ax, framed(ax, curve, "chance"))
    hide_labels(ax, x=False, y=False)
    ax.set_xticks([0, 0.5, 1])
    ax.set_yticks([0, 0.5, 1])
    say(ax, title=_name_and_error(wrapped(name, 18, most=2), curve))


def _name_and_error(name: str, curve: Curve) -> str:
    return f"{name}\nerror {points(curve.error)}"


def _say_around(figure: Any, classes: Classwise) -> None:  # noqa: ANN401 - matplotlib has two kinds
    shown = len(classes.curves)
    which = f"the {shown} worst of {classes.k:,} classes"
    if shown == classes.k:
        which = f"all {shown} classes"
    error = f"Mean calibration error {points(classes.error)}"
    figure.suptitle(f"{error}; {which}", x=0.01, ha="left")
    figure.supxlabel("claimed chance of the class", fontsize=9)
    figure.supylabel(HAPPENS, fontsize=9)
