"""What reliability diagrams are made of: the frame, the map with its bands and gaps, and the claims below."""

from dataclasses import replace
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ..curves import Curve, Histogram
from ..families.binary.piecewise import Space
from ..inputs.checks import check_argument
from .style import (
    BLUE,
    ORANGE,
    PALE,
    SKY,
    diagonal,
    hide_labels,
    logit_axes,
    number,
    percent_axis,
    points,
    say,
    wrapped,
)

# All chances, and some room so that points at 0 and 1 are drawn whole.
WHOLE = (-0.02, 1.02)


def title_of(curve: Curve) -> str:
    """The error, how it was found, and in how many rows."""
    how = wrapped(f"{curve.family}, {number(curve.total)} rows", 44)
    return f"Calibration error {points(curve.error)}\n{how}"


def level_of(curve: Curve) -> str:
    """The confidence of the bands, as percent."""
    return "" if curve.level is None else f"{100 * curve.level:g}%"


def framed(ax: Axes, curve: Curve, axes: Space) -> Curve:
    """Give both axes one scale, over all chances or, by log odds, over those there are; the curve as seen there."""
    check_argument("axes", axes, Space)
    if axes == "chance":
        percent_axis(ax, "x", "y")
        low, high = 0.0, 1.0
        ends = WHOLE
    else:
        edges = curve.odds_histogram.edges
        # The map may leave the claims' range, but where it nears 0 or 1 it has no end.
        inside = curve.q[(curve.q > 1e-3) & (curve.q < 1 - 1e-3)]
        low, high = inside.min(initial=edges[0]), inside.max(initial=edges[-1])
        ends = logit_axes(ax, low, high)
    diagonal(ax, *ends)
    ax.set_xlim(ends)
    ax.set_ylim(ends)
    hide_labels(ax, x=True, y=False)
    # Points of claims 0 and 1, which have no log odds, are drawn at the frame.
    return curve if is_line(curve) else replace(curve, p=curve.p.clip(low, high))


def is_line(curve: Curve) -> bool:
    """Whether the map is drawn as a line: bins and a single claim are points."""
    return curve.bins is None and len(curve.p) > 1


def draw_map(ax: Axes, curve: Curve) -> None:
    """The map with its bands: a line, or points with bars for the gaps."""
    right, sure = f"{level_of(curve)} if claims were right", f"{level_of(curve)} confidence"
    if is_line(curve):
        if curve.consistency is not None:
            ax.fill_between(curve.p, *curve.consistency, color=PALE, lw=0, label=right)
        if curve.confidence is not None:
            ax.fill_between(curve.p, *curve.confidence, color=SKY, alpha=0.5, lw=0, label=sure)
        ax.plot(curve.p, curve.q, color=BLUE, label="calibrated chance")
        return
    if curve.consistency is not None:
        ax.vlines(curve.p, *curve.consistency, color=PALE, lw=6, label=right)
    # The more claims in a bin, the more there is to see of it.
    much = (curve.count / curve.count.max()) ** 0.5
    ax.vlines(curve.p, curve.p, curve.q, color=ORANGE, lw=2 + 2 * much, label="gap")
    if curve.confidence is not None:
        ax.vlines(curve.p, *curve.confidence, color=BLUE, lw=1, label=sure)
    ax.scatter(
        curve.p,
        curve.q,
        8 + 32 * much,
        color=BLUE,
        zorder=3,
        label="share of events" if curve.bins else "calibrated chance",
    )


def seen_on(curve: Curve, axes: Space) -> Histogram:
    """The histogram whose bars have one width on such axes."""
    return curve.histogram if axes == "chance" else curve.odds_histogram


def draw_claims(below: Axes, seen: Histogram) -> None:
    """How many claims there are, and among them those whose event happened."""
    left, wide = seen.edges[:-1], seen.edges[1:] - seen.edges[:-1]
    below.bar(left, seen.count, wide, align="edge", color=PALE, edgecolor="white", lw=0.4)
    below.bar(left, seen.happened, wide, align="edge", color=BLUE, edgecolor="white", lw=0.4)
    below.yaxis.set_major_locator(MaxNLocator(2, integer=True))
    below.yaxis.set_major_formatter(lambda count, _: number(count))
    say(
        below,
        x=wrapped(f"claimed chance that {seen.event}", 50)
        + "\ndark: it happened; light: it did not",
        y="claims",
    )


def free_corner(curve: Curve, axes: Space) -> Literal["upper left", "lower right"]:
    """The corner that is free where most gaps lie on one side; by log odds, bins without events reach far down."""
    above = curve.histogram.share - curve.histogram.mean_claim > curve.error / 2
    deep = axes == "logit" and curve.bins is not None
    return "lower right" if above and not deep else "upper left"
