"""What claims are worth from epoch to epoch."""

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ..curves import Training
from ..curves import training as training_of
from ..training.history import History
from .style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PALE_VERMILLION,
    VERMILLION,
    Panels,
    percent_axis,
    say,
    some_axes,
    styled,
)

_DASHED = (0, (4, 2))
_DOTTED = (0, (1, 1.5))


@styled
def training(found: Training | History, *, panels: Panels = None) -> list[Axes]:
    """Draw by epoch NLL before and after temperature, error, ECE and KS, temperature and entropy.

    A line marks the epoch of least NLL after temperature, dots the one of least NLL as claimed,
    and pale bars the epochs without numbers.
    """
    if isinstance(found, History):
        found = training_of(found)
    four = some_axes(panels, 4, 2, 3.6, 2.7)
    losses, errors, gaps, spread = four
    epoch = found.epoch
    marker = "o" if len(epoch) == 1 else None
    losses.plot(epoch, found.nll, color=BLUE, marker=marker, label="as claimed")
    losses.plot(epoch, found.tempered_nll, color=ORANGE, marker=marker, label="after temperature")
    errors.plot(epoch, found.error, color=BLUE, marker=marker)
    gaps.plot(epoch, found.ece, color=BLUE, marker=marker, label="ECE, 15 bins")
    gaps.plot(epoch, found.ks, color=ORANGE, ls=_DASHED, marker=marker, label="KS")
    spread.plot(epoch, found.temperature, color=BLUE, marker=marker, label="best temperature")
    spread.plot(epoch, found.entropy, color=GREEN, ls=_DASHED, marker=marker, label="entropy, nats")
    for ax in four:
        marks = _mark_epochs(ax, found)
    errors.legend(marks, ["least NLL after temperature", "least NLL as claimed"], loc="best")
    turn = "overfits since" if found.overfits else "lowest after"
    say(losses, title=f"NLL {turn} epoch {found.lowest.epoch}", y="NLL, nats")
    say(errors, title=f"Best after temperature: epoch {found.best.epoch}", y="error")
    say(gaps, x="epoch", y="calibration error")
    say(spread, x="epoch")
    percent_axis(errors, "y")
    percent_axis(gaps, "y")
    for ax in (losses, gaps, spread):
        ax.legend(loc="best")
    return four


def _mark_epochs(ax: Axes, found: Training) -> list[Line2D]:
    ax.set_ylim(0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    for epoch in found.faults:
        ax.axvspan(epoch - 0.5, epoch + 0.5, color=PALE_VERMILLION, lw=0)
    best = ax.axvline(found.best.epoch, color=GREY, lw=1)
    lowest = ax.axvline(found.lowest.epoch, color=VERMILLION, lw=1.4, ls=_DOTTED)
    return [best, lowest]
