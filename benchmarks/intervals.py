"""Do intervals cover? Writes docs/benchmarks/coverage.md.

Intervals of errors on claims and true maps that no choice was made on, each map bent to several true errors.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import polars as pl
from pages import head, publish
from scipy.optimize import brentq
from scipy.special import expit
from studies import gather, is_quick, parts_of
from unseen_tasks import UNSEEN, UNSEEN_MAPS, Array, UnseenTask

from calibrant import View, binary, calibration_error, ece, ks_error
from calibrant.inference.intervals import interval

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "coverage.md"

MEASURES: dict[str, Callable[[View], float]] = {
    "ece": ece,
    "ks_error": ks_error,
    "Smooth": calibration_error,
}
N_BOOT = {"ece": 1000, "ks_error": 1000, "Smooth": 240}
RIGHT = "right"
SIZES = (200, 1000, 5000)
ERRORS = (0.01, 0.02, 0.05, 0.10)
OF_SMOOTH = (0.0, 0.02, 0.05)
RUNS = 2
RUNS_WHERE_RIGHT = 6
MOST_BENT = 6.0
BENT_ON = 20_000
ENDLESS = 1e4
LEAST = 0.92


class Job(NamedTuple):
    """Samples of one kind of claims, whose map is bent until their error is about so large."""

    claims: str
    curve: str
    error: float
    sizes: tuple[int, ...]
    runs: int
    measures: tuple[str, ...]


@cache
def bent(claims: str, curve: str, error: float) -> UnseenTask | None:
    """A task with about so large an error, or None where bending its map further does not reach it."""
    kind, given = UNSEEN[claims], UNSEEN_MAPS[curve]
    if curve == RIGHT:
        return UnseenTask(kind, given)
    z = kind.draw(np.random.default_rng(1), BENT_ON)
    p = kind.show(z)

    def distance(times: float) -> float:
        return float(np.abs(expit(z + times * (given(z) - z)) - p).mean())

    if not distance(0) < error < distance(MOST_BENT):
        return None
    times = float(brentq(lambda times: distance(times) - error, 0, MOST_BENT, xtol=1e-4))

    def curved(z: Array) -> Array:
        return z + times * (given(z) - z)

    return UnseenTask(kind, curved)


def endless(task: UnseenTask) -> View:
    """So many rows, in exact proportion to true chances, that nothing is left to variation."""
    known = task.known()
    p, group = np.unique(known.p, return_inverse=True)
    counts = np.bincount(group)
    happened = np.bincount(group, known.truth)
    weights = ENDLESS * np.stack([happened, counts - happened], axis=1).ravel()
    return binary(np.repeat(p, 2), np.tile([True, False], len(p)), weights=weights)


def cover(job: Job) -> list[dict[str, Any]]:
    """Intervals of each measure on samples of one task."""
    task = bent(job.claims, job.curve, job.error)
    if task is None:
        return []
    # Seeds of a task's own, or all maps of some claims would meet the same draws.
    first = crc32(repr(job[:3]).encode())
    all_rows = endless(task)
    found = []
    for name in job.measures:
        measure = MEASURES[name]
        true = measure(all_rows)
        runs = 1 if name == "Smooth" else job.runs
        for n, run in product(job.sizes, range(runs)):
            view = task.sample(n, first + run)
            estimate, low, high = interval(measure, view, n_boot=N_BOOT[name], seed=run)
            found.append({"measure": name, "claims": job.claims, "map": job.curve, "error": job.error, "n": n,
                          "run": run, "true": true, "estimate": estimate, "low": low, "high": high})  # fmt: skip
    return found


def jobs(quick: bool) -> Iterator[Job]:  # noqa: FBT001 - one of two extents
    """Every kind of claims with every map and every error."""
    sizes = SIZES[:2] if quick else SIZES
    for claims, curve in product(UNSEEN, UNSEEN_MAPS):
        errors = (0.0,) if curve == RIGHT else ERRORS
        runs = RUNS_WHERE_RIGHT if curve == RIGHT else RUNS
        for error in errors:
            names = ("ece", "ks_error", "Smooth") if error in OF_SMOOTH else ("ece", "ks_error")
            if not quick:
                yield Job(claims, curve, error, sizes, runs, names)
            elif claims == "hill" and error in (0.0, 0.02):
                yield Job(claims, curve, error, sizes, 1, names[:2])


def judged(found: pl.DataFrame) -> pl.DataFrame:
    """With the width of each interval, and whether it lies above or below the true error."""
    # A true error of right claims is 0 but for rounding.
    return found.with_columns(
        above=pl.col("low") > pl.col("true") + 1e-6,
        below=pl.col("high") < pl.col("true") - 1e-6,
        width=pl.col("high") - pl.col("low"),
    ).with_columns(covers=~(pl.col("above") | pl.col("below")))


def table(found: pl.DataFrame, by: str) -> list[str]:
    """For each value of a column a line, for each n a column."""
    sizes = sorted(found["n"].unique())
    lines = []
    for (value,), part in found.group_by(by, maintain_order=True):
        cells = [_cell(part.filter(n=n)) for n in sizes]
        lines.append("| " + " | ".join([str(value), *cells]) + " |")
    total = [_cell(found.filter(n=n)) for n in sizes]
    lines.append("| " + " | ".join(["all", *total]) + " |")
    return [*head(by, *(f"n = {n}" for n in sizes)), *lines, ""]


def _cell(part: pl.DataFrame) -> str:
    if not len(part):
        return ""
    share = [100 * float(part[name].to_numpy().mean()) for name in ("covers", "above", "below")]
    return "{:.1f} ({:.1f}, {:.1f}; {:.4f})".format(*share, float(part["width"].to_numpy().mean()))


def misses(found: pl.DataFrame) -> list[str]:
    """Cells of the tables below that are covered least."""
    lines = []
    for by in ("claims", "map", "error"):
        cells = found.group_by("measure", by, "n", maintain_order=True).agg(
            pl.len().alias("intervals"), pl.col("covers").mean()
        )
        for measure, value, n, intervals, covers in cells.filter(
            pl.col("covers") < LEAST
        ).iter_rows():
            lines.append(f"- {measure}, {by} {value}, n = {n}: {100 * covers:.1f}% of {intervals}")
    return [*lines, ""] if lines else ["None.", ""]


def where_right(found: pl.DataFrame) -> list[str]:
    """How often the lower end of right claims is 0."""
    cells = found.group_by("measure", "n", maintain_order=True).agg(
        pl.len().alias("intervals"), (pl.col("low") < 1e-6).mean().alias("zero"), pl.col("high").mean()
    )  # fmt: skip
    lines = [
        f"| {measure} | {n} | {intervals} | {100 * zero:.1f} | {high:.4f} |"
        for measure, n, intervals, zero, high in cells.iter_rows()
    ]
    return [*head("measure", "n", "intervals", "lower end 0, %", "mean upper end"), *lines, ""]


def page(found: pl.DataFrame) -> list[str]:
    """The tables with what they show."""
    wrong = judged(found.filter(pl.col("map") != RIGHT))
    right = found.filter(pl.col("map") == RIGHT)
    lines = [
        "# Do intervals cover?",
        "",
        f"95% intervals of `interval` on {len(UNSEEN)} kinds of claims with {len(UNSEEN_MAPS) - 1} wrong maps "
        f"(`benchmarks/unseen_tasks.py`), on which nothing was chosen. Each map is bent, in log odds, until the mean "
        f"distance of claims from true chances is {', '.join(map(str, ERRORS))}, as far as it reaches that. The true "
        "value is what the measure itself gives of endless rows. ece and ks_error with "
        f"{N_BOOT['ece']} draws, {RUNS} samples a task; Smooth (`calibration_error`) with {N_BOOT['Smooth']} draws, "
        "one sample a task, errors 0.02 and 0.05 only.",
        "",
        f"## Cells below {100 * LEAST:.0f}%",
        "",
        *misses(wrong),
    ]
    for name in MEASURES:
        part = wrong.filter(measure=name)
        if len(part):
            lines += [
                f"## {name}",
                "",
                "Coverage in % (lower end above the true error in %, upper end below it in %; mean width).",
                "",
                *table(part, "claims"),
                *table(part, "map"),
                *table(part, "error"),
            ]
    lines += ["## Claims that are right", "", *where_right(right)]
    return lines


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    parts = None if quick else parts_of(PAGE)
    found = gather(cover, list(jobs(quick)), "intervals", parts)
    publish(PAGE, page(found), parts, "scipy", "polars")


if __name__ == "__main__":
    main()
