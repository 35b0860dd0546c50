"""Graphs of sums along the claims, and of several models by accuracy, error and order."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from ..curves import Histogram, Ordering, Pareto, Sums
from .style import (
    BLACK,
    BLUE,
    COLOURS,
    GREY,
    MARKERS,
    PALE,
    SKY,
    VERMILLION,
    number,
    one_axes,
    percent_axis,
    points,
    say,
    some_axes,
    styled,
    wrapped,
)


@styled
def histogram(seen: Histogram, *, ax: Axes | None = None) -> Axes:
    """Draw how many rows claim which chance, the mean claim, and how often the event happened."""
    ax = one_axes(ax, 4.6, 3.4)
    ax.bar(
        seen.edges[:-1],
        seen.count / seen.total,
        seen.edges[1:] - seen.edges[:-1],
        align="edge",
        color=SKY,
        edgecolor="white",
        lw=0.6,
    )
    ax.axvline(seen.share, color=BLACK, lw=1.6, label="share of events")
    ax.axvline(seen.mean_claim, color=VERMILLION, lw=1.6, ls=(0, (4, 2)), label="mean claim")
    percent_axis(ax, "x", "y")
    ax.set_xlim(0, 1)
    say(
        ax,
        title=f"Claimed {100 * seen.mean_claim:.1f}% on average, happened {100 * seen.share:.1f}%",
        x=wrapped(f"claimed chance that {seen.event}", 50),
        y=f"share of {number(seen.total)} rows",
    )
    ax.legend(loc="best")
    return ax


@styled
def cumulative(sums: Sums, *, panels: Sequence[Axes] | None = None) -> list[Axes]:
    """Draw the four graphs: summed claims and events by share of rows and by summed claims, then the map itself."""
    found = some_axes(panels, 4, 2, 3.6, 3.1)
    by_rows, by_claims, map_by_rows, map_by_claims = found
    k = sums.widest
    for ax, x in ((by_rows, sums.fractile), (by_claims, sums.claimed)):
        ax.plot(x, sums.claimed, color=GREY, ls=(0, (4, 2)), label="summed claims")
        ax.plot(x, sums.happened, color=BLUE, label="summed events")
        ax.vlines(
            x[k], sums.claimed[k], sums.happened[k], color=VERMILLION, lw=2.5, label="widest gap"
        )
        ax.legend(loc="best")
    for ax, x in ((map_by_rows, sums.fractile), (map_by_claims, sums.p)):
        ax.plot(x, sums.p, color=GREY, ls=(0, (4, 2)), label="claimed chance")
        ax.plot(
            x,
            sums.q,
            color=BLUE,
            label=f"calibrated, {sums.family}",
            marker=None if len(x) > 2 else "o",
        )
        ax.legend(loc="best")
    rows = "share of rows, least sure first"
    say(by_rows, title=f"KS error {points(sums.error)}", x=rows, y="sum over rows / all rows")
    say(
        by_claims,
        title=f"{number(sums.total)} rows",
        x="summed claims",
        y="sum over rows / all rows",
    )
    say(map_by_rows, x=rows, y="chance")
    say(map_by_claims, x=wrapped(f"claimed chance that {sums.event}", 42), y="chance")
    for ax in found:
        percent_axis(ax, "x", "y")
        ax.margins(x=0)
        ax.set_ylim(0)
    # Where all claims are 0, their sums have no width of their own.
    by_claims.set_xlim(0, max(sums.claimed[-1], 0.01))
    return found


@styled
def pareto(found: Pareto, *, ax: Axes | None = None) -> Axes:
    """Draw models by error and accuracy with their intervals; those that no other one beats are filled and joined."""
    ax = one_axes(ax, 7.2, 3.8)
    best = sorted(
        (model.error.estimate, model.accuracy.estimate) for model in found.models if model.best
    )
    ax.plot(*zip(*best, strict=True), color=PALE, lw=4, zorder=1)
    for place, model in enumerate(found.models):
        error, right = model.error, model.accuracy
        colour = COLOURS[place % len(COLOURS)]
        ax.hlines(right.estimate, error.low, error.high, color=colour, lw=1.2)
        ax.vlines(error.estimate, right.low, right.high, color=colour, lw=1.2)
        ax.plot(
            error.estimate,
            right.estimate,
            ls="none",
            marker=MARKERS[place % len(MARKERS)],
            ms=7,
            color=colour if model.best else "white",
            mec=colour,
            mew=1.5,
            label=f"{points(error.estimate)}, {100 * right.estimate:.1f}%: {wrapped(model.name, 28)}",
        )
    percent_axis(ax, "y")
    ax.xaxis.set_major_formatter(lambda error, _: f"{100 * error:g}")
    words = f"Lines: {100 * found.level:g}% intervals; filled: no other is better in both"
    say(ax, title=words, x=wrapped(f"{found.measure} in points, less is better", 56), y="accuracy")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)
    return ax


@styled
def ordering(found: Ordering, *, ax: Axes | None = None) -> Axes:
    """Draw how each evaluator orders the models, the best on the left, each cell with the error it finds."""
    names, evaluators = (
        [wrapped(name, 20) for name in each] for each in (found.models, found.evaluators)
    )
    letters = max(len(line) for name in names for line in name.split("\n"))
    lines = 1 + max(len(name.split("\n")) for name in (*names, *evaluators))
    ax = one_axes(
        ax,
        1.9 + len(names) * max(0.9, 0.085 * letters),
        1.1 + (0.16 + 0.13 * lines) * len(evaluators),
    )
    for row, order in enumerate(found.order):
        for place, model in enumerate(order):
            ax.barh(
                row,
                1,
                0.86,
                place,
                color=COLOURS[model % len(COLOURS)],
                alpha=0.3,
                edgecolor="white",
                lw=1.5,
            )
            text = f"{names[model]}\n{100 * found.values[row, model]:.2f}"
            ax.text(
                place + 0.5, row, text, ha="center", va="center", fontsize=7.5, parse_math=False
            )
    ax.set_yticks(range(len(evaluators)), evaluators, parse_math=False)
    ax.set_xticks(
        [place + 0.5 for place in range(len(names))],
        [str(1 + place) for place in range(len(names))],
    )
    ax.set_xlim(0, len(names))
    ax.set_ylim(len(evaluators) - 0.5, -0.5)
    ax.tick_params(length=0)
    ax.spines[["left", "bottom"]].set_visible(False)
    say(ax, title="From the least error to the largest, in points", x="place")
    return ax
