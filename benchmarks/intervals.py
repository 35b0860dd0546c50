"""Do intervals cover and tests keep their level? Writes docs/benchmarks/coverage.md.

Intervals of the true error on tasks whose true map is known, false alarms of tests on claims that are right, and how
often tests find claims that are not.
"""

from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl
from evaluators import head
from machine import stamp
from studies import gather, is_quick, parts_of, publish

from calibrant import View, binary, calibration_error, ece, ks_error, samples, top_label
from calibrant.inference.intervals import interval
from calibrant.inference.tests import Method, calibration_test
from calibrant.simulate import SHAPES, Shape, task

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "coverage.md"

MEASURES: dict[str, Callable[[View], float]] = {
    "ece": ece,
    "Smooth": calibration_error,
    "ks_error": ks_error,
}
METHODS: tuple[Method, ...] = ("ks", "skce", "spiegelhalter")
SIZES = (200, 1000, 10_000)
ERRORS = (0.01, 0.02, 0.05, 0.10)
PILED_UP: Final = "c10-resnet18"
FIRST_SEED = 10_000


class Extent(NamedTuple):
    """How many samples stand behind a cell of each table, and how many replicates behind an interval."""

    intervals: dict[str, int]
    n_boot: dict[str, int]
    tests: int
    n_draws: int


FULL = Extent(
    {"ece": 200, "Smooth": 24, "ks_error": 80},
    {"ece": 320, "Smooth": 240, "ks_error": 320},
    1000,
    199,
)
QUICK = Extent(
    {"ece": 8, "Smooth": 0, "ks_error": 8}, {"ece": 160, "Smooth": 160, "ks_error": 160}, 40, 199
)


@cache
def true_value(name: str, shape: Shape, error: float) -> float:
    """The error itself; of the KS error, which sees only gaps of one sign added up, its own value on a million rows."""
    if name != "ks_error":
        return error
    view, truth = task(shape, error).sample(10**6, seed=0)
    return float(np.abs(np.cumsum(truth - view.p)).max() / view.n)


def cover(job: tuple[str, int, Shape, int, int]) -> list[dict[str, Any]]:
    """Intervals of one measure on a sample of one shape with each true error."""
    name, n, shape, run, n_boot = job
    found = []
    for i, error in enumerate(ERRORS):
        view = task(shape, error).sample(n, FIRST_SEED + len(ERRORS) * run + i).view
        estimate, low, high = interval(MEASURES[name], view, n_boot=n_boot, seed=run)
        true = true_value(name, shape, error)
        found.append({"measure": name, "n": n, "shape": shape, "error": error, "covers": low <= true <= high,
                      "width": high - low, "bias": estimate - true})  # fmt: skip
    return found


@cache
def _piled_up() -> np.ndarray:
    return top_label(samples.load(PILED_UP)[1]).p


def alarm(job: tuple[str, int, int, int]) -> list[dict[str, Any]]:
    """Tests of claims that are right."""
    claims, n, runs, n_draws = job
    found = []
    for run in range(runs):
        random = np.random.default_rng([n, run])
        p = random.random(n) if claims == "uniform" else random.choice(_piled_up(), n)
        view = binary(p, random.random(n) < p)
        found += [
            {"claims": claims, "n": n, "method": method,
             "rejects": calibration_test(view, method=method, n_draws=n_draws, seed=run).p_value <= 0.05}
            for method in METHODS
        ]  # fmt: skip
    return found


def find(job: tuple[int, Shape, float, int, int]) -> list[dict[str, Any]]:
    """Tests of claims that are wrong by a known amount."""
    n, shape, error, runs, n_draws = job
    found = []
    for run in range(runs):
        view = task(shape, error).sample(n, FIRST_SEED + run).view
        found += [
            {"n": n, "shape": shape, "error": error, "method": method,
             "rejects": calibration_test(view, method=method, n_draws=n_draws, seed=run).p_value <= 0.05}
            for method in METHODS
        ]  # fmt: skip
    return found


def coverage_tables(found: pl.DataFrame, extent: Extent) -> list[str]:
    """For each measure: a line for each n, a column for each shape; then the same by true error."""
    page = []
    for name in MEASURES:
        part = found.filter(pl.col("measure") == name)
        if not len(part):
            continue
        each = len(part) // (len(SIZES) * len(SHAPES))
        page += [
            f"**{name}**, {each} samples a shape, {extent.n_boot[name]} replicates: coverage % (mean width).",
            "",
        ]
        page += [*head("n", *SHAPES, *(f"error {error}" for error in ERRORS)), *(
            "| " + " | ".join([f"{n}", *(_covered(part.filter(n=n, shape=shape)) for shape in SHAPES),
                               *(_covered(part.filter(n=n, error=error)) for error in ERRORS)]) + " |"
            for n in SIZES
        ), ""]  # fmt: skip
    return page


def _covered(part: pl.DataFrame) -> str:
    return f"{100 * float(part['covers'].mean()):.1f} ({float(part['width'].mean()):.4f})"  # type: ignore[arg-type]


def rejection_table(found: pl.DataFrame, *by: str) -> list[str]:
    """Percent of samples rejected, a column for each method."""
    shares = found.group_by(*by, "method", maintain_order=True).agg(pl.col("rejects").mean())
    lines = []
    for key, part in shares.group_by(*by, maintain_order=True):
        share = dict(part.select("method", "rejects").iter_rows())
        lines.append(
            "| " + " | ".join([*map(str, key), *(f"{100 * share[m]:.1f}" for m in METHODS)]) + " |"
        )
    return [*head(*by, *METHODS), *lines, ""]


def page(covered: pl.DataFrame, alarms: pl.DataFrame, finds: pl.DataFrame, extent: Extent) -> str:
    """The tables with what they show."""
    return "\n".join(
        [
            "# Do intervals cover, do tests keep their level?",
            "",
            "## 95% intervals of the true error",
            "",
            "`interval` on the five shapes of Kängsepp et al. 2022, each with true errors "
            f"{', '.join(map(str, ERRORS))}; then by true error over all shapes. The true value is the mean distance "
            "of claims from true chances, E|p - c|; for ks_error, which adds up gaps of one sign only, its own on "
            "a million rows. With few replicates the limits themselves are noisy, which costs coverage; 1000 are the "
            "default.",
            "",
            *coverage_tables(covered, extent),
            "## False alarms",
            "",
            f"Percent of calibrated samples rejected at level 5%: {extent.tests} samples of uniform claims, and of "
            f"claims that pile up near 1 (the top label of {PILED_UP}); {extent.n_draws} draws a test.",
            "",
            *rejection_table(alarms, "claims", "n"),
            "## Power",
            "",
            f"Percent of miscalibrated samples rejected at level 5%, {extent.tests // 5} samples.",
            "",
            *rejection_table(finds, "n", "shape", "error"),
            stamp("scipy", "polars"),
            "",
        ]
    )


def main() -> None:
    """Run the studies and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    extent = QUICK if quick else FULL
    cover_jobs = [
        (name, n, shape, run, extent.n_boot[name])
        for name in MEASURES
        for run, n, shape in product(range(extent.intervals[name] // len(ERRORS)), SIZES, SHAPES)
    ]
    alarm_jobs = [
        (claims, n, extent.tests, extent.n_draws)
        for claims, n in product(("uniform", "piled up"), SIZES)
    ]
    find_jobs = [
        (n, shape, error, extent.tests // 5, extent.n_draws)
        for n, shape, error in product(SIZES[:2], SHAPES, (0.02, 0.05))
    ]
    parts = None if quick else parts_of(PAGE)
    alarms = gather(alarm, alarm_jobs, "right claims", parts)
    finds = gather(find, find_jobs, "wrong claims", parts)
    covered = gather(cover, cover_jobs, "intervals", parts)
    text = page(covered, alarms, finds, extent)
    publish(PAGE, text, parts)


if __name__ == "__main__":
    main()
