"""Whether `threshold_for` keeps what it promises, and how many rows it keeps; writes docs/benchmarks/decisions.md."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray
from pages import head, publish
from scipy.special import expit
from studies import gather, is_quick, parts_of

from calibrant import binary
from calibrant.decisions import threshold_for
from calibrant.decisions.guarantees import Unreachable

Array = NDArray[np.float64]
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "decisions.md"
SIZES, ACCURACIES, LEVEL = (100, 1000, 10000), (0.8, 0.9, 0.95), 0.95
POPULATION, RUNS, PER_JOB = 1_000_000, 2000, 250


def _uniform(random: Generator, n: int) -> tuple[Array, Array]:
    q = random.uniform(0.5, 1, n)
    return q, q


def _too_sure(random: Generator, n: int) -> tuple[Array, Array]:
    z = np.abs(random.normal(0, 2, n))
    return expit(2 * z), expit(z)


def _piled_up(random: Generator, n: int) -> tuple[Array, Array]:
    q = random.beta(8, 0.7, n)
    return q.astype(np.float32).astype(np.float64), q


def _rounded(random: Generator, n: int) -> tuple[Array, Array]:
    q = random.beta(4, 1, n)
    return np.round(q, 1), q


def _flat(random: Generator, n: int) -> tuple[Array, Array]:
    """Claims that tell nothing: every threshold keeps rows as right as all, just short of 0.9."""
    return random.uniform(0.5, 1, n), np.full(n, 0.899)


TASKS: dict[str, Callable[[Generator, int], tuple[Array, Array]]] = {
    "uniform, right": _uniform,
    "twice too sure": _too_sure,
    "piled up at 1": _piled_up,
    "rounded to tenths": _rounded,
    "no information, .899 right": _flat,
}


def above(task: str) -> tuple[Array, Array, Array]:
    """Claims of a population, descending; how many are right of those above each, and their share."""
    p, q = TASKS[task](np.random.default_rng(10**6), POPULATION)
    order = np.argsort(-p)
    p = p[order]
    last = np.append(p[1:] != p[:-1], True)
    right = np.cumsum(q[order]) / np.arange(1, POPULATION + 1)
    share = np.arange(1, POPULATION + 1) / POPULATION
    return p[last], right[last], share[last]


def judge(job: tuple[str, int, float, int]) -> list[dict[str, Any]]:
    """Thresholds of some samples, and what they keep of the population."""
    task, n, accuracy, first = job
    p, right, share = above(task)
    reached = share[right >= accuracy]
    oracle = reached.max() if len(reached) else 0.0
    found = []
    for seed in range(first, first + PER_JOB):
        random = np.random.default_rng(seed)
        claims, q = TASKS[task](random, n)
        view = binary(claims, random.random(n) < q)
        try:
            place = np.searchsorted(-p, -threshold_for(view, accuracy, level=LEVEL), side="right")
            kept, is_short = share[place - 1], right[place - 1] < accuracy
        except Unreachable:
            kept, is_short = 0.0, False
        found.append(
            {
                "task": task,
                "n": n,
                "accuracy": accuracy,
                "kept": kept,
                "short": is_short,
                "oracle": oracle,
            }
        )
    return found  # fmt: skip


def table(found: pl.DataFrame) -> list[str]:
    """A line for each task and accuracy: short and kept at each size."""
    sizes = [f"{n:,}" for n in sorted(found["n"].unique())]
    columns = [f"{what}, n = {n}" for what in ("short", "kept") for n in sizes]
    lines = head("task", "asked", "could keep", *columns)
    for (task, accuracy), part in found.group_by("task", "accuracy", maintain_order=True):
        by = part.group_by("n").agg(pl.col("short", "kept").mean()).sort("n")
        short = [f"{100 * each:.1f}%" for each in by["short"]]
        kept = [f"{100 * each:.1f}%" for each in by["kept"]]
        could = f"{100 * part['oracle'][0]:.1f}%"
        lines.append("| " + " | ".join([str(task), f"{accuracy:g}", could, *short, *kept]) + " |")
    return lines


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    runs = PER_JOB if quick else RUNS
    cells = product(TASKS, ACCURACIES, SIZES[: 1 if quick else None], range(0, runs, PER_JOB))
    jobs = [(task, n, accuracy, first) for task, accuracy, n, first in cells]
    parts = None if quick else parts_of(PAGE)
    found = gather(judge, jobs, "thresholds", parts)
    lines = [
        "# Thresholds with a guarantee",
        "",
        f"`threshold_for(x, accuracy, level={LEVEL:g})` in {runs:,} samples a cell. \"Short\": how often the rows to "
        "come at or above the threshold found are right less often than asked, in a population of "
        f"{POPULATION:,} rows; at most {100 * (1 - LEVEL):g}% are promised. \"Kept\": the share of the population that "
        "is answered on average, 0 where no threshold was found; \"could keep\": by who knows the population. With the "
        "last task no threshold keeps 0.9: each one found is short.",
        "",
        *table(found),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "polars")


if __name__ == "__main__":
    main()
