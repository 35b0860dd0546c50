"""Priors found again in rows without labels, and what that is worth; writes docs/benchmarks/shift.md."""

from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pages import costs, head, publish
from scipy.special import expit
from studies import gather, is_quick, parts_of

from calibrant import Predictions, VectorScaling, binary, from_probs, nll, samples
from calibrant.shift import (
    PriorShift,
    estimate_prior,
    estimate_without_labels,
    importance_weights,
)

Array = NDArray[np.floating[Any]]
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "shift.md"
RUNS, PER_JOB, ROWS = 200, 20, (500, 2000)
# The share of the first class, or of the first half of the classes, in the new population.
SHARES = (0.5, 0.8, 0.95)
NORMALS = {
    "2 classes, claims right": 2,
    "3 classes, claims right": 3,
    "10 classes, claims right": 10,
}
SAMPLES: dict[str, samples.Name] = {
    "c10-resnet18, mended": "c10-resnet18",
    "c10-lenet5, mended": "c10-lenet5",
}


def prior(k: int, share: float) -> Array:
    """So much for the first half of the classes together."""
    half = k // 2 if k > 3 else 1
    return np.repeat([share / half, (1 - share) / (k - half)], [half, k - half])


def normals(random: np.random.Generator, k: int, n: int, shares: Array) -> Predictions:
    """Classes that are normal around corners, with the chances that hold where all are as frequent."""
    labels = random.choice(k, n, p=shares)
    x = 2 * np.eye(k)[labels] + random.normal(0, 1, (n, k))
    p = np.exp(2 * x - (2 * x).max(1, keepdims=True))
    return from_probs(p / p.sum(1, keepdims=True), labels)


@cache
def mended(name: samples.Name) -> tuple[Predictions, Predictions]:
    """A sample's predictions through vector scaling, which is fitted on rows of its own."""
    fit_on, test = samples.load(name)
    fitted = VectorScaling().fit(fit_on)
    return fitted.apply(fit_on), fitted.apply(test)


def populations(
    task: str, random: np.random.Generator, n: int, share: float
) -> tuple[Predictions, Predictions]:
    """Rows with labels, and rows of a population whose classes have other shares."""
    if task in NORMALS:
        k = NORMALS[task]
        even = np.full(k, 1 / k)
        return normals(random, k, n, even), normals(random, k, n, prior(k, share))
    here, test = mended(SAMPLES[task])
    labels = random.choice(test.k, n, p=prior(test.k, share))
    rows = [random.choice(np.flatnonzero(test.labels == label)) for label in labels]
    return here, test[np.array(rows)]


def find(job: tuple[str, int, float, int]) -> list[dict[str, Any]]:
    """Estimated shares and their intervals, and the log loss before and after."""
    task, n, share, first = job
    found = []
    for seed in range(first, first + PER_JOB):
        random = np.random.default_rng(seed)
        here, there = populations(task, random, n, share)
        truth = prior(here.k, share)
        estimate = estimate_prior(here, from_probs(there.probs))
        holds = (estimate.low <= truth) & (truth <= estimate.high)
        known = PriorShift(tuple(truth)).fit(here).apply(there)
        learnt = PriorShift("estimate").fit(here, there).apply(there)
        found.append({
            "task": task,
            "n": n,
            "share": share,
            "holds": float(holds.mean()),
            "off": float(np.abs(estimate.shares - truth).mean()),
            "before": nll(there),
            "after": nll(learnt),
            "known": nll(known),
        })  # fmt: skip
    return found


def table(found: pl.DataFrame) -> list[str]:
    """A line for each task, size and shift."""
    estimated = ("within the interval", "off by")
    losses = ("log loss before", "after", "prior known")
    lines = head("task", "rows", "first classes", *estimated, *losses)
    for (task, n, share), part in found.group_by("task", "n", "share", maintain_order=True):
        mean = {name: part[name].to_numpy().mean() for name in part.columns[3:]}
        lines.append(
            f"| {task} | {n:,} | {share:g} | {100 * mean['holds']:.1f}% | {mean['off']:.4f} "
            f"| {mean['before']:.4f} | {mean['after']:.4f} | {mean['known']:.4f} |"
        )
    return lines


def cost_table(n: int) -> list[str]:
    """Seconds for as many rows."""
    random = np.random.default_rng(0)
    p = expit(random.normal(0, 2, n))
    here, there = binary(p, random.random(n) < p), binary(p**2, random.random(n) < p)
    columns = random.normal(size=(2, n, 3))
    acts: dict[str, Callable[[], object]] = {
        '`PriorShift("estimate").fit`': lambda: PriorShift("estimate").fit(here, there),
        "`estimate_prior`": lambda: estimate_prior(here, there),
        "`importance_weights`, 3 columns of numbers": lambda: importance_weights(*columns),
        "`estimate_without_labels`": lambda: estimate_without_labels(here, there),
    }
    return costs(acts)


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    runs, rows = (PER_JOB, 10_000) if quick else (RUNS, 1_000_000)
    tasks = [*NORMALS, *SAMPLES]
    cells = product(tasks, ROWS[: 1 if quick else None], SHARES, range(0, runs, PER_JOB))
    parts = None if quick else parts_of(PAGE)
    found = gather(find, list(cells), "shift", parts)
    lines = [
        "# Other shares of the classes",
        "",
        f"`estimate_prior` and `PriorShift(\"estimate\")` in {runs} samples a cell. The new rows have no labels; the "
        'first class, of ten classes the first five together, has the share in the third column. "Within the '
        'interval": of the true shares those that the 95% interval holds; "off by": the mean distance of estimated '
        "shares. Log loss of the new rows as they are claimed, with the prior estimated, and with the true one. Where "
        "claims are right, so are its conditions; those of real networks were mended by vector scaling on other "
        "rows, and rows of their test set resampled by class.",
        "",
        *table(found),
        "",
        "## Cost",
        "",
        f"{rows:,} rows here and as many there, once each, on a machine that had other work too.",
        "",
        *cost_table(rows),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "polars")


if __name__ == "__main__":
    main()
