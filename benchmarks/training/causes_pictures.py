"""Pictures of causes: error and ECE by what is varied, and curves by epoch (Guo et al. 2017, fig. 2, 3, S1)."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from calibrant.plots.style import BLUE, GREEN, GREY, ORANGE, PALE, STYLE, VERMILLION, say

from .records import Record
from .tables import Value, last, measure, over_seeds

Runs = dict[int, Record]
DASHED = (0, (4, 2))


def causes(found: dict[str, dict[str, Runs]], path: Path) -> None:
    """A panel a cause: test error and ECE, with intervals over seeds."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 2.9), layout="constrained")
        panels = figure.subplots(1, len(found), squeeze=False)[0]
        for ax, (title, steps) in zip(panels, found.items(), strict=True):
            _bars(ax, steps, last("test_error"), BLUE, "error")
            _bars(ax, steps, measure("test", "ece"), ORANGE, "ECE")
            _bars(ax, steps, measure("test_after", "ece"), GREY, "ECE after temperature")
            ax.set_xticks(range(len(steps)), [name.replace(", ", "\n") for name in steps])
            ax.set_ylim(0)
            say(ax, title=title, y="%" if ax.get_subplotspec().is_first_col() else "")
        handles, labels = ax.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        figure.savefig(path, dpi=220)


def _bars(ax: Axes, steps: dict[str, Runs], value: Value, colour: str, label: str) -> None:
    found = [over_seeds(runs, value) for runs in steps.values()]
    middle = np.array([each.estimate for each in found])
    half = np.nan_to_num([each.high - each.estimate for each in found])
    ax.errorbar(
        range(len(found)),
        100 * middle,
        100 * half,
        color=colour,
        marker="o",
        ms=4,
        capsize=3,
        label=label,
    )


def overfitting(runs: Runs, path: Path) -> None:
    """Test error and NLL by epoch; a pale field lies between the least of either (fig. 3)."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        ax = figure.subplots()
        other = ax.twinx()
        other.spines["right"].set_visible(True)
        error, nll = 100 * _mean(runs, "test_error"), _mean(runs, "test_nll")
        epochs = np.arange(1, len(nll) + 1)
        ends = sorted((int(nll.argmin()) + 1, int(error.argmin()) + 1))
        ax.axvspan(*ends, color=PALE, lw=0)
        ax.plot(epochs, error, color=BLUE, label="test error")
        other.plot(epochs, nll, color=VERMILLION, ls=DASHED, label="test NLL")
        other.plot(epochs, _mean(runs, "test_nll_after"), color=GREY, label="test NLL after T")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        say(ax, title="Between the least NLL and the least error", x="epoch", y="error, %")
        say(other, y="NLL, nats")
        lines = [*ax.lines, *other.lines]
        ax.legend(lines, [str(line.get_label()) for line in lines], loc="upper right")
        figure.savefig(path, dpi=220)


def entropies(runs: Runs, path: Path) -> None:
    """NLL and entropy of validation rows before and after temperature, and the temperature (fig. S1)."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.4, 3.2), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        for name, colour, style, label in (
            ("val_nll", VERMILLION, "-", "NLL before"),
            ("val_nll_after", VERMILLION, DASHED, "NLL after T"),
            ("val_entropy", BLUE, "-", "entropy before"),
            ("val_entropy_after", GREEN, (0, (1, 1)), "entropy after T"),
        ):
            mean = _mean(runs, name)
            left.plot(np.arange(1, len(mean) + 1), mean, color=colour, ls=style, label=label)
        temperature = _mean(runs, "temperature")
        right.plot(np.arange(1, len(temperature) + 1), temperature, color=ORANGE)
        right.axhline(1, color=GREY, lw=0.8)
        for ax in (left, right):
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        say(left, title="Validation rows", x="epoch", y="nats")
        say(right, title="Best temperature", x="epoch")
        left.legend(loc="upper right")
        figure.savefig(path, dpi=220)


def _mean(runs: Runs, name: str) -> np.ndarray:
    """Of all seeds."""
    return np.mean([record.curve(name) for record in runs.values()], axis=0)
