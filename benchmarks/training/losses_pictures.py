"""Pictures of losses: accuracy and errors of each (Popordanoska et al. 2022, fig. 1b, 4-7)."""

from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from calibrant import Interval
from calibrant.fitting.types import Array
from calibrant.plots.style import COLOURS, GREY, MARKERS, STYLE, say

from .tables import TITLES, WHEN, By, measure, over_seeds

PANELS = {
    "ECE of the top label, %": "top_label-1",
    "class-wise error, %": "classwise-1",
    "canonical error, %": "canonical-1",
}
# Accuracy lost, as a share, beyond which a setting is left out of a picture: training has failed.
FAR = 0.05
AFTER = ("before temperature", "after temperature")


class Point(NamedTuple):
    """A setting: its strength, accuracy and error."""

    strength: float
    accuracy: Interval
    error: Interval


def pareto(found: By, name: str, path: Path) -> None:
    """A panel an error, before and after temperature; a line joins the strengths of a term."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 6.2), layout="constrained")
        rows = figure.subplots(len(WHEN), len(PANELS), sharex=True)
        for axes, part, when in zip(rows, WHEN, AFTER, strict=True):
            for ax, (words, error) in zip(axes, PANELS.items(), strict=True):
                _losses(ax, found, part, error)
                is_last = part == WHEN[-1]
                say(ax, title=when, x="accuracy, %" if is_last else "", y=words)
        handles, labels = rows[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)
        figure.suptitle(f"{name}: lower right is better", x=0.01, ha="left")
        figure.savefig(path, dpi=220)


def _losses(ax: Axes, found: By, part: str, error: str) -> None:
    points: dict[str, list[Point]] = {}
    for run, runs in found.items():
        if not run.loss.endswith("-2"):
            accuracy = over_seeds(runs, measure("test", "accuracy"))
            point = Point(run.strength, accuracy, over_seeds(runs, measure(part, error)))
            points.setdefault(run.loss.removesuffix("-1"), []).append(point)
    best = max((each.accuracy.estimate for of in points.values() for each in of), default=0)
    for place, (loss, name) in enumerate(TITLES.items()):
        kept = [each for each in points.get(loss, ()) if each.accuracy.estimate > best - FAR]
        if kept:
            _line(ax, sorted(kept), name, place)


def _line(ax: Axes, several: list[Point], name: str, place: int) -> None:
    x, y, width, height = _percents(several)
    colour = COLOURS[place % len(COLOURS)]
    # Where colours come round again, markers are hollow.
    filled = place < len(COLOURS)
    marker = MARKERS[place % len(MARKERS)]
    face = colour if filled else "white"
    bars = ax.errorbar(x, y, height, width, color=colour, ms=5, lw=1, elinewidth=0.5, label=name)
    bars[0].set(marker=marker, markerfacecolor=face)
    if len(several) > 1:
        _say_strengths(ax, several, x, y)


def _percents(several: list[Point]) -> tuple[Array, ...]:
    """Accuracy and error, and half their intervals."""
    accuracies = [point.accuracy for point in several]
    errors = [point.error for point in several]
    middles = [[each.estimate for each in of] for of in (accuracies, errors)]
    halves = [[each.high - each.estimate for each in of] for of in (accuracies, errors)]
    return tuple(100 * np.nan_to_num(each) for each in (*middles, *halves))


def _say_strengths(ax: Axes, several: list[Point], x: Array, y: Array) -> None:
    for point, across, up in zip(several, x, y, strict=True):
        said = f"{point.strength:g}"
        ax.annotate(said, (across, up), (3, 3), textcoords="offset points", fontsize=7)


def binary(by: By, path: Path) -> None:
    """Error and L2 calibration error of vehicles and animals, by gamma (fig. 1b)."""
    found = {run.strength: runs for run, runs in by.items() if run.part == "binary"}
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.6, 3.4), layout="constrained")
        ax = figure.subplots()
        for part, colour, words in zip(WHEN, (COLOURS[0], GREY), AFTER, strict=True):
            points = [
                Point(
                    gamma,
                    over_seeds(runs, measure("test", "accuracy")),
                    over_seeds(runs, measure(part, "classwise-2")),
                )
                for gamma, runs in sorted(found.items())
            ]
            best = max((point.accuracy.estimate for point in points), default=0)
            kept = [point for point in points if point.accuracy.estimate > best - FAR]
            x, y, width, height = _percents(kept)
            ax.errorbar(
                100 - x,
                y,
                height,
                width,
                color=colour,
                marker="o",
                ms=5,
                lw=0.8,
                elinewidth=0.5,
                label=words,
            )
            _say_strengths(ax, kept, 100 - x, y)
        say(ax, title="KDE-MSE by gamma", x="error, %", y="L2 calibration error, %")
        ax.legend(loc="best")
        figure.savefig(path, dpi=220)
