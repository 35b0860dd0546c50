"""Evaluators on models calibrated before, and how they rank them; writes docs/benchmarks/calibrated_models.md."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from evaluators import FAMILIES, ROWS, errors
from models import imitation
from pages import head, publish
from scipy.stats import spearmanr
from studies import gather, is_quick, parts_of

from calibrant import (
    Beta,
    Family,
    Identity,
    Isotonic,
    Platt,
    ScalingBinning,
    Smooth,
    Temperature,
    binary,
    samples,
)
from calibrant.simulate import SHAPES, Task, task, truth_after

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "calibrated_models.md"
# From what was claimed at first to what several calibrators make of it.
CALIBRATORS: dict[str, Family] = {
    "none": Identity(),
    "temperature": Temperature(),
    "Platt": Platt(),
    "beta": Beta(),
    "scaling-binning": ScalingBinning(),
    "isotonic": Isotonic(),
    "smooth": Smooth(),
}
ERROR, FITTED_ON, KNOWN_ON = 0.05, 5000, 200_000
SIZES, SEEDS = (1000, 3000, 10000), tuple(range(300, 303))
TASKS = (*SHAPES, *samples.NAMES)


def _task(name: str) -> Task:
    shape = next((each for each in SHAPES if each == name), None)
    return imitation(name) if shape is None else task(shape, ERROR)


def judge(job: tuple[str, int, tuple[int, ...]]) -> list[dict[str, Any]]:
    """What each evaluator finds of each calibrated model on one task."""
    name, seed, sizes = job
    made, found = _task(name), []
    fit_on, known = made.sample(FITTED_ON, seed), made.sample(KNOWN_ON, seed + 10**6)
    for calibrator, family in CALIBRATORS.items():
        mended = family.fit(fit_on.view)
        claims = np.clip(mended(known.view).astype(np.float64), 0, 1)
        truth = truth_after(claims, known.truth)
        everyone = binary(claims, known.view.y)[::10]
        error = float(np.abs(claims - truth).mean())
        for n in sizes:
            drawn = made.sample(n, seed + 2 * 10**6)
            view = binary(np.clip(mended(drawn.view).astype(np.float64), 0, 1), drawn.view.y)
            for row in ROWS:
                fitted = FAMILIES[row].fit(view)
                found.append(
                    {"task": name, "seed": seed, "n": n, "row": row, "calibrator": calibrator, "true": error,
                     "estimate": errors(fitted, view)[0],
                     "map": 1000 * float(np.abs(fitted(everyone) - truth[::10]).mean())}
                )  # fmt: skip
    return found


def tables(found: pl.DataFrame) -> list[str]:
    """Distances from the truth by n, of calibrated models alone, and the rank correlation over all."""
    sizes = sorted(found["n"].unique())
    mended = found.filter(pl.col("calibrator") != "none").with_columns(
        error=1000 * (pl.col("estimate") - pl.col("true")).abs(),
        bias=1000 * (pl.col("estimate") - pl.col("true")),
    )
    ranks = [
        (*key, spearmanr(part["estimate"], part["true"]).statistic)
        for key, part in found.group_by("row", "n", "task", "seed")
    ]
    ranked = pl.DataFrame(ranks, schema=["row", "n", "task", "seed", "rank"], orient="row")
    lines = []
    for row in ROWS:
        parts = [mended.filter(n=n, row=row) for n in sizes]
        shown = (("map", ".2f"), ("error", ".2f"), ("bias", "+.2f"))
        cells = [
            f"{part[column].to_numpy().mean():{form}}" for column, form in shown for part in parts
        ]
        cells += [f"{ranked.filter(n=n, row=row)['rank'].to_numpy().mean():.3f}" for n in sizes]
        lines.append("| " + " | ".join([row, *cells]) + " |")
    columns = [f"{what}, n = {n}" for what in ("map", "error", "bias", "rank") for n in sizes]
    return [*head("", *columns), *lines, ""]


def truths(found: pl.DataFrame) -> list[str]:
    """What error each calibrator leaves."""
    mean = found.group_by("task", "calibrator", maintain_order=True).agg(
        1000 * pl.col("true").mean()
    )
    left = {(task, calibrator): value for task, calibrator, value in mean.iter_rows()}
    tasks = list(dict.fromkeys(found["task"]))
    lines = [
        f"| {each} | " + " | ".join(f"{left[made, each]:.1f}" for made in tasks) + " |"
        for each in CALIBRATORS
    ]
    return [*head("", *tasks), *lines, ""]


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    jobs: list[tuple[str, int, tuple[int, ...]]] = [
        (name, seed, SIZES) for name, seed in product(TASKS, SEEDS)
    ]
    if quick:
        jobs = [(name, SEEDS[0], SIZES[:1]) for name in ("square", "c10-lenet5")]
    parts = None if quick else parts_of(PAGE)
    found = gather(judge, jobs, "calibrated models", parts)
    lines = [
        "# Models that were calibrated before",
        "",
        f"Claims of the five shapes with error {ERROR}, and of {len(samples.NAMES)} real models, mended by maps fitted "
        f"on {FITTED_ON:,} rows; evaluators are then given n other rows. {len(SEEDS)} seeds a task. The truth behind a "
        f"mended claim is the mean true chance of the rows that share it, of {KNOWN_ON:,}.",
        "",
        "\"map\": mean distance of the evaluator's map from the truth, x 1000; \"error\": |estimated - true error|, "
        "x 1000; \"bias\": estimate less truth; these of mended claims alone. \"rank\": rank correlation of estimates "
        "and truths over the claims as they were and all that was made of them. Errors of bins are debiased.",
        "",
        *tables(found),
        "## True errors that are left, x 1000",
        "",
        *truths(found),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "polars")


if __name__ == "__main__":
    main()
