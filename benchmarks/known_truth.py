"""Whole vectors judged by their distance from known true chances; writes docs/benchmarks/known_truth.md.

Families by KL divergence from p(y|x) to what their maps give, evaluators by their distance from the true errors.
"""

import time
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from arena import FAMILIES, NONE, PEERS, SELECT, mended
from constructions import CONSTRUCTIONS, draw, keeps_truth
from pages import head, publish
from studies import gather, is_quick, parts_of

import calibrant as c
from calibrant.fitting.types import Array, Ints

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "known_truth.md"
CLASSES = (2, 3, 10, 50)
SEEDS = {200: range(2), 1000: range(2), 5000: range(1), 10_000: range(1)}
TEST_ROWS = {2: 100_000, 3: 100_000, 10: 30_000, 50: 5_000}
TRUE_ROWS = {2: 10**6, 3: 10**6, 10: 300_000, 50: 60_000}
TEST_SEED, TRUE_SEED = 10**6, 2 * 10**6
# Cross-validation over a grid of strengths takes minutes here.
SLOW = ("MS-ODIR", "Dirichlet-ODIR")
SLOW_CLASSES = 50
KERNEL_ROWS = 1000
# KL below this is nothing that anybody could see: a ratio of two such would be noise.
LEAST = 5e-4
CELLS = 60
EVALUATORS: dict[str, c.Family] = {
    "Smooth": c.Smooth(),
    "Beta": c.Beta(),
    "Isotonic": c.Isotonic(),
    "ES15, debiased": c.Binned(15, edges="mass"),
    "EW15": c.Binned(15),
    "sweep": c.Binned(edges="mass", rule="sweep"),
    "CV bins": c.Binned(edges="mass", rule="cv"),
}
What = Literal["families", "choice", "evaluators"]
WHATS: tuple[What, ...] = ("evaluators", "families", "choice")
Job = tuple[What, str, int, int, int]


class TrueErrors(NamedTuple):
    """True errors of a construction's claims, norm 1."""

    top: float
    classwise: float
    vector: float


def judge(job: Job) -> list[dict[str, Any]]:
    """What families, the choice between them, or evaluators make of one set of rows."""
    what, name, k, n, seed = job
    about = {"name": name, "k": k, "n": n, "seed": seed}
    pred = draw(name, k, n, seed).pred
    found = _estimates(name, pred) if what == "evaluators" else _maps(what, name, pred)
    return [about | each for each in found]


def _maps(what: What, name: str, pred: c.Predictions) -> list[dict[str, Any]]:
    k = pred.k
    test = draw(name, k, TEST_ROWS[k], TEST_SEED)
    missed = lost(name, k)
    found = []
    for each in (NONE, *FAMILIES) if what == "families" else (SELECT, *PEERS):
        if each in SLOW and k >= SLOW_CLASSES:
            continue
        start = time.process_time()
        try:
            logs = mended(each, pred, test.pred).log_probs
        except Exception as error:
            print(f"{each}, {name}, k = {k}, n = {pred.n}: {error!r}"[:300])
            continue
        seconds = time.process_time() - start
        kl = divergence(test.truth, logs) - missed
        found.append({"family": each, "kl": kl, "seconds": seconds})
    return found


def divergence(truth: Array, logs: Array) -> float:
    """The mean KL divergence from the truth; a class that is possible but said not to be costs ln 1e300."""
    own = np.log(np.maximum(truth, 1e-300))
    claimed = np.maximum(logs.astype(np.float64), -690.0)
    return float((truth * (own - claimed)).sum(1).mean())


@cache
def lost(name: str, k: int) -> float:
    """What no map can give back, as claims do not tell all that x does."""
    if keeps_truth(name, k):
        return 0.0
    rows = draw(name, k, TEST_ROWS[k], TEST_SEED)
    return divergence(rows.truth, np.log(_given_claims(rows.pred.probs, rows.truth)))


def _given_claims(p: Array, truth: Array) -> Array:
    """The mean truth of the rows with about the same claims, of two or three classes.

    Cells of few rows, by quantiles of log odds against the first class.
    """
    k = p.shape[1]
    parts = CELLS**2 if k == 2 else CELLS
    logs = np.log(np.maximum(p, 1e-300))
    odds = logs[:, 1:] - logs[:, :1]
    place = [_quantile(column, parts) for column in odds.T]
    _, cell = np.unique(np.stack(place), axis=1, return_inverse=True)
    rows = np.bincount(cell)
    means = np.stack([np.bincount(cell, column) / rows for column in truth.T], axis=1)
    return means[cell]


def _quantile(x: Array, parts: int) -> Ints:
    order = np.argsort(np.argsort(x, kind="stable"), kind="stable")
    return order * parts // len(x)


def _estimates(name: str, pred: c.Predictions) -> list[dict[str, Any]]:
    true = _true(name, pred.k)
    found = {**_one_chance(pred), **_whole_vectors(pred)}
    return [
        {"row": row, "asks": asks, "estimate": estimate, "true": getattr(true, asks)}
        for (row, asks), estimate in found.items()
    ]


def _one_chance(pred: c.Predictions) -> dict[tuple[str, str], float]:
    top = c.top_label(pred)
    classes = c.classwise(pred)
    found = {}
    for row, family in EVALUATORS.items():
        debias = row.startswith("ES")
        found[row, "top"] = c.calibration_error(top, family, debias=debias)
        if pred.k <= 10:
            found[row, "classwise"] = c.calibration_error(classes, family, debias=debias)
    return found


def _whole_vectors(pred: c.Predictions) -> dict[tuple[str, str], float]:
    found = {("vector_error", "vector"): c.vector_error(pred)}
    if pred.n <= KERNEL_ROWS:
        view = c.canonical(pred)
        found["kde_error", "vector"] = c.kde_error(view)
        found["kde_error, draws", "vector"] = c.kde_error(view, debias="draws")
    return found


@cache
def _true(name: str, k: int) -> TrueErrors:
    rows = draw(name, k, TRUE_ROWS[k], TRUE_SEED)
    p = rows.pred.probs.astype(np.float64)
    places = np.arange(len(p)), p.argmax(1)
    top = _one_true(p[places], rows.truth[places])
    classwise = np.mean([_one_true(*pair) for pair in zip(p.T, rows.truth.T, strict=True)])
    given = rows.truth if keeps_truth(name, k) else _given_claims(p, rows.truth)
    return TrueErrors(top, float(classwise), float(np.abs(given - p).sum(1).mean()))


def _one_true(p: Array, truth: Array) -> float:
    """The error of one chance: true chances are averaged over rows with about the same claim."""
    part = _quantile(p, 1000)
    gap = np.bincount(part, truth - p)
    return float(np.abs(gap).sum() / len(p))


def by_size(found: pl.DataFrame, names: str, column: str) -> list[str]:
    """A line a k and contender, mean and standard error by n."""
    lines = []
    for k in CLASSES:
        of_classes = found.filter(pl.col("k") == k)
        for name in of_classes[names].unique(maintain_order=True):
            rows = of_classes.filter(pl.col(names) == name)
            cells = [_mean_and_error(rows.filter(n=n), column) for n in SEEDS]
            lines.append("| " + " | ".join([str(k), name, *cells]) + " |")
    return [*head("k", "", *(f"n = {n:,}" for n in SEEDS)), *lines, ""]


def _mean_and_error(rows: pl.DataFrame, column: str) -> str:
    """Over constructions, each its mean over seeds; the error is of the seeds alone."""
    if not len(rows):
        return ""
    by = rows.group_by("name").agg(
        mean=pl.col(column).mean(), error=pl.col(column).std() / pl.len().sqrt()
    )
    mean = f"{1000 * float(by['mean'].to_numpy().mean()):.1f}"
    if by["error"].is_null().any():
        return mean
    spread = float(np.sqrt((by["error"].to_numpy() ** 2).sum()) / len(by))
    return f"{mean} ± {1000 * spread:.1f}"


def chosen(found: pl.DataFrame) -> list[str]:
    """What each lies above the family that is best with hindsight, task by task; and how often it harms."""
    families = found.filter(pl.col("family").is_not_null())
    means = families.group_by("name", "k", "n", "family").agg(kl=pl.col("kl").mean())
    wide = means.pivot(on="family", index=["name", "k", "n"], values="kl")
    own = [name for name in FAMILIES if name in wide.columns]
    best = wide.select(pl.min_horizontal(*own, NONE)).to_series().to_numpy()
    asis = wide[NONE].to_numpy()
    lines = []
    for name in (SELECT, *PEERS, *own, NONE):
        if name not in wide.columns:
            continue
        kl = wide[name].to_numpy().astype(np.float64)
        there = np.isfinite(kl)
        ratio = np.maximum(kl, LEAST)[there] / np.maximum(best, LEAST)[there]
        of_means = kl[there].mean() / best[there].mean()
        harmed = int((kl[there] > asis[there] + LEAST).sum())
        cells = [f"{of_means:.2f}", f"{np.median(ratio):.2f}", f"{harmed} of {there.sum()}"]
        lines.append("| " + " | ".join([name, *cells]) + " |")
    columns = ("mean KL / mean of the best", "median ratio", "further than as they are")
    return [*head("", *columns), *lines, ""]


def by_construction(found: pl.DataFrame) -> list[str]:
    """KL x 1000 at n = 1000, a line a construction and k."""
    families = found.filter(pl.col("family").is_not_null(), pl.col("n") == 1000)
    shown = (NONE, *FAMILIES, SELECT, *PEERS)
    lines = []
    for name, k in product(CONSTRUCTIONS, CLASSES):
        at = families.filter(name=name, k=k).group_by("family").agg(pl.col("kl").mean())
        values = dict(at.iter_rows())
        best = min((values[each] for each in FAMILIES if each in values), default=np.nan)
        cells = [
            _bold(1000 * values[each], 1000 * best) if each in values else "" for each in shown
        ]
        lines.append("| " + " | ".join([name, str(k), *cells]) + " |")
    return [*head("", "k", *shown), *lines, ""]


def _bold(value: float, best: float) -> str:
    return f"**{value:.1f}**" if value == best else f"{value:.1f}"


def estimates(found: pl.DataFrame, asks: str) -> list[str]:
    """|estimate - truth| x 1000 of each evaluator."""
    rows = found.filter(pl.col("asks") == asks)
    off = (pl.col("estimate") - pl.col("true")).abs()
    return by_size(rows.with_columns(off=off), "row", "off")


def jobs_of(*, quick: bool) -> list[Job]:
    """Every set of rows, a seed after the other, so that what was interrupted tells something of all."""
    if quick:
        return [(what, "class factors", 3, 200, 0) for what in WHATS]
    sets = [(seed, n, k) for n, seeds in SEEDS.items() for seed, k in product(seeds, CLASSES)]
    return [
        (what, name, k, n, seed)
        for seed, n, k in sorted(sets)
        for name, what in product(CONSTRUCTIONS, WHATS)
    ]


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    parts = None if quick else parts_of(PAGE)
    found = gather(judge, jobs_of(quick=quick), "known truths", parts)
    fresh = ", ".join(f"{rows:,} of {k} classes" for k, rows in TEST_ROWS.items())
    seeds = ", ".join(f"{len(of_size)} of n = {n:,}" for n, of_size in SEEDS.items())
    lines = [
        "# Whole vectors whose true chances are known",
        "",
        "The true chances p(y|x) of every row are known, so families are judged without the noise of drawn outcomes: "
        f"by the mean KL divergence, x 1000 nats, from them to what a map gives to fresh rows ({fresh}). "
        f"Seeds: {seeds}; ± is the standard error of the seeds where there are several.",
        "",
        *(f"- **{name}**: {about}." for name, about in CONSTRUCTIONS.items()),
        "",
        "Logits that are one to one with x leave p(y|x) to be found. The network's do not where classes are few: there "
        "the divergence that no map can mend, by the means of cells of about the same claims, is taken off. "
        f"{' and '.join(SLOW)} ran where k < {SLOW_CLASSES}.",
        "",
        "## Beside the best with hindsight",
        "",
        "The best is the family with the least mean KL of each construction, k and n; right claims count too, so \"as "
        f"they are\" may be the best. KL below {1000 * LEAST:g} counts as that in the median ratio, and is no harm. "
        "The ratio of means is ruled by the few tasks that are furthest off.",
        "",
        *chosen(found),
        "## KL divergence from the truth, x 1000",
        "",
        *by_size(found.filter(pl.col("family").is_not_null()), "family", "kl"),
        "## By construction, n = 1,000",
        "",
        *by_construction(found),
        "## Evaluators: distance from the true error of the top label, x 1000",
        "",
        *estimates(found, "top"),
        "## The mean over classes, x 1000",
        "",
        *estimates(found, "classwise"),
        "## Whole vectors, norm 1, x 1000",
        "",
        f"`vector_error` is a lower bound on average; `kde_error` of at most {KERNEL_ROWS:,} rows.",
        "",
        *estimates(found, "vector"),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "scikit-learn", "probmetrics")


if __name__ == "__main__":
    main()
