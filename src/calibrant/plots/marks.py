"""What reliability diagrams are made of: the frame, the map with its bands, the claims below."""

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
    Look,
    diagonal,
    hide_labels,
    in_rows,
    logit_axes,
    number,
    percent_axis,
    points,
    say,
    wrapped,
)

# All chances, and some room so that points at 0 and 1 are drawn whole.
WHOLE = (-0.02, 1.02)
_BARS: Look = {
    "align": "edge",
    "edgecolor": "white",
    "lw": 0.4,
}
# By log odds a map that nears 0 or 1 has no end: beyond this it does not widen the frame.
_NEAR = 1e-3


def title_of(curve: Curve) -> str:
    """The error, how it was found, and in how many rows."""
    error = f"Calibration error {points(curve.error)}"
    how = f"{curve.family}, {in_rows(curve.total)}"
    return f"{error}\n{wrapped(how, 44)}"


def level_of(curve: Curve) -> str:
    """The confidence of the bands, as percent."""
    if curve.level is None:
        return ""
    return f"{100 * curve.level:g}%"


def framed(ax: Axes, curve: Curve, axes: Space) -> Curve:
    """Give both axes one scale, and the curve as it is seen there.

    They show all chances or, by log odds, those that the claims and the map have.
    """
    check_argument("axes", axes, Space)
    if axes == "chance":
        percent_axis(ax, "x", "y")
        low, high = 0.0, 1.0
        ends = WHOLE
    else:
        low, high = _range(curve)
        ends = logit_axes(ax, low, high)
    diagonal(ax, *ends)
    ax.set_xlim(ends)
    ax.set_ylim(ends)
    hide_labels(ax, x=True, y=False)
    if is_line(curve):
        return curve
    # Points of claims 0 and 1, which have no log odds, are drawn at the frame.
    return replace(curve, p=curve.p.clip(low, high))


def is_line(curve: Curve) -> bool:
    """Whether the map is drawn as a line: bins and a single claim are points."""
    is_binned = curve.bins is not None
    return not is_binned and len(curve.p) > 1


def draw_map(ax: Axes, curve: Curve) -> None:
    """The map with its bands: a line, or points with bars for the gaps."""
    if is_line(curve):
        _draw_line(ax, curve)
    else:
        _draw_points(ax, curve)


def seen_on(curve: Curve, axes: Space) -> Histogram:
    """The histogram whose bars have one width on such axes."""
    return curve.histogram if axes == "chance" else curve.odds_histogram


def draw_claims(below: Axes, seen: Histogram) -> None:
    """How many claims there are, and among them those whose event happened."""
    left = seen.edges[:-1]
    width = seen.edges[1:] - left
    below.bar(left, seen.count, width, color=PALE, **_BARS)
    below.bar(left, seen.happened, width, color=BLUE, **_BARS)
    below.yaxis.set_major_locator(MaxNLocator(2, integer=True))
    below.yaxis.set_major_formatter(_count)
    event = wrapped(f"claimed chance that {seen.event}", 50)
    say(below, x=f"{event}\ndark: it happened; light: it did not", y="claims")


def free_corner(curve: Curve, axes: Space) -> Literal["upper left", "lower right"]:
    """The corner that is free where most gaps lie on one side."""
    # By log odds, bins without events reach far down.
    if axes == "logit" and curve.bins is not None:
        return "upper left"
    seen = curve.histogram
    rise = seen.share - seen.mean_claim
    return "lower right" if rise > curve.error / 2 else "upper left"


def _range(curve: Curve) -> tuple[float, float]:
    """From the least to the largest chance, of the claims or of the map, to show by log odds."""
    first, last = curve.odds_histogram.edges[[0, -1]]
    q = curve.q
    inside = q[(q > _NEAR) & (q < 1 - _NEAR)]
    low = inside.min(initial=first)
    high = inside.max(initial=last)
    return low, high


def _count(count: float, _: float) -> str:
    return number(count)


def _names_of_bands(curve: Curve) -> tuple[str, str]:
    level = level_of(curve)
    return f"{level} if claims were right", f"{level} confidence"


def _draw_line(ax: Axes, curve: Curve) -> None:
    p = curve.p
    right, sure = _names_of_bands(curve)
    if curve.consistency is not None:
        ax.fill_between(p, *curve.consistency, color=PALE, lw=0, label=right)
    if curve.confidence is not None:
        ax.fill_between(p, *curve.confidence, color=SKY, alpha=0.5, lw=0, label=sure)
    ax.plot(p, curve.q, color=BLUE, label="calibrated chance")


def _draw_points(ax: Axes, curve: Curve) -> None:
    p, q = curve.p, curve.q
    right, sure = _names_of_bands(curve)
    if curve.consistency is not None:
        ax.vlines(p, *curve.consistency, color=PALE, lw=6, label=right)
    # The more claims in a bin, the more there is to see of it.
    much = (curve.count / curve.count.max()) ** 0.5
    width = 2 + 2 * much
    ax.vlines(p, p, q, color=ORANGE, lw=width, label="gap")
    if curve.confidence is not None:
        ax.vlines(p, *curve.confidence, color=BLUE, lw=1, label=sure)
    size = 8 + 32 * much
    label = "calibrated chance" if curve.bins is None else "share of events"
    ax.scatter(p, q, size, color=BLUE, zorder=3, label=label)
