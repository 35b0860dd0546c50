"""What debiasing takes off errors that chance makes, and whether it harms; writes docs/benchmarks/debiasing.md."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from evaluators import FAMILIES
from pages import head, publish
from studies import gather, is_quick, parts_of

from calibrant import calibration_error
from calibrant.measures.errors import Debias
from calibrant.simulate import Shape, task

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "debiasing.md"
# How each row is debiased; twenty more fits, so those that are slow stand on fewer seeds.
ROWS: dict[str, tuple[str, Debias, int]] = {
    "ES15, formula": ("ES15", True, 60),
    "ES15, draws": ("ES15", "draws", 60),
    "Smooth": ("Smooth", True, 60),
    "Beta": ("Beta", True, 60),
    "Isotonic": ("Isotonic", True, 60),
    "PL3": ("PL3", True, 6),
}
SIZES, FIRST_SEED = (1000, 10000), 500
# With error 0 all shapes are one.
TASKS: tuple[tuple[Shape, float], ...] = (
    ("square", 0.0), ("square", 0.02), ("beta1", 0.02), ("stairs", 0.02), ("square", 0.05), ("beta1", 0.05),
    ("stairs", 0.05),
)  # fmt: skip


def judge(job: tuple[str, int, tuple[int, ...]]) -> list[dict[str, Any]]:
    """Errors with and without debiasing, less the true one, on samples of every task."""
    row, n, seeds = job
    name, debias, _ = ROWS[row]
    found = []
    # Where claims are right there are thrice the samples, as there is but one shape.
    more = [seed + 1000 * turn for turn in (1, 2) for seed in seeds]
    for (shape, error), seed in [*product(TASKS, seeds), *product(TASKS[:1], more)]:
        view, truth = task(shape, error).sample(n, seed)
        true = float(np.abs(view.p - truth).mean())
        plain, freed = (
            calibration_error(view, FAMILIES[name], debias=by) - true for by in (False, debias)
        )
        found.append(
            {
                "row": row,
                "n": n,
                "seed": seed,
                "error": error,
                "plain": 1000 * plain,
                "freed": 1000 * freed,
            }
        )
    return found


def table(found: pl.DataFrame) -> list[str]:
    """Bias at 0 before and after, and the mean distance from the truth before and after, over all tasks."""
    lines = []
    for (row, n), part in found.group_by("row", "n", maintain_order=True):
        zero = part.filter(error=0.0).select(pl.col("plain", "freed").mean()).row(0)
        distance = part.group_by("error").agg(pl.col("plain", "freed").abs().mean()).select(
            pl.col("plain", "freed").mean()
        ).row(0)  # fmt: skip
        above = (
            part.select(
                seed=pl.col("seed") % 1000, harm=pl.col("freed").abs() - pl.col("plain").abs()
            )
            .group_by("seed")
            .mean()
        )
        harm = above["harm"].to_numpy()
        cells = [f"{zero[0]:+.2f}", f"{zero[1]:+.2f}", f"{1 - abs(zero[1]) / abs(zero[0]):.0%}", f"{distance[0]:.2f}",
                 f"{distance[1]:.2f}", f"{harm.mean():+.2f} ± {harm.std(ddof=1) / np.sqrt(len(harm)):.2f}"]  # fmt: skip
        lines.append(
            "| "
            + " | ".join([str(row), str(n), str((part["seed"] % 1000).n_unique()), *cells])
            + " |"
        )
    columns = (
        "",
        "n",
        "seeds",
        "bias at 0",
        "debiased",
        "taken off",
        "distance",
        "debiased",
        "added, paired",
    )
    return [*head(*columns), *lines, ""]


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    jobs = [
        (row, n, tuple(range(first, min(first + 4, FIRST_SEED + seeds))))
        for n, (row, (*_, seeds)) in product(SIZES, ROWS.items())
        for first in range(FIRST_SEED, FIRST_SEED + seeds, 4)
    ]
    if quick:
        jobs = [(row, SIZES[0], (FIRST_SEED, FIRST_SEED + 1)) for row in ROWS]
    parts = None if quick else parts_of(PAGE)
    found = gather(judge, jobs, "debiasing", parts)
    lines = [
        "# Debiasing",
        "",
        "Chance adds to errors that are fitted on the test rows. Estimated less true error, x 1000, where claims are "
        "right, with `debias` and without; then the mean distance of estimates from the truth, over true errors 0 "
        "(three samples a seed), 0.02 and 0.05 of the shapes square, beta1 and stairs, each error weighing the same; "
        "and what debiasing adds "
        "to it over all samples, with its standard error paired by seed. Seeds had no part in any choice. \"formula\" "
        "is that of Kängsepp et al. 2022 for bins, `debias=True`; all others subtract, as squares, what outcomes "
        "drawn from the claims show.",
        "",
        *table(found),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "polars")


if __name__ == "__main__":
    main()
