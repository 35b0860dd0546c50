"""Claims of exactly 0 and 1, of which the truth is known; writes docs/benchmarks/rounded_claims.md."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from models import DATA
from pages import head, publish
from scipy.special import expit
from studies import gather, is_quick, parts_of

from calibrant import (
    Beta,
    Family,
    Isotonic,
    Platt,
    Predictions,
    Smooth,
    Temperature,
    View,
    binary,
    ece,
    from_logits,
    nll,
    one_class,
    read,
    top_label,
)
from calibrant.fitting.logspace import TINY
from calibrant.fitting.types import Array
from calibrant.simulate import truth_after

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "rounded_claims.md"
REAL = DATA / "real" / "zygmuntz_adult_rf.npz"
FAMILIES: dict[str, Family] = {
    "Temperature": Temperature(),
    "Platt": Platt(),
    "Beta": Beta(),
    "Smooth": Smooth(),
    "Isotonic": Isotonic(),
}
BOUND = ("Temperature", "Platt", "Beta")  # by log odds, so that the reading matters most
SIZES, SEEDS, KNOWN = (200, 1000, 5000), 20, 100_000
HALVES = 10

Random = np.random.Generator
Claims = Literal["tenths", "twentieths", "100 trees", "10 trees", "float32", "0 or 1"]
Reading = Literal["as rounded", "as 1e-38", "not rounded"]

# The mean and spread of the log odds that claims are rounded from.
LATENT: dict[Claims, tuple[float, float]] = {
    "tenths": (1, 2.5),
    "twentieths": (1, 2.5),
    "100 trees": (-1, 3),
    "10 trees": (-1, 3),
    "float32": (12, 12),
    "0 or 1": (1, 2.5),
}
# The true chance at a log odds.
TRUTHS: dict[str, Callable[[Array], Array]] = {
    "half": lambda z: expit(z / 2),
    "quarter": lambda z: expit(z / 4),
    "lower": lambda z: expit(z - 1),
    "noisy": lambda z: 0.05 + 0.9 * expit(z),
    "right": expit,
}


def rounded(claims: Claims, z: Array, random: Random) -> Array:
    """What is claimed in place of the chance expit(z)."""
    p = expit(z)
    match claims:
        case "tenths":
            return np.round(p * 10) / 10
        case "twentieths":
            return np.round(p * 20) / 20
        case "100 trees":
            return random.binomial(100, p) / 100
        case "10 trees":
            return random.binomial(10, p) / 10
        case "float32":
            return p.astype(np.float32)
        case "0 or 1":
            return (p > 0.5).astype(np.float64)


def drawn(claims: Claims, n: int, seed: int) -> tuple[Array, Array, Random]:
    """Log odds, what is claimed of them, and random numbers for their outcomes."""
    random = np.random.default_rng(seed)
    mean, spread = LATENT[claims]
    z = random.normal(mean, spread, n)
    return z, rounded(claims, z, random), random


def true_chances(p: Array, t: Array) -> tuple[View, Array, Array]:
    """Claims that differ, the true chance of each, and how many rows have it."""
    truth = truth_after(p.astype(np.float64), t)
    values, first, count = np.unique(p, return_index=True, return_counts=True)
    return binary(values, np.zeros(len(values))), truth[first], count.astype(np.float64)


def judge(job: tuple[Claims, str, int, int]) -> list[dict[str, Any]]:
    """How far claims are from the truth as given, and after each family under each reading."""
    claims, truth, n, seeds = job
    z, p, _ = drawn(claims, KNOWN, 10**6)
    asked, t, count = true_chances(p, TRUTHS[truth](z))
    whole = from_logits(z[:20_000], np.zeros(20_000, np.int64))
    t_whole = TRUTHS[truth](z[:20_000])
    key = {"claims": claims, "truth": truth, "n": n}
    found: list[dict[str, Any]] = []
    for seed in range(seeds):
        z, p, random = drawn(claims, n, seed)
        y = random.random(n) < TRUTHS[truth](z)
        view = binary(p, y)
        given = float(np.average(np.abs(asked.p - t), weights=count))
        exact = one_class(from_logits(z, y.astype(np.int64)), 1)
        for name, family in FAMILIES.items():
            far = {}
            for reading, x in (("as rounded", view), ("as 1e-38", view.with_floor(TINY))):
                q = family.fit(x)(asked)
                far[reading] = float(np.average(np.abs(q - t), weights=count))
            q = family.fit(exact)(one_class(whole, 1))
            far["not rounded"] = float(np.abs(q - t_whole).mean())
            found.append({**key, "seed": seed, "family": name, "given": given, **far})
    return found


def distances(found: pl.DataFrame, truths: list[str]) -> list[str]:
    """Mean distances x 1000 by claims and n, over some truths; in brackets under the old reading."""
    lines = []
    part = found.filter(pl.col("truth").is_in(truths))
    for claims, n in product(LATENT, sorted(part["n"].unique())):
        rows = part.filter(claims=claims, n=n)
        if not rows.height:
            continue
        cells = [f"{1000 * rows['given'].to_numpy().mean():.1f}"]
        for name in FAMILIES:
            of_family = rows.filter(family=name)
            new, old, exact = (
                1000 * of_family[reading].to_numpy().mean()
                for reading in ("as rounded", "as 1e-38", "not rounded")
            )
            cells.append(f"{new:.1f} ({old:.1f}; {exact:.1f})")
        lines.append("| " + " | ".join([claims, f"{n:,}", *cells]) + " |")
    return [*head("claims", "n", "as given", *FAMILIES), *lines, ""]


def misses(found: pl.DataFrame) -> list[str]:
    """Where a family ends further from the truth than the claims, beyond two standard errors."""
    lines = []
    n_cells, n_too = 0, 0
    by = ["claims", "truth", "n", "family"]
    for key, rows in found.group_by(*by, maintain_order=True):
        if key[3] not in BOUND:
            continue
        n_cells += 1
        gap = 1000 * (rows["as rounded"] - rows["given"]).to_numpy()
        error = gap.std(ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else np.inf
        if gap.mean() <= 2 * error:
            continue
        exact, given, old = (
            1000 * rows[each].to_numpy().mean() for each in ("not rounded", "given", "as 1e-38")
        )
        n_too += exact > given
        claims, truth, rows_fitted, family = key
        cells = [
            claims,
            truth,
            f"{rows_fitted:,}",
            family,
            f"{given:.1f}",
            f"+{gap.mean():.1f}",
            f"{error:.1f}",
        ]
        cells += [f"{old:.1f}", f"{exact:.1f}"]
        lines.append("| " + " | ".join(cells) + " |")
    columns = (*by, "as given", "further by", "s.e.", "as 1e-38", "not rounded")
    told = (
        f"{len(lines)} of {n_cells} cells, by more than two paired standard errors over seeds; in {n_too} of them the "
        "family ends further than the claims as given where nothing is rounded, too."
    )
    return [told, "", *head(*columns), *lines, ""]


def adult(seeds: int) -> list[str]:
    """A real forest: fitted on one half, tested on the other, under either reading."""
    pred = read(REAL)
    assert isinstance(pred, Predictions)
    rows: dict[str, list[tuple[float, float, float]]] = {}
    for seed in range(seeds):
        order = np.random.default_rng(seed).permutation(pred.n)
        fit_on, test = pred[order[: pred.n // 2]], pred[order[pred.n // 2 :]]
        rows.setdefault("as given", []).append((nll(test), ece(top_label(test)), 1.0))
        for name, family in FAMILIES.items():
            for reading, x in (("as rounded", fit_on), ("as 1e-38", fit_on.with_floor(TINY))):
                fitted = family.fit(one_class(x, 1))
                mended = fitted.apply(test)
                t = 1 / getattr(fitted.rule, "inverse", np.nan)
                scores = (nll(mended), ece(top_label(mended)), t)
                rows.setdefault(f"{name}, {reading}", []).append(scores)
    lines = []
    for name, each in rows.items():
        score, error, t = np.mean(each, axis=0)
        temperature = f"{t:.3f}" if np.isfinite(t) else ""
        lines.append(f"| {name} | {score:.4f} | {100 * error:.2f} | {temperature} |")
    return [*head("", "NLL", "ECE of the top label, %", "T"), *lines, ""]


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    seeds = 2 if quick else SEEDS
    jobs: list[tuple[Claims, str, int, int]] = [
        (claims, truth, n, seeds) for claims, truth, n in product(LATENT, TRUTHS, SIZES)
    ]
    if quick:
        jobs = [job for job in jobs if job[2] == 200]
    parts = None if quick else parts_of(PAGE)
    found = gather(judge, jobs, "rounded claims", parts)
    wrong = [name for name in TRUTHS if name != "right"]
    real = adult(2 if quick else HALVES) if REAL.exists() else ["(the file is not here)", ""]
    lines = [
        "# Claims of exactly 0 and 1",
        "",
        "A claim of exactly 0 or 1 is a rounded one. It is read as half the smallest distance of any other claim from "
        "its nearer limit, or as 1/(n + 2) where only 0 and 1 are claimed; before, an exact 0 was read as 1e-38.",
        "",
        "Mean distance of the fitted map from the true chance of those who claim so, x 1000. In brackets: under the "
        "old reading; and of the same family fitted on the log odds z that the claims are rounded from. "
        f"{seeds} seeds. Claims: z is normal, "
        + "; ".join(f"{name}: mean {mean:g}, sd {sd:g}" for name, (mean, sd) in LATENT.items())
        + ". They are expit(z), rounded to tenths, twentieths or float32 (a third is 1.0), drawn as votes of 100 or 10 "
        "trees, or whether z > 0.",
        "",
        "## Claims that are wrong",
        "",
        "Mean over four truths: expit(z/2), expit(z/4), expit(z - 1), .05 + .9 expit(z).",
        "",
        *distances(found, wrong),
        "## Claims that were right before they were rounded",
        "",
        "Nothing can be gained here but at 0 and 1: a fit costs its random variation, with rounding or without.",
        "",
        *distances(found, ["right"]),
        "## Where Temperature, Platt or Beta ends further from the truth than the claims as given",
        "",
        *misses(found),
        "## A real forest",
        "",
        f"`zygmuntz_adult_rf` (16,281 rows, exact 0 and 1 among them), fitted on a half, tested on the other, mean of "
        f"{HALVES} divisions. Claims as given are clipped as `log_loss` clips them; what maps give is not.",
        "",
        *real,
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "polars")


if __name__ == "__main__":
    main()
