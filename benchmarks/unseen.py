"""Smooth and others on claims and maps that no choice was made on; writes docs/benchmarks/unseen.md."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from evaluators import errors
from pages import head, publish
from scipy.special import entr, xlogy
from studies import gather, is_quick, parts_of
from unseen_tasks import TESTED_ON, UNSEEN, UNSEEN_MAPS, Known, UnseenTask

from calibrant import (
    BBQ,
    Beta,
    Binned,
    Family,
    Isotonic,
    PiecewiseLinear,
    Platt,
    Quadratic,
    ScalingBinning,
    Smooth,
    Spline,
    Temperature,
    VennAbers,
    View,
    binary,
)
from calibrant.families.maps import Map

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "unseen.md"
OURS = "Smooth"
FAMILIES: dict[str, Family] = {
    "as claimed": Temperature(),
    "ES15": Binned(15, edges="mass"),
    "sweep": Binned(edges="mass", rule="sweep"),
    "CV": Binned(edges="mass", rule="cv"),
    "Scaling-binning": ScalingBinning(),
    "BBQ": BBQ(),
    "Isotonic": Isotonic(),
    "Isotonic, centred": Isotonic(centred=True),
    "Venn-Abers": VennAbers(),
    "Temperature": Temperature(),
    "Platt": Platt(),
    "Beta": Beta(),
    "Quadratic": Quadratic(),
    "Spline": Spline(),
    "PL3": PiecewiseLinear(space="logit"),
    OURS: Smooth(),
}
AS_CLAIMED = "as claimed"
SIZES = (200, 1000, 5000)
SEEDS = tuple(range(700, 709))
COLUMNS = {"map": "map", "kl": "KL", "estimate": "estimate"}
TWICE = 2.0

Job = tuple[str, str, tuple[int, ...], tuple[int, ...]]


@cache
def _asked(known: Known) -> View:
    return binary(known.p, np.zeros(len(known.p)))


def _map_of(row: str, view: View) -> Map | None:
    return None if row == AS_CLAIMED else FAMILIES[row].fit(view)


def _record(fitted: Map | None, view: View, known: Known) -> dict[str, float]:
    """Distances of a map from the truth, and of the error that it shows from the true one, x 1000."""
    t = known.truth
    q = known.p if fitted is None else np.clip(fitted(_asked(known)), 0, 1)
    q = q.astype(np.float64)
    with np.errstate(divide="ignore"):
        loss = -(xlogy(t, q) + xlogy(1 - t, 1 - q)) - entr(t) - entr(1 - t)
    found = {
        "map": 1000 * float(np.abs(q - t).mean()),
        "kl": 1000 * float(loss.mean()),
    }
    if fitted is not None:
        true = float(np.abs(known.p - t).mean())
        found["estimate"] = 1000 * abs(errors(fitted, view)[0] - true)
    return found


def _covered(fitted: Map, known: Known) -> float:
    """Percent of claims whose truth lies in the band."""
    view = _asked(known).with_floor(fitted.floor)
    low, high = (np.asarray(end) for end in fitted.rule.band(view))
    rounding = 1e-9
    return 100 * float(((low - rounding <= known.truth) & (known.truth <= high + rounding)).mean())


def judge(job: Job) -> list[dict[str, Any]]:
    """What each family makes of samples of one task."""
    claims, name, sizes, seeds = job
    task = UnseenTask(UNSEEN[claims], UNSEEN_MAPS[name])
    known = task.known()
    found = []
    for n, seed in product(sizes, seeds):
        view = task.sample(n, seed + 1000 * n)
        for row in FAMILIES:
            fitted = _map_of(row, view)
            cell = {"claims": claims, "curve": name, "n": n, "seed": seed, "row": row}
            record = {**cell, **_record(fitted, view, known)}
            if row == OURS and fitted is not None:
                record["covered"] = _covered(fitted, known)
            found.append(record)
    return found


def _means(found: pl.DataFrame, *by: str) -> dict[tuple[Any, ...], dict[str, float]]:
    grouped = found.group_by(*by).agg(pl.col("map", "kl", "estimate", "covered").mean())
    return {tuple(row[name] for name in by): row for row in grouped.iter_rows(named=True)}


def twice_table(found: pl.DataFrame) -> list[str]:
    """Cells in which the map of Smooth is more than twice as far off as the best."""
    means = _means(found, "claims", "curve", "n", "row")
    lines = []
    n_cells = 0
    for claims, curve, n in product(UNSEEN, UNSEEN_MAPS, SIZES):
        cell = {
            row: means[claims, curve, n, row]["map"]
            for row in FAMILIES
            if (claims, curve, n, row) in means
        }
        if not cell:
            continue
        n_cells += 1
        cell.pop(AS_CLAIMED)
        best = min(cell, key=lambda row: cell[row])
        if cell[OURS] > TWICE * cell[best]:
            told = (claims, curve, f"{n:,}", f"{cell[OURS]:.2f}", f"{best} {cell[best]:.2f}")
            lines.append((cell[OURS] / cell[best], "| " + " | ".join(told) + " |"))
    lines.sort(reverse=True)
    counted = f"{len(lines)} of {n_cells} cells, the worst first."
    table = head("claims", "map", "n", "Smooth", "best")
    return [counted, "", *table, *(line for _, line in lines), ""]


def _paired(found: pl.DataFrame, column: str, n: int, row: str) -> str:
    """A mean, and what it lies above that of Smooth, with its standard error over cells and seeds."""
    part = found.filter(n=n)
    own, ours = (
        part.filter(row=each).sort("claims", "curve", "seed")[column].to_numpy()
        for each in (row, OURS)
    )
    if own.dtype == object or np.isnan(own.astype(float)).all():
        return ""
    if not np.isfinite(own).all():
        return "∞"
    above = own - ours
    told = f"{own.mean():.2f}"
    if row == OURS:
        return f"**{told}**"
    error = above.std(ddof=1) / np.sqrt(len(above))
    return f"{told} ({above.mean():+.2f} ± {error:.2f})"


def mean_table(found: pl.DataFrame, column: str) -> list[str]:
    """A line for each family, a column for each n."""
    lines = []
    for row in FAMILIES:
        cells = [_paired(found, column, n, row) for n in SIZES if n in found["n"]]
        lines.append("| " + " | ".join([row, *cells]) + " |")
    return [*head("", *(f"n = {n:,}" for n in SIZES if n in found["n"])), *lines, ""]


def claims_table(found: pl.DataFrame) -> list[str]:
    """Mean map errors by kind of claims; the least in bold."""
    means = _means(found, "claims", "row")
    kinds = [claims for claims in UNSEEN if (claims, OURS) in means]
    least = {claims: min(means[claims, row]["map"] for row in FAMILIES) for claims in kinds}
    lines = []
    for row in FAMILIES:
        cells = []
        for claims in kinds:
            value = means[claims, row]["map"]
            told = f"{value:.2f}"
            cells.append(f"**{told}**" if value == least[claims] else told)
        lines.append("| " + " | ".join([row, *cells]) + " |")
    return [*head("", *kinds), *lines, ""]


def coverage_table(found: pl.DataFrame) -> list[str]:
    """Coverage of Smooth's 95% band by kind of claims and n."""
    ours = found.filter(row=OURS)
    by_n = _means(ours, "claims", "n")
    by_claims = _means(ours, "claims")
    return [*head("claims", *(f"n = {n:,}" for n in SIZES), "all"), *_coverage(by_n, by_claims), ""]


def _coverage(by_n: dict[Any, Any], by_claims: dict[Any, Any]) -> Iterator[str]:
    for claims in UNSEEN:
        if (claims,) not in by_claims:
            continue
        cells = [by_n[claims, n]["covered"] for n in SIZES if (claims, n) in by_n]
        cells.append(by_claims[claims,]["covered"])
        yield "| " + " | ".join([claims, *(f"{cell:.1f}" for cell in cells)]) + " |"


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    jobs: list[Job] = [
        (claims, name, SIZES, SEEDS[start : start + 3])
        for claims, name, start in product(UNSEEN, UNSEEN_MAPS, range(0, len(SEEDS), 3))
    ]
    if quick:
        jobs = [("bathtub", "kink", SIZES, SEEDS[:2]), ("hundredths", "right", SIZES, SEEDS[:2])]
    parts = None if quick else parts_of(PAGE)
    found = gather(judge, jobs, "unseen tasks", parts)
    lines = [
        "# Claims and maps that no choice was made on",
        "",
        f"{len(UNSEEN)} kinds of claims, four with heavy ends and two with exact 0 and 1, {len(UNSEEN_MAPS)} true maps "
        f"(`benchmarks/unseen_tasks.py`), n = 200, 1,000 and 5,000, {len(SEEDS)} seeds: every setting of Smooth was "
        "chosen on other claims and maps. The truth behind a claim that was rounded is the mean truth of all that show "
        f"the same. Maps are asked of {TESTED_ON:,} fresh claims. All numbers x 1000.",
        "",
        "## Where Smooth is more than twice as far from the truth as the best",
        "",
        *twice_table(found),
        "## The map: mean distance from the truth",
        "",
        "In brackets what a family lies above Smooth, with its paired standard error over all tasks and seeds.",
        "",
        *mean_table(found, "map"),
        "## KL: what is lost, in nats, beyond the truth",
        "",
        "It is endless where a map gives 0 or 1, be it by rounding, to what is not.",
        "",
        *mean_table(found, "kl"),
        "## The estimate: |mean gap that the map shows - true error|",
        "",
        "Of bins it is debiased.",
        "",
        *mean_table(found, "estimate"),
        "## The map by kind of claims",
        "",
        *claims_table(found),
        "## Percent of claims whose truth lies in Smooth's 95% band",
        "",
        *coverage_table(found),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "polars")


if __name__ == "__main__":
    main()
