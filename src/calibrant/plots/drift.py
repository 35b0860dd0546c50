"""The running sum of outcome less claim, beside what right claims would show."""

import numpy as np
from matplotlib.axes import Axes

from ..curves import Drift
from ..curves import drift as drift_curve
from ..inference.located import Located
from ..inputs.predictions import Predictions
from ..inputs.views import Data, View
from .style import (
    BLUE,
    GREY,
    PALE,
    PALE_VERMILLION,
    in_rows,
    one_axes,
    percent_axis,
    points,
    say,
    styled,
    wrapped,
)


@styled
def drift(found: Drift | Data, *, ax: Axes | None = None) -> Axes:
    """Draw the running sum of outcome less claim, what right claims stay within, and the worst.

    It falls where claims are too high and rises where they are too low. Ticks above are claims.
    """
    if isinstance(found, Predictions | View):
        found = drift_curve(found)
    is_new = ax is None
    ax = one_axes(ax, 6.2, 3.8)
    ax.axhspan(-found.limit, found.limit, color=PALE, lw=0, label="right claims, 19 times in 20")
    ends = found.fractile[[found.start, found.stop]]
    ax.axvspan(*ends, color=PALE_VERMILLION, alpha=0.5, lw=0, label=_worst(found.worst))
    ax.axhline(0, color=GREY, lw=1, ls=(0, (4, 2)))
    ax.plot(found.fractile, found.sums, color=BLUE, label="outcomes less claims, summed")
    _label_claims(ax, found)
    percent_axis(ax, "x")
    ax.yaxis.set_major_formatter(_in_points)
    ax.set_xlim(0, 1)
    gap = points(found.worst.gap)
    title = f"Furthest off by {gap}, {in_rows(found.total)}"
    rows = "share of rows, least sure first"
    say(ax, title=title, x=rows, y="sum over rows / all rows, points")
    # One below the other, as the words of the worst interval are many.
    if is_new:
        ax.figure.legend(loc="outside lower left")
    else:
        ax.legend(loc="best")
    return ax


def _worst(found: Located) -> str:
    """The worst interval in words."""
    where = f"claims of {100 * found.low:.1f}% to {100 * found.high:.1f}%"
    claimed = f"claimed {100 * found.claimed:.1f}%"
    happened = f"happened {100 * found.observed:.1f}%"
    p_value = "p < 0.001" if found.p_value < 0.001 else f"p = {found.p_value:.2g}"
    return f"{where}: {claimed}, {happened} ({p_value})"


def _label_claims(ax: Axes, found: Drift) -> None:
    """Along the top, the claims at some shares of rows."""
    shares = np.linspace(0, 1, 6)
    claims = np.interp(shares, found.fractile, found.p)
    above = ax.secondary_xaxis("top")
    above.set_xticks(shares, [f"{100 * claim:.3g}%" for claim in claims])
    event = wrapped(f"claimed chance that {found.event}", 60)
    above.set_xlabel(event, parse_math=False)


def _in_points(error: float, _: float) -> str:
    return f"{100 * error:g}"
