"""The page of the study: where we are slower or less exact first, each with its reason."""

from typing import Any, NamedTuple

import numpy as np

from .reasons import REASONS
from .tasks import TASKS

Found = dict[str, Any]
OURS = "calibrant"
# The share of a peer's time that we may take.
GOAL = 0.5
HEAD = """# Peers side by side

One command, `make peers`, builds an environment for each library from a pinned requirement file, gives all of them
the same bytes and asks the same of them, each in a process of its own; `benchmarks/peers` has the tasks and the
calls, a line each.

Times are of the processor, all threads added up, and everyone has one thread: others worked on the machine, and the
clock would have told of them. Sides take turns, each round in another order, after a first time that does not count;
a time is the median over rounds, a ratio the median over rounds of ours to theirs. Maps are fitted and applied to the
rows of the fit, ours from plain arrays with all checks; what a peer wants its input turned into is not timed. Errors
are distances from what a dense program in float64, written in the study, finds: of a number, of values at each row,
or of the loss that was reached from the least there is, of which rounding may leave it a little below. Where methods
differ by name or nature, the error is the distance from the true chances, which are known here. Memory is the peak of
one more run beyond what the process held before it.
"""


class Row(NamedTuple):
    """One task beside one peer."""

    task: str
    peer: str
    ratio: float
    ours: Found
    theirs: Found

    @property
    def is_slow(self) -> bool:
        """Whether we take more than the goal."""
        return self.ratio > GOAL

    @property
    def is_worse(self) -> bool:
        """Whether our value is further off."""
        return bool(self.ours["error"] > self.theirs["error"] + TASKS[self.task].equal)

    def cells(self) -> list[str]:
        """The row of a table."""
        task = TASKS[self.task]
        times = [f"{1e3 * np.median(side['processor']):.1f}" for side in (self.ours, self.theirs)]
        errors = [_error(side["error"]) for side in (self.ours, self.theirs)]
        memory = [f"{side['megabytes']:.0f}" for side in (self.ours, self.theirs)]
        what = f"{task.title}, {task.data}"
        return [what, self.peer, f"{self.ratio:.2f}", *times, *errors, *memory]


def page(found: Found) -> str:
    """All of it."""
    rows = sorted(_rows(found["tasks"]), key=lambda row: -row.ratio)
    misses = [row for row in rows if row.is_slow or row.is_worse]
    hits = [row for row in rows if row not in misses]
    return "\n".join([
        HEAD,
        _tally(rows, misses),
        "",
        "## Slower than half, or less exact",
        "",
        *_table(misses, reasons=True),
        "",
        "## At most half of the peer's time, at an equal or better value",
        "",
        *_table(hits, reasons=False),
        "",
        *_failures(found),
        *_wrong(found["cases"]),
        *_features(found["features"]),
        "## Versions",
        "",
        ", ".join(f"{name} {version}" for name, version in found["versions"].items()) + ".",
        "",
        _loads(found["tasks"]),
        found["stamp"],
        "",
    ])  # fmt: skip


def _rows(tasks: Found) -> list[Row]:
    rows = []
    for task in TASKS:
        sides = tasks[task]["sides"]
        ours = sides[OURS]
        for peer, theirs in sides.items():
            if peer != OURS and "failed" not in theirs:
                ratios = np.array(ours["processor"]) / np.array(theirs["processor"])
                rows.append(Row(task, peer, float(np.median(ratios)), ours, theirs))
    return rows


def _tally(rows: list[Row], misses: list[Row]) -> str:
    tasks = {row.task for row in rows}
    missed = {row.task for row in misses}
    slower = sum(row.ratio > 1 for row in rows)
    worse = sum(row.is_worse for row in rows)
    return (
        f"**{len(rows)} rows of {len(tasks)} tasks.** The goal, at most {GOAL} of the time of every peer at an equal "
        f"or better value, is met in {len(rows) - len(misses)} rows and by {len(tasks - missed)} tasks; in {slower} "
        f"rows calibrant is slower than the peer, in {worse} less exact."
    )


def _table(rows: list[Row], *, reasons: bool) -> list[str]:
    head = [
        "task",
        "peer",
        "ratio",
        "ours, ms",
        "peer, ms",
        "our error",
        "peer's error",
        "ours, MB",
        "peer, MB",
    ]
    body = [row.cells() for row in rows]
    if reasons:
        head.append("reason")
        told = [REASONS.get((row.task, row.peer), REASONS.get((row.task, ""), "")) for row in rows]
        body = [[*cells, reason] for cells, reason in zip(body, told, strict=True)]
    return [_line(head), _line(["---"] * len(head)), *map(_line, body)]


def _failures(found: Found) -> list[str]:
    lines = [
        f"| {name} | could not be installed: {error} |" for name, error in found["refused"].items()
    ]
    for name, task in TASKS.items():
        for library, side in found["tasks"][name]["sides"].items():
            if "failed" in side:
                lines.append(f"| {library} | {task.title}: {_cell(side['failed'])} |")
    if not lines:
        return []
    return ["## What did not run", "", "| library | what it said |", "|---|---|", *lines, ""]


def _wrong(cases: Found) -> list[str]:
    lines = [
        _line([
            case["title"],
            case["right"],
            case["ours"],
            _cell("; ".join(f"{name} {said}" for name, said in case["wrong"].items())) or "nobody",
            ", ".join(case["good"]) or "-",
        ])
        for case in cases.values()
    ]  # fmt: skip
    return [
        "## Wrong answers",
        "",
        "Small inputs whose answer is known, put to every library that has the call. An error is shown as it was said: "
        "to refuse is not to be wrong, but it is no answer.",
        "",
        "| input | right | calibrant | other answers | right too |",
        "|---|---|---|---|---|",
        *lines,
        "",
    ]


def _features(found: Found) -> list[str]:
    libraries = found["libraries"]
    body = [_line([name, *cells]) for name, cells in found["rows"].items()]
    return [
        "## What each has",
        "",
        "Looked up in the installed packages: a mark means that the name the study gives for it is there. No mark "
        "means that we found none, not that there is none.",
        "",
        _line(["", *libraries]),
        _line(["---"] * (len(libraries) + 1)),
        *body,
        "",
    ]


def _loads(tasks: Found) -> str:
    loads = [task["load"] for task in tasks.values()]
    return (
        f"Load of the machine before each task, 1 minute: {min(loads):.1f} to {max(loads):.1f}, "
        f"median {np.median(loads):.1f}, on two cores."
    )


def _error(value: float) -> str:
    return "0" if abs(value) < 1e-15 else f"{value:.1e}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
