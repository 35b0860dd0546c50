"""Errors of whole vectors: known truths, and files mended; writes docs/benchmarks/vector_errors.md."""

from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import polars as pl
from known_vectors import DISTORTIONS, TRUTHS, errors, known
from models import REAL, ZOO, halves, part
from pages import head, publish
from studies import gather, is_quick, parts_of

from calibrant import (
    Canonical,
    Predictions,
    Temperature,
    canonical,
    kde_error,
    null_level,
    samples,
    simplex_error,
    vector_error,
)
from calibrant.families.folds import held_out
from calibrant.measures.fold_maps import fold_maps
from calibrant.measures.thinning import thinned
from calibrant.measures.variational import RowTerms, VectorNorm, terms_of_maps

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "vector_errors.md"
CLASSES = (3, 10, 50, 100)
# Seeds of claims that are wrong, and of right ones, whose limits tell most.
SEEDS = {1000: (5, 16), 10_000: (2, 4), 100_000: (1, 1)}
# Of a hundred thousand rows of many classes, some constructions are enough.
LARGE = {50: ("none", "sharp", "mixing"), 100: ("none", "sharp", "mixing")}
KERNEL_ROWS, FILE_ROWS, LEVEL_DRAWS = 1000, 2000, 10
NORMS: tuple[VectorNorm, ...] = (1, 2)
# What, the truth or the file, the distortion, k, n, and seeds.
Job = tuple[str, str, str, int, int, tuple[int, ...]]


def judge(job: Job) -> list[dict[str, Any]]:
    """What estimators say of some sets of rows, or of one file before and after temperature."""
    what, name, distortion, k, n, seeds = job
    if what == "file":
        return _of_file(Path(name))
    true = errors(name, distortion, k)
    found = []
    for seed in seeds:
        pred = known(name, distortion, k, n, seed).pred
        about = {"truth": name, "distortion": distortion, "k": k, "n": n, "seed": seed}
        of_rows = _kernels(canonical(pred), true[0]) if what == "kernel" else _vectors(pred, true)
        found += [about | each for each in of_rows]
    return found


def _vectors(pred: Predictions, true: tuple[float, float]) -> list[dict[str, Any]]:
    return [
        {
            "row": f"vector_error, norm {terms.norm}",
            "true": at,
            "error": terms.error,
            "low": terms.low,
        }
        for terms, at in zip(_both_norms(pred), true, strict=True)
    ]


def _both_norms(pred: Predictions) -> list[RowTerms]:
    """The terms of both norms by maps that were fitted once, as `vector_error` fits them."""
    view = canonical(pred)
    folds = held_out(view, 5, 0)
    maps = list(fold_maps(view, folds, None))
    return [terms_of_maps(view, folds, maps, norm) for norm in NORMS]


def _kernels(view: Canonical, true: float) -> list[dict[str, Any]]:
    found = {
        "kde_error": kde_error(view),
        "kde_error, draws": kde_error(view, debias="draws"),
    }
    if view.pred.k == 3:
        found["simplex_error"] = simplex_error(view)
    return [{"row": row, "true": true, "error": error} for row, error in found.items()]


def _of_file(path: Path) -> list[dict[str, Any]]:
    try:
        fit_on, test = part(path, "val"), part(path, "test")
    except KeyError:
        fit_on, test = next(halves(path))
    if test.k < 3:
        return []
    mended = Temperature().fit(fit_on).apply(test)
    return [
        {"file": path.stem, "k": test.k, "n": test.n, "after": after} | _file_numbers(pred)
        for after, pred in ((False, test), (True, mended))
    ]


def _file_numbers(pred: Predictions) -> dict[str, float]:
    first, second = _both_norms(pred)
    some = canonical(thinned(pred, FILE_ROWS))

    def kernel(view: Canonical) -> float:
        return kde_error(view, bandwidth="rule")

    level = null_level(kernel, some, n_draws=LEVEL_DRAWS)
    return {
        "first": first.error, "first low": first.low, "second": second.error, "second low": second.low,
        "kernel": kernel(some), "level": level.mean,
    }  # fmt: skip


def accuracy_table(found: pl.DataFrame) -> list[str]:
    """Mean distance from the truth of every estimator, by n and k; of right claims what it shows."""
    rows = found.filter(pl.col("row").is_not_null())
    lines = []
    for row, n in product(rows["row"].unique(maintain_order=True), SEEDS):
        for title, is_right in (("distance", False), ("shown of right claims", True)):
            of_kind = (pl.col("distortion") == "none") == is_right
            at = rows.filter(of_kind, row=row, n=n)
            if len(at):
                cells = [_mean_off(at.filter(k=k), signed=is_right) for k in CLASSES]
                lines.append("| " + " | ".join([row, f"{n:,}", title, *cells]) + " |")
    return [*head("", "n", "", *(f"k = {k}" for k in CLASSES)), *lines, ""]


def _mean_off(rows: pl.DataFrame, *, signed: bool) -> str:
    off = rows["error"].to_numpy() - rows["true"].to_numpy()
    if not len(off):
        return ""
    return f"{off.mean():+.3f}" if signed else f"{abs(off).mean():.3f}"


def limit_table(found: pl.DataFrame) -> list[str]:
    """How often the lower limit lies above the truth, and how far estimate and limit lie below."""
    rows = found.filter(pl.col("low").is_not_null())
    lines = []
    for row, n, k in product(rows["row"].unique(maintain_order=True), SEEDS, CLASSES):
        at = rows.filter(row=row, n=n, k=k)
        if not len(at):
            continue
        right = at.filter(distortion="none")
        wrong = at.filter(pl.col("distortion") != "none")
        cells = [f"{_above(each)} of {len(each)}" for each in (right, wrong)]
        cells += [f"{wrong[column].to_numpy().mean():.3f}" for column in ("true", "error", "low")]
        lines.append("| " + " | ".join([row, f"{n:,}", str(k), *cells]) + " |")
    about = ("above, right claims", "above, wrong claims", "truth", "estimate", "limit")
    return [*head("", "n", "k", *about), *lines, ""]


def _above(rows: pl.DataFrame) -> int:
    return int((rows["low"] > rows["true"] + 1e-12).sum())


def missed_table(found: pl.DataFrame) -> list[str]:
    """What is found of each distortion."""
    rows = found.filter(pl.col("low").is_not_null(), pl.col("n") == 10_000)
    lines = []
    for distortion, about in DISTORTIONS.items():
        cells = [distortion, about]
        for norm, k in product(NORMS, CLASSES):
            at = rows.filter(row=f"vector_error, norm {norm}", distortion=distortion, k=k)
            shown = (
                [f"{at[column].to_numpy().mean():.3f}" for column in ("error", "true")]
                if len(at)
                else []
            )
            cells.append(" of ".join(shown))
        lines.append("| " + " | ".join(cells) + " |")
    columns = [f"norm {norm}, k = {k}" for norm, k in product(NORMS, CLASSES)]
    return [*head("", "claims", *columns), *lines, ""]


def file_table(found: pl.DataFrame) -> list[str]:
    """Each file before and after its temperature was mended."""
    if "file" not in found.columns:
        return ["No files were found beside the checkout.", ""]
    rows = found.filter(pl.col("file").is_not_null())
    lines = []
    for name in rows["file"].unique(maintain_order=True):
        before, after = (
            rows.filter(file=name, after=late).row(0, named=True) for late in (False, True)
        )
        numbers = ("first", "first low", "second", "second low", "kernel", "level")
        cells = [name, str(before["k"]), f"{before['n']:,}"]
        cells += [f"{before[number]:.3f} → {after[number]:.3f}" for number in numbers]
        lines.append("| " + " | ".join(cells) + " |")
    columns = ("norm 1", "its limit", "norm 2", "its limit", "kde_error", "its level")
    return [*head("file", "k", "n", *columns), *lines, ""]


def seconds() -> str:
    """How long 10,000 rows of 100 classes take on all cores."""
    _, test = samples.load("c100-resnet18")
    start = perf_counter()
    vector_error(test)
    return f"{perf_counter() - start:.1f}"


def jobs_of(*, quick: bool) -> list[Job]:
    """Every set of rows, the slowest first."""
    if quick:
        file = next((str(path) for path in REAL if "hpc" in path.name), "")
        return [
            *(("vector", "mixture", each, 3, 10_000, (0,)) for each in ("none", "sharp")),
            *(("kernel", "mixture", each, 3, KERNEL_ROWS, (0,)) for each in ("none", "sharp")),
            *([("file", file, "", 0, 0, ())] if file else []),
        ]
    jobs: list[Job] = []
    for n, (of_wrong, of_right) in reversed(SEEDS.items()):
        for k, truth, distortion in product(reversed(CLASSES), TRUTHS, DISTORTIONS):
            is_large = n == max(SEEDS) and k in LARGE
            if is_large and (truth != "network" or distortion not in LARGE[k]):
                continue
            seeds = range(of_right if distortion == "none" else of_wrong)
            jobs.append(("vector", truth, distortion, k, n, tuple(seeds)))
    for truth, distortion, k in product(TRUTHS, DISTORTIONS, CLASSES):
        jobs.append(("kernel", truth, distortion, k, KERNEL_ROWS, (0,)))
    files = [("file", str(path), "", 0, 0, ()) for path in (*ZOO, *REAL)]
    return jobs + files


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    parts = None if quick else parts_of(PAGE)
    found = gather(judge, jobs_of(quick=quick), "errors of whole vectors", parts)
    took = "" if quick else f" 10,000 rows of 100 classes take {seconds()} s on all cores."
    lines = [
        "# Errors of whole vectors",
        "",
        f"Truths are drawn from Dirichlet distributions, from mixtures of normal distributions, and from the logits of "
        f"shipped samples; claims distort them one to one, so the true chances given the claim are known. "
        f"`vector_error` as it is by default, both norms from the same maps.{took} The kernels are `kde_error` of "
        f"`canonical(pred)`, n = {KERNEL_ROWS:,}, its bandwidth by likelihood, as it is and with `debias=\"draws\"`.",
        "",
        "## Distance from the truth",
        "",
        "Of wrong claims the mean of |estimate - truth|; of right ones the mean estimate, where the truth is 0.",
        "",
        *accuracy_table(found),
        "## The lower limit, and the gap",
        "",
        "In how many sets of rows the limit of 95% lies above the true error; and, of wrong claims, what estimate and "
        "limit reach of the truth, on average.",
        "",
        *limit_table(found),
        "## What is found of which error, n = 10,000",
        "",
        *missed_table(found),
        "## Before and after temperature",
        "",
        f"Fitted on the validation rows, or on half of all where there are none. `kde_error` is of {FILE_ROWS:,} "
        f"of the rows, bandwidth by rule of thumb; its level is the mean of {LEVEL_DRAWS} draws from the claims.",
        "",
        *file_table(found),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy")


if __name__ == "__main__":
    main()
