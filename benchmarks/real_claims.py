"""Evaluators on the claims of real models, whose outcomes follow a known map; writes docs/benchmarks/real_claims.md."""

from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from evaluators import FAMILIES, OURS, ROWS, errors
from models import imitation, names
from pages import head, publish
from scipy.special import entr, xlogy
from studies import gather, is_quick, parts_of

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "real_claims.md"
# Maps that may lie outside [0, 1], or jump, are no calibrators.
CALIBRATORS = ("Platt", "Beta", "Isotonic", "Spline, natural", "PL", "PL3", OURS)
SIZES, SEEDS = (1000, 5000), tuple(range(100, 108))

Measure = Literal["F20", "F21", "log", "squared"]
CAPTIONS: dict[Measure, str] = {
    "F20": "distance of the fitted map from the true one, x 1000",
    "F21": "|estimated - true calibration error|, x 1000",
    "log": "expected log loss beyond that of the truth, x 1000; a chance of 0 or 1 that is not one costs ∞",
    "squared": "expected squared loss beyond that of the truth, x 1000",
}


def judge(job: tuple[str, int, tuple[int, ...]]) -> list[dict[str, Any]]:
    """What each family finds on samples of one model's claims."""
    name, n, seeds = job
    made, found = imitation(name), []
    t = made.truth.astype(np.float64)
    for seed in seeds:
        view, true = made.sample(n, seed)
        error = float(np.abs(view.p - true).mean())
        for row in ROWS:
            fitted = FAMILIES[row].fit(view)
            q = fitted(made.claims).astype(np.float64)
            record = {"name": name, "n": n, "seed": seed, "row": row, "F20": 1000 * float(np.abs(q - t).mean()),
                      "F21": 1000 * abs(errors(fitted, view)[0] - error)}  # fmt: skip
            if row in CALIBRATORS:
                q = np.clip(q, 0, 1)
                loss = -(xlogy(t, q) + xlogy(1 - t, 1 - q)) - entr(t) - entr(1 - t)
                record |= {
                    "log": 1000 * float(loss.mean()),
                    "squared": 1000 * float(np.square(q - t).mean()),
                }
            found.append(record)
    return found


def over_all(found: pl.DataFrame, measure: Measure) -> list[str]:
    """Means over models and seeds by n, each with what it lies above Smooth's and the paired standard error of that."""
    lines = []
    for row in ROWS if measure in ("F20", "F21") else CALIBRATORS:
        cells = []
        for n in sorted(found["n"].unique()):
            values, ours = (
                found.filter(n=n, row=each).sort("name", "seed")[measure].to_numpy()
                for each in (row, OURS)
            )
            above, endless = values - ours, int(np.isinf(values).sum())
            se = (
                f" ({above.mean():+.2f} ± {above.std(ddof=1) / np.sqrt(len(above)):.2f})"
                if row != OURS
                else ""
            )
            cells.append(
                f"∞ in {endless} of {len(values)}" if endless else f"{values.mean():.2f}{se}"
            )
        lines.append("| " + " | ".join([row, *cells]) + " |")
    sizes = [f"n = {n}" for n in sorted(found["n"].unique())]
    return [f"**{measure}**: {CAPTIONS[measure]}.", "", *head("", *sizes), *lines, ""]


def by_model(found: pl.DataFrame, measure: Measure) -> list[str]:
    """A line for each model and size: what each family shows, which is best, and what Smooth lies beyond it."""
    lines, beyond = [], []
    means = found.filter(pl.col(measure).is_not_null()).group_by(
        "name", "n", "row", maintain_order=True
    )
    rows = ROWS if measure in ("F20", "F21") else CALIBRATORS
    for (name, n), part in means.agg(pl.col(measure).mean()).group_by(
        "name", "n", maintain_order=True
    ):
        shown = dict(part.select("row", measure).iter_rows())
        best = min(shown, key=lambda row: shown[row])
        beyond.append(shown[OURS] / shown[best] - 1)
        figures = ("∞" if np.isinf(shown[row]) else f"{shown[row]:.2f}" for row in rows)
        lines.append(
            "| "
            + " | ".join([str(name), str(n), *figures, best, f"{100 * beyond[-1]:.0f}%"])
            + " |"
        )
    summary = (
        f"{OURS} is best in {sum(x == 0 for x in beyond)} of {len(beyond)}, within 20% of the best in "
        f"{sum(x <= 0.2 for x in beyond)}; at most {100 * max(beyond):.0f}% beyond it, {100 * np.median(beyond):.0f}% "
        "in the median."
    )
    table = [*head("claims of", "n", *rows, "best", f"{OURS} beyond it"), *lines]
    return [f"**{measure}**: {CAPTIONS[measure]}. {summary}", "", *table, ""]


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    jobs = [(name, n, SEEDS) for name, n in product(names(), SIZES)]
    if quick:
        jobs = [(name, n, SEEDS[:2]) for name, n in product(names()[:2], SIZES[:1])]
    parts = None if quick else parts_of(PAGE)
    found = gather(judge, jobs, "claims of real models", parts)
    lines = [
        "# Claims of real models",
        "",
        "Top-label claims of real predictions, drawn with replacement; outcomes follow a centred isotonic map of all "
        f"rows, which is taken for the truth. Means of {len(SEEDS)} seeds {SEEDS[0]}, ..., {SEEDS[-1]} of "
        f"{len(names())} models. Errors of bins are debiased in F21. In brackets what a row lies above {OURS} on the "
        f"same draws, with its standard error. The scales of {OURS} were settled with a look at draws with other seeds "
        "of these claims.",
        "",
        *(line for measure in CAPTIONS for line in over_all(found, measure)),
        "## Model by model",
        "",
        *(line for measure in CAPTIONS for line in by_model(found, measure)),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "polars")


if __name__ == "__main__":
    main()
