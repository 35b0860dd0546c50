"""Reliability diagrams: claimed against calibrated chance, with bands, gaps and a histogram of the claims."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from ..curves import Blurred, Classwise, Curve
from ..families.binary.piecewise import Space
from .marks import WHOLE, draw_claims, draw_map, framed, free_corner, level_of, seen_on, title_of
from .style import (
    BLACK,
    BLUE,
    COLOURS,
    DASHES,
    GREY,
    PALE,
    PALE_BLUE,
    PALE_VERMILLION,
    axes_above_axes,
    diagonal,
    hide_labels,
    key,
    number,
    percent_axis,
    points,
    say,
    some_axes,
    styled,
    wrapped,
)

HAPPENS = "how often it happens"


@styled
def reliability(curve: Curve, *, ax: Axes | None = None, axes: Space = "chance") -> Axes:
    """Draw a calibration map over its claims; below it, how many there are and whose event happened.

    Bins are points at their mean claims, with a bar for each gap; other families are lines. With `axes` "logit"
    chances are spaced by their log odds.
    """
    own = ax is None
    ((ax, below),) = axes_above_axes(None if ax is None else [ax], 1, 4.6, 6.0)
    draw_map(ax, framed(ax, curve, axes))
    say(ax, title=title_of(curve), y=HAPPENS)
    draw_claims(below, seen_on(curve, axes))
    key(ax, outside=own, loc=free_corner(curve, axes))
    return ax


@styled
def tilted_roof(curve: Curve, *, ax: Axes | None = None) -> Axes:
    """Draw bins whose tops rise with the claim: wherever one looks, the way from the diagonal is the bin's gap."""
    if curve.bins is None or curve.bins.slope != 1:
        raise ValueError(
            f"a tilted roof is drawn of curves.tilted_roof(...), got a curve of {curve.family}"
        )
    own = ax is None
    ((ax, below),) = axes_above_axes(None if ax is None else [ax], 1, 4.6, 6.0)
    framed(ax, curve, "chance")
    for low, high, lift in zip(curve.bins.low, curve.bins.high, curve.q - curve.p, strict=True):
        ends, tops = [low, high], [low + lift, high + lift]
        ax.fill_between(ends, tops, color=PALE_BLUE, lw=0.5)
        gap = ax.fill_between(ends, ends, tops, color=PALE_VERMILLION, lw=0.5)
        (roof,) = ax.plot(ends, tops, color=BLUE, solid_capstyle="butt")
    gap.set_label("gap")
    roof.set_label("calibrated chance")
    if curve.confidence is not None:
        ax.vlines(
            curve.p, *curve.confidence, color=BLACK, lw=1, label=f"{level_of(curve)} confidence"
        )
    say(ax, title=title_of(curve), y=HAPPENS)
    draw_claims(below, curve.histogram)
    key(ax, outside=own, loc=free_corner(curve, "chance"))
    return ax


@styled
def maps(curves: Mapping[str, Curve], *, ax: Axes | None = None, axes: Space = "chance") -> Axes:
    """Draw the maps of several families over the same claims; dots are what happened, bar by bar."""
    if not curves:
        raise ValueError(
            "there is no curve to draw: give at least one by name, as curves.maps does"
        )
    own = ax is None
    ((ax, below),) = axes_above_axes(None if ax is None else [ax], 1, 4.6, 6.0)
    first = next(iter(curves.values()))
    framed(ax, first, axes)
    seen = seen_on(first, axes)
    ax.plot(
        seen.mean_p,
        seen.mean_y,
        ls="none",
        marker="o",
        ms=4,
        color=PALE,
        mec=GREY,
        mew=0.6,
        label="share of events",
    )
    for place, (name, curve) in enumerate(curves.items()):
        look = {
            "color": COLOURS[place % len(COLOURS)],
            "ls": DASHES[place % len(DASHES)],
            "lw": 1.6,
        }
        label = f"{points(curve.error)}: {wrapped(name, 34)}"
        if curve.bins is None:
            ax.plot(curve.p, curve.q, **look, label=label)
            continue
        for k, (low, high, p, q) in enumerate(
            zip(curve.bins.low, curve.bins.high, curve.p, curve.q, strict=True)
        ):
            rise = curve.bins.slope
            tops = [q + rise * (low - p), q + rise * (high - p)]
            ax.plot([low, high], tops, **look, label=None if k else label)
    say(ax, title=f"Calibration maps, {number(first.total)} rows", y=HAPPENS)
    draw_claims(below, seen)
    key(ax, outside=own, loc="best")
    return ax


@styled
def smece(blurred: Blurred, *, ax: Axes | None = None) -> Axes:
    """Draw the share of events near each claim, the thicker the more claims there are."""
    own = ax is None
    ((ax, below),) = axes_above_axes(None if ax is None else [ax], 1, 4.6, 6.0)
    percent_axis(ax, "x", "y")
    diagonal(ax, *WHOLE)
    ends = np.stack([blurred.p, blurred.q], axis=1)
    much = (blurred.density / blurred.density.max()) ** 0.5
    pieces = np.stack([ends[:-1], ends[1:]], axis=1)
    ax.add_collection(
        LineCollection(list(pieces), linewidths=0.8 + 5 * much[1:], color=BLUE, capstyle="round")
    )
    ax.plot([], [], color=BLUE, label=f"share of events, kernel of {points(blurred.width)}")
    ax.set(xlim=WHOLE, ylim=WHOLE)
    say(ax, title=f"Smooth ECE {points(blurred.error)}\n{number(blurred.total)} rows", y=HAPPENS)
    hide_labels(ax, x=True, y=False)
    draw_claims(below, blurred.histogram)
    key(ax, outside=own, loc="upper left")
    return ax


@styled
def before_after(
    curves: Mapping[str, Curve], *, panels: Sequence[Axes] | None = None, axes: Space = "chance"
) -> list[Axes]:
    """Draw several reliability diagrams side by side."""
    found = axes_above_axes(panels, len(curves), 3.3, 4.7)
    for place, ((ax, below), (name, curve)) in enumerate(zip(found, curves.items(), strict=True)):
        draw_map(ax, framed(ax, curve, axes))
        say(
            ax,
            title=f"{wrapped(name, 30)}\nerror {points(curve.error)}",
            y="" if place else HAPPENS,
        )
        draw_claims(below, seen_on(curve, axes))
        if place:
            say(below, x="claimed chance")
        else:
            key(ax, outside=panels is None, loc=free_corner(curve, axes))
    return [ax for ax, _ in found]


@styled
def classwise(classes: Classwise, *, panels: Sequence[Axes] | None = None) -> list[Axes]:
    """Draw a small diagram of each class, the worst first; a new figure's title says of how many classes they are."""
    shown = len(classes.curves)
    columns = min(4, shown)
    # A title needs some width, and beside one row of panels its own height counts.
    found = some_axes(
        panels, shown, columns, max(2.1, 4.4 / columns), 2.3 if shown > columns else 2.8
    )
    for place, (ax, name, curve) in enumerate(
        zip(found, classes.names, classes.curves, strict=True)
    ):
        draw_map(ax, framed(ax, curve, "chance"))
        hide_labels(ax, x=False, y=False)
        ax.set_xticks([0, 0.5, 1])
        ax.set_yticks([0, 0.5, 1])
        say(ax, title=f"{wrapped(name, 18, most=2)}\nerror {points(curve.error)}")
        if panels is None:
            hide_labels(ax, x=place + columns < shown, y=place % columns > 0)
    if panels is None:
        which = (
            f"all {classes.k} classes"
            if shown == classes.k
            else f"the {shown} worst of {classes.k:,} classes"
        )
        figure = found[0].figure
        figure.suptitle(
            f"Mean calibration error {points(classes.error)}; {which}", x=0.01, ha="left"
        )
        figure.supxlabel("claimed chance of the class", fontsize=9)
        figure.supylabel(HAPPENS, fontsize=9)
    return found
