"""Kernel estimators on the draws of Kängsepp et al. 2022; writes docs/benchmarks/kernel_rows.md."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from pages import head, publish
from printed import Table
from studies import gather, is_quick, parts_of
from synthetic import PUBLISHED, QUICK, Draws
from synthetic_tables import CAPTIONS, by_draw

from calibrant import (
    Kernel,
    Smooth,
    calibration_error,
    kde_decompose,
    kde_error,
    smece,
    triweight_error,
)
from calibrant.families.binary.kernel import Neighbours
from calibrant.simulate import SHAPES, Shape, task

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "kernel_rows.md"
ROWS = ("Kernel", "Kernel, eq. 14", "triweight", "smooth ECE", "Smooth")


def judge(job: tuple[Draws, Shape, float]) -> list[dict[str, Any]]:
    """What each estimator finds on every sample of one task."""
    draws, shape, error = job
    test, truth = task(shape, error).sample(10**6, seed=0)
    test, truth = test[::100], truth[::100]
    found = []
    for n, seed in product(draws.sizes, draws.seeds):
        view, true = task(shape, error).sample(n, seed)
        first, second = float(np.abs(view.p - true).mean()), float(np.square(view.p - true).mean())
        kernel, smooth = Kernel().fit(view), Smooth().fit(view)
        assert isinstance(kernel.rule, Neighbours)
        h = kernel.rule.bandwidth
        maps = {"Kernel": kernel, "Smooth": smooth}
        errors = {"Kernel": kde_error(view, bandwidth=h), "triweight": triweight_error(view),
                  "smooth ECE": smece(view), "Smooth": calibration_error(view)}  # fmt: skip
        squares = {
            "Kernel": kde_error(view, bandwidth=h, norm=2) ** 2,
            "Kernel, eq. 14": kde_decompose(view, bandwidth=h).miscalibration,
            "triweight": triweight_error(view, norm=2) ** 2,
            "Smooth": calibration_error(view, norm=2) ** 2,
        }
        found += [
            {"row": row, "shape": shape, "error": error, "n": n, "seed": seed, "true": first,
             "estimate": errors.get(row),
             "F20": 1000 * float(np.abs(maps[row](test) - truth).mean()) if row in maps else None,
             "F21": 1000 * abs(errors[row] - first) if row in errors else None,
             "F22": 1000 * abs(squares[row] - second) if row in squares else None}
            for row in ROWS
        ]  # fmt: skip
    return found


def table(found: pl.DataFrame, name: Table) -> list[str]:
    """Means by shape."""
    means = by_draw(found, name).group_by("row", "shape").agg(pl.col("value").mean())
    told = {(row, shape): value for row, shape, value in means.iter_rows()}
    digits = 4 if name == "F23" else 2
    lines = []
    for row in ROWS:
        values = [told.get((row, shape)) for shape in SHAPES]
        if None not in values:
            cells = [f"{value:.{digits}f}" for value in [*values, float(np.mean(values))]]  # type: ignore[arg-type]
            lines.append("| " + " | ".join([row, *cells]) + " |")
    return [f"**{name}**: {CAPTIONS[name]}.", "", *head("", *SHAPES, "mean"), *lines, ""]


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    draws, parts = (QUICK, None) if quick else (PUBLISHED, parts_of(PAGE))
    found = gather(judge, draws.jobs, "kernel estimators", parts)
    lines = [
        "# Kernel estimators where the true map is known",
        "",
        "The draws of Kängsepp et al. 2022, as in [synthetic.md](synthetic.md), where all other rows stand. Kernel: "
        "the map of Beta kernels, bandwidth by likelihood; its errors are `kde_error`, which leaves each row out, and "
        "with eq. 14 of Popordanoska et al. 2022 the squared error without bias. triweight: the KDE-ECE of Zhang et "
        "al. 2020. Maps are tested on 10,000 claims.",
        "",
        *(line for name in CAPTIONS for line in table(found, name)),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "polars")


if __name__ == "__main__":
    main()
