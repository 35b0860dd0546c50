"""Evaluators on real claims in worlds with several kinds of truth; writes docs/benchmarks/pseudo_real.md.

As Tables F1 to F19 and F24 of Kängsepp et al. 2022, which take new images of a generator: here the claims are those of
networks, and labels are drawn from maps that were fitted to all labelled rows and are then taken for true.
"""

from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from evaluators import FAMILIES, OURS, errors
from models import REAL, ZOO, part
from pages import head, publish
from scipy.stats import rankdata, spearmanr
from studies import gather, is_quick, parts_of

import calibrant as c
from calibrant.fitting.types import Array, Ints

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "pseudo_real.md"
FILES = {
    path.stem: path for path in (*ZOO, *REAL) if path.stem.startswith(("c10-", "nncal_resnet110"))
}
# How the true chances of all classes are made of the claims.
WORLDS: dict[str, c.Family] = {
    "one-vs-rest": c.OneVsRest(c.Isotonic(centred=True)),
    "vector": c.Dirichlet(),
    "order-preserving": c.OrderPreserving(),
}
# How the true chance given a claim is read off the true chances of many rows.
TRUTHS: dict[str, c.Family] = {
    "isotonic": c.Isotonic(),
    "flat bins": c.Binned(100, edges="mass", slope=0),
    "bins of slope 1": c.Binned(100, edges="mass"),
}
CALIBRATORS: dict[str, c.Family] = {
    "beta": c.Beta(),
    "vector": c.VectorScaling(),
    "Platt": c.Platt(),
    "PL3": c.PiecewiseLinear(space="logit"),
    "scaling-binning": c.ScalingBinning(),
    "isotonic": c.Isotonic(),
}
# Those of Table F24.
WHOLE: dict[str, c.Family] = {
    "temperature": c.Temperature(),
    "vector": c.VectorScaling(),
    "MS-ODIR": c.MatrixScaling(off_diagonal="cv", intercept="cv"),
    "Dirichlet-L2": c.Dirichlet(l2=1e-3),
    "Dirichlet-ODIR": c.Dirichlet(),
}
ROWS = ("ES15", "EW15", "sweep", "CV", "Platt", "Beta", "Isotonic", "Spline, natural", "PL3", OURS)
CLASSES = (1, 3, 5)  # cars, cats and dogs of CIFAR-10
SIZES = {1000: 2, 10_000: 1}
SUBSETS = {1000: 10, 3000: 3, 10_000: 1}
SEED = 7
What = Literal["world", "pseudo", "real"]
Job = tuple[What, str, str]


class World(NamedTuple):
    """Claims of a model on rows to calibrate with and rows to test with, and all their true chances."""

    fit_on: c.Predictions
    test: c.Predictions
    chances: Array


@cache
def _world(file: str, name: str) -> World:
    """Labels of both parts drawn from the map of a family that was fitted to all rows."""
    fit_on, test = part(FILES[file], "val"), part(FILES[file], "test")
    whole = c.from_logits(
        np.concatenate([fit_on.values, test.values]), np.concatenate([fit_on.labels, test.labels])
    )
    chances = WORLDS[name].fit(whole).apply(whole).probs.astype(np.float64)
    random = np.random.default_rng(SEED)
    labels = _drawn(chances, random)
    first = c.from_logits(fit_on.values, labels[: fit_on.n])
    second = c.from_logits(test.values, labels[fit_on.n :])
    return World(first, second, chances[fit_on.n :])


def _drawn(chances: Array, random: np.random.Generator) -> Ints:
    below = chances.cumsum(1) < random.random((len(chances), 1))
    return np.minimum(below.sum(1), chances.shape[1] - 1)


def judge(job: Job) -> list[dict[str, Any]]:
    """What evaluators find in one world, or of one file as it is."""
    what, file, name = job
    if what == "real":
        return _real(file)
    made = _world(file, name)
    calibrators = WHOLE if what == "pseudo" else CALIBRATORS
    found = []
    for calibrator, family in calibrators.items():
        mended = family.fit(made.fit_on).apply(made.test)
        about = {"what": what, "file": file, "world": name, "calibrator": calibrator}
        for asks, p, q in _tasks(mended.probs.astype(np.float64), made.chances, what):
            found += [about | {"asks": asks} | each for each in _judged(p, q, what)]
    return found


def _tasks(probs: Array, chances: Array, what: What) -> list[tuple[str, Array, Array]]:
    """Claims and true chances: of the top label, and of some classes."""
    rows = np.arange(len(probs))
    top = probs.argmax(1)
    found = [("top label", probs[rows, top], chances[rows, top])]
    if what == "world":
        found += [(f"class {k}", probs[:, k], chances[:, k]) for k in CLASSES]
    return found


def _judged(p: Array, q: Array, what: What) -> list[dict[str, Any]]:
    every = c.binary(p, q)
    true = {name: family.fit(every)(p) for name, family in TRUTHS.items()}
    random = np.random.default_rng(SEED)
    found = []
    for n, draws in (SIZES if what == "world" else SUBSETS).items():
        for _ in range(draws):
            rows = random.integers(0, len(p), n)
            view = c.binary(p[rows], random.random(n) < q[rows])
            for row in ROWS:
                fitted = FAMILIES[row].fit(view)
                estimate = errors(fitted, view)[0]
                shown = fitted(p)
                found += [
                    {"n": n, "row": row, "truth": name, "map": 1000 * float(np.abs(shown - at).mean()),
                     "bias": 1000 * (estimate - float(np.abs(at - p).mean()))}
                    for name, at in true.items()
                ]  # fmt: skip
    return found


def _real(file: str) -> list[dict[str, Any]]:
    """Estimates on real outcomes, of whose errors the truth is not known."""
    fit_on, test = part(FILES[file], "val"), part(FILES[file], "test")
    order = np.random.default_rng(SEED).permutation(test.n)
    found = []
    for calibrator, family in WHOLE.items():
        view = c.top_label(family.fit(fit_on).apply(test))
        for (n, subsets), row in product(SUBSETS.items(), ROWS):
            for place in range(subsets):
                some = view[order[place * n : (place + 1) * n]]
                estimate = 1000 * errors(FAMILIES[row].fit(some), some)[0]
                found.append({"what": "real", "file": file, "calibrator": calibrator, "n": n, "row": row,
                              "bias": estimate})  # fmt: skip
    return found


def by_truth(found: pl.DataFrame, column: str) -> list[str]:
    """Means of each evaluator by world and truth, with their ranks; over files, calibrators, tasks and sizes."""
    columns = list(product(WORLDS, TRUTHS))
    means = {pair: _means(found, *pair, column) for pair in columns}
    lines = []
    for place, row in enumerate(ROWS):
        cells = [f"{mean[place]:.2f} ({_rank(mean)[place]:.0f})" for mean in means.values()]
        lines.append("| " + " | ".join([row, *cells]) + " |")
    return [*head("", *(f"{world}, {truth}" for world, truth in columns)), *lines, ""]


def _means(found: pl.DataFrame, world: str, truth: str, column: str) -> Array:
    rows = found.filter(what="world", world=world, truth=truth)
    at = dict(rows.group_by("row").agg(pl.col(column).abs().mean()).iter_rows())
    return np.array([at[row] for row in ROWS])


def _rank(x: Array) -> Array:
    return rankdata(x, method="min")


def agreement(found: pl.DataFrame, column: str) -> str:
    """How alike the orders of evaluators are: between worlds, and between truths of a world."""
    means = {pair: _means(found, *pair, column) for pair in product(WORLDS, TRUTHS)}
    pairs = list(combinations(means, 2))

    def least(kept: list[tuple[tuple[str, str], tuple[str, str]]]) -> str:
        found_of = [float(spearmanr(means[one], means[other]).statistic) for one, other in kept]
        return f"{np.mean(found_of):.2f} on average, {min(found_of):.2f} at least"

    worlds = least([(a, b) for a, b in pairs if a[1] == b[1]])
    truths = least([(a, b) for a, b in pairs if a[0] == b[0]])
    return f"Rank correlations between worlds: {worlds}; between truths within a world: {truths}."


def biases(found: pl.DataFrame) -> list[str]:
    """Table F24: biases where the truth is known, and on real outcomes, shifted to the same mean."""
    lines = []
    for n in SUBSETS:
        pseudo = found.filter(what="pseudo", truth="isotonic", n=n)
        known = _biases(pseudo)
        real = _biases(found.filter(what="real", n=n))
        shifted = real - real.mean() + known.mean()
        for name, values in (("drawn", known), ("real, shifted", shifted)):
            ranks = _rank(-values)
            cells = [
                f"{value:+.2f} ({rank:.0f})" for value, rank in zip(values, ranks, strict=True)
            ]
            lines.append("| " + " | ".join([name, f"{n:,}", *cells]) + " |")
        alike = float(spearmanr(known, real).statistic)
        lines.append(f"| rank correlation | {n:,} | {alike:.2f} |" + " |" * (len(ROWS) - 1))
    return [*head("outcomes", "n", *ROWS), *lines, ""]


def _biases(found: pl.DataFrame) -> Array:
    at = dict(found.group_by("row").agg(pl.col("bias").mean()).iter_rows())
    return np.array([at[row] for row in ROWS])


def jobs_of(*, quick: bool) -> list[Job]:
    """Every file in every world."""
    if quick:
        return [("world", "c10-lenet5", "one-vs-rest")]
    return [
        *(("world", file, world) for file, world in product(FILES, WORLDS)),
        *(("pseudo", file, "vector") for file in FILES),
        *(("real", file, "") for file in FILES),
    ]


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    parts = None if quick else parts_of(PAGE)
    found = gather(judge, jobs_of(quick=quick), "worlds", parts)
    if quick:
        print(found)
        return
    lines = [
        "# Real claims in worlds with several kinds of truth",
        "",
        "Kängsepp et al. 2022 judge evaluators on CIFAR-5m, images of a generator, which are not at hand. "
        f"Instead: the claims of {len(FILES)} networks ({', '.join(FILES)}) on their test rows, whose labels are drawn "
        "from a map that was fitted to all labelled rows and is taken for true. Three such maps make three worlds: "
        "one-vs-rest isotonic, a Dirichlet map of whole vectors, and one that preserves the order of classes. In each, "
        f"six calibrators ({', '.join(CALIBRATORS)}) are fitted on the validation rows, and evaluators are given n = "
        f"{' and '.join(f'{n:,}' for n in SIZES)} rows of what they made of the test rows: the top label, and cars, "
        "cats and dogs (classes 1, 3 and 5) against the rest.",
        "",
        "The truth given a claim is read off the true chances of all test rows in three ways, as in the paper: "
        "isotonic regression, 100 equal-mass bins that are flat, and such bins of slope 1. Ranks in brackets.",
        "",
        "## |map - true map|, x 1000",
        "",
        *by_truth(found, "map"),
        agreement(found, "map"),
        "",
        "## |estimated - true calibration error|, x 1000",
        "",
        *by_truth(found, "bias"),
        agreement(found, "bias"),
        "",
        "## Biases, drawn outcomes and real ones",
        "",
        "As Table F24: estimates less truth, x 1000, of the top label after five calibrators of whole vectors. "
        "Of real outcomes the truth is unknown, so the mean of a line is shifted to that of the line above; "
        "ranks do not depend on it. Ten subsets of 1,000 rows, three of 3,000 and one of 10,000.",
        "",
        *biases(found),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "polars")


if __name__ == "__main__":
    main()
