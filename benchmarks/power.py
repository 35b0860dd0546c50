"""Do tests keep their level, and what do they find? Writes docs/benchmarks/power.md."""

import time
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from pages import head, publish
from studies import gather, is_quick, parts_of
from unseen_tasks import UNSEEN, UNSEEN_MAPS, Claims, Curve, UnseenTask

from calibrant import View, binary
from calibrant.inference.tests import Method, calibration_test
from calibrant.simulate import SHAPES, task

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "power.md"
METHODS: tuple[Method, ...] = (
    "smooth",
    "ks",
    "kuiper",
    "skce",
    "spiegelhalter",
    "hosmer-lemeshow",
)
SIZES = (200, 1000, 10_000)
CELLS = ((200, 0.02), (200, 0.05), (1000, 0.02), (1000, 0.05), (10_000, 0.01), (10_000, 0.02))
LEVEL = 0.05
FIRST_SEED = 20_000
ALARMS, FINDS, UNSEEN_FINDS, DRAWS = 1000, 400, 200, 199
CHUNK = 50
# How much of the way from right claims to the map: so that tests find some of it.
PARTS = {200: 0.8, 1000: 0.4}
TIMED_ON = (1000, 10**6)

Cell = tuple[str, str, int, float]
Job = tuple[str, str, int, float, int, int]


def _rejections(view: View, seed: int) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for method in METHODS:
        tested = calibration_test(view, method=method, n_draws=DRAWS, seed=seed)
        found[method] = tested.p_value <= LEVEL
    return found


def _right(claims: Claims, n: int) -> np.ndarray:
    random = np.random.default_rng(n)
    return claims.show(claims.draw(random, n))


def _partly(name: str, part: float) -> Curve:
    """A map some of the way from right claims to an unseen one."""
    curve = UNSEEN_MAPS[name]
    return lambda z: z + part * (curve(z) - z)


@cache
def _unseen(claims: str, name: str, part: float) -> UnseenTask:
    return UnseenTask(UNSEEN[claims], _partly(name, part))


def _view(job: Job, run: int) -> View:
    kind, name, n, amount, *_ = job
    if kind == "right":
        claims = _right(UNSEEN[name], n)
        random = np.random.default_rng([n, run])
        # A claim that was rounded to 0 or 1 is right as it is read.
        p = binary(claims, np.zeros(n)).log_odds
        return binary(claims, random.random(n) < 1 / (1 + np.exp(-p)))
    if kind == "shape":
        shape = next(each for each in SHAPES if each == name)
        return task(shape, amount).sample(n, FIRST_SEED + run).view
    claimed, _, curve = name.partition(" / ")
    return _unseen(claimed, curve, amount).sample(n, FIRST_SEED + run)


def judge(job: Job) -> list[dict[str, Any]]:
    """How often each test rejects in some runs."""
    kind, name, n, amount, first, runs = job
    counts: dict[str, Any] = dict.fromkeys(METHODS, 0)
    for run in range(first, first + runs):
        for method, rejects in _rejections(_view(job, run), run).items():
            counts[method] += int(rejects)
    record = {"kind": kind, "name": name, "n": n, "amount": amount, "runs": runs}
    return [record | counts]


def _jobs(cells: list[Cell], runs: int) -> list[Job]:
    chunk = min(CHUNK, runs)
    return [(*cell, first, chunk) for cell in cells for first in range(0, runs, chunk)]


def all_jobs(*, quick: bool) -> list[Job]:
    """Right claims, the five shapes, and unseen claims with unseen maps."""
    right: list[Cell] = [("right", name, n, 0.0) for name, n in product(UNSEEN, SIZES)]
    shapes: list[Cell] = [
        ("shape", shape, n, error) for (n, error), shape in product(CELLS, SHAPES)
    ]
    unseen: list[Cell] = [
        ("unseen", f"{claims} / {name}", n, part)
        for (n, part), claims, name in product(PARTS.items(), UNSEEN, UNSEEN_MAPS)
        if name != "right"
    ]
    if quick:
        return _jobs([right[0], shapes[0], unseen[0]], 10)
    return [*_jobs(right, ALARMS), *_jobs(shapes, FINDS), *_jobs(unseen, UNSEEN_FINDS)]


def _summed(found: pl.DataFrame, kind: str) -> pl.DataFrame:
    part = found.filter(pl.col("kind") == kind)
    by = part.group_by("name", "n", "amount", maintain_order=True)
    return by.agg(pl.col("runs", *METHODS).sum())


def _percents(row: dict[str, Any]) -> list[float]:
    return [100 * row[method] / row["runs"] for method in METHODS]


def level_table(found: pl.DataFrame) -> list[str]:
    """Percent of right claims rejected."""
    lines = []
    for row in _summed(found, "right").iter_rows(named=True):
        shares = [f"{share:.1f}" for share in _percents(row)]
        lines.append("| " + " | ".join([row["name"], f"{row['n']:,}", *shares]) + " |")
    return [*head("claims", "n", *METHODS), *lines, ""]


def shape_table(found: pl.DataFrame) -> list[str]:
    """Percent of wrong claims rejected, cells first where "smooth" lies furthest below the best."""
    rows = list(_summed(found, "shape").iter_rows(named=True))
    rows.sort(key=lambda row: row["smooth"] - max(row[method] for method in METHODS))
    lines = []
    for row in rows:
        shares = _percents(row)
        behind = shares[0] - max(shares)
        cells = [row["name"], f"{row['n']:,}", f"{row['amount']}"]
        told = [f"{share:.1f}" for share in shares]
        lines.append("| " + " | ".join([*cells, *told, f"{behind:+.1f}"]) + " |")
    return [*head("shape", "n", "error", *METHODS, "smooth less the best"), *lines, ""]


def unseen_table(found: pl.DataFrame) -> list[str]:
    """Means over cells, how far each test lies below the best of all in a cell, and its worst cell."""
    lines = []
    for n in PARTS:
        rows = _summed(found, "unseen").filter(n=n).iter_rows(named=True)
        shares = np.array([_percents(row) for row in rows])
        if not len(shares):
            continue
        behind = shares.max(1, keepdims=True) - shares
        for place, method in enumerate(METHODS):
            numbers = (shares[:, place].mean(), behind[:, place].mean(), behind[:, place].max())
            told = [f"{number:.1f}" for number in numbers]
            lines.append("| " + " | ".join([f"{n:,}", method, *told]) + " |")
    return [*head("n", "test", "found", "below the best, mean", "below the best, most"), *lines, ""]


def time_table() -> list[str]:
    """Seconds of the default call."""
    lines = []
    for n in TIMED_ON:
        view = task("square", 0.02).sample(n, 0).view
        calibration_test(view)
        cells = []
        for method in METHODS:
            start = time.perf_counter()
            calibration_test(View(view.p, view.y), method=method)
            cells.append(f"{time.perf_counter() - start:.2f}")
        lines.append("| " + " | ".join([f"{n:,}", *cells]) + " |")
    return [*head("n", *METHODS), *lines, ""]


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    parts = None if quick else parts_of(PAGE)
    found = gather(judge, all_jobs(quick=quick), "tests", parts)
    lines = [
        "# Do tests keep their level, and what do they find?",
        "",
        f"`calibration_test` at level 5%, {DRAWS} draws a test. \"smooth\", the default, is the evidence for the "
        "curves of `Smooth` over that for the claims as they are, to second order about them. The prior odds of one "
        "temperature beside all splines are a tenth, as the trials had it that the map began with.",
        "",
        "## False alarms",
        "",
        f"Percent of right claims rejected: {ALARMS} runs a cell, the claims of a cell fixed; 3.6 to 6.4 is within two "
        "standard errors of 5.",
        "",
        *level_table(found),
        "## Power on the five shapes of Kängsepp et al.",
        "",
        f"Percent rejected in {FINDS} samples a cell (standard error at most 2.5), those first where \"smooth\" lies "
        "furthest below the best of all tests. Where an error has one sign, KS, Kuiper and SKCE look at little else; "
        "where claims are too extreme or too timid, Spiegelhalter looks at nothing else. No test can be within five "
        "points of both where each finds half: a level of 5% leaves 2.5% to each of two independent directions, and a "
        "normal score that is beyond 5% half of the time is beyond 2.5% in 39% of it.",
        "",
        *shape_table(found),
        "## Power on claims and maps that no choice was made on",
        "",
        f"{len(UNSEEN)} kinds of claims, {len(UNSEEN_MAPS) - 1} maps, {PARTS[200]:.0%} (n = 200) and {PARTS[1000]:.0%} "
        f"(n = 1,000) of the way from right claims to each; {UNSEEN_FINDS} samples a cell. Percent rejected, mean over "
        "cells; then how far a test lies below the best of all tests in a cell.",
        "",
        *unseen_table(found),
        "## Seconds of the default call",
        "",
        *time_table(),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "polars")


if __name__ == "__main__":
    main()
