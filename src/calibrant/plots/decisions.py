"""What decisions come to at every threshold."""

from matplotlib.axes import Axes

from ..curves import Murphy, NetBenefit, RiskCoverage
from ..curves import murphy as murphy_of
from ..curves import net_benefit as net_benefit_of
from ..curves import risk_coverage as risk_coverage_of
from ..inputs.predictions import Predictions
from ..inputs.views import Data, View
from .style import (
    BLACK,
    BLUE,
    GREY,
    SKY,
    VERMILLION,
    in_rows,
    one_axes,
    percent_axis,
    say,
    styled,
    wrapped,
)

_DASHED = (0, (4, 2))


@styled
def net_benefit(found: NetBenefit | Data, *, ax: Axes | None = None) -> Axes:
    """Draw net benefit by threshold, beside saying yes always and never."""
    if isinstance(found, Predictions | View):
        found = net_benefit_of(found)
    ax = one_axes(ax, 4.8, 3.4)
    t = found.thresholds
    ax.plot(t, found.claims, color=BLUE, label="by the claims")
    ax.plot(t, found.always, color=VERMILLION, ls=_DASHED, lw=1.2, label="yes to all")
    ax.plot(t, found.never, color=BLACK, lw=1, label="no to all")
    most = max(found.claims.max(), 0.01)
    ax.set_ylim(-0.15 * most, 1.1 * most)
    ax.set_xlim(0, 1)
    percent_axis(ax, "x")
    event = wrapped(f"chance from which on yes: {found.event}", 56)
    say(ax, title=f"Net benefit, {in_rows(found.total)}", x=event, y="net benefit, share of rows")
    ax.legend(loc="best")
    return ax


@styled
def murphy(found: Murphy | Data, *, ax: Axes | None = None) -> Axes:
    """Draw what mistakes cost by threshold, as claimed and calibrated."""
    if isinstance(found, Predictions | View):
        found = murphy_of(found)
    ax = one_axes(ax, 4.8, 3.4)
    t = found.thresholds
    ax.fill_between(t, found.calibrated, found.claims, color=SKY, alpha=0.3, lw=0)
    ax.plot(t, found.claims, color=BLUE, label="as claimed")
    ax.plot(t, found.calibrated, color=GREY, ls=_DASHED, label="calibrated")
    ax.set_xlim(0, 1)
    ax.set_ylim(0)
    percent_axis(ax, "x")
    event = wrapped(f"chance from which on yes: {found.event}", 56)
    title = f"Brier score {found.brier:.4f}, {in_rows(found.total)}"
    say(ax, title=title, x=event, y="mean elementary score")
    ax.legend(loc="best")
    return ax


@styled
def risk_coverage(found: RiskCoverage | Data, *, ax: Axes | None = None) -> Axes:
    """Draw the share wrong among the rows kept, the surest first."""
    if isinstance(found, Predictions | View):
        found = risk_coverage_of(found)
    ax = one_axes(ax, 4.8, 3.4)
    ax.plot(found.coverage, found.risk, color=BLUE, drawstyle="steps-post")
    ax.set_xlim(0, 1)
    ax.set_ylim(0)
    percent_axis(ax, "x", "y")
    title = f"AURC {100 * found.aurc:.2f} points, {in_rows(found.total)}"
    say(ax, title=title, x="share of rows kept, the surest first", y="of these, wrong")
    return ax
