"""Kernel and binned errors of triples of classes (Popordanoska et al. 2022, fig. 3, 9, 12); writes a page.

PYTHONPATH=src:benchmarks python benchmarks/triples.py writes docs/benchmarks/triples.md and its picture.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from machine import stamp
from matplotlib.figure import Figure
from rich.progress import track
from studies import is_quick

import calibrant as c
from calibrant import samples
from calibrant.inputs.paths import write_whole
from calibrant.plots.style import BLUE, GREY, STYLE, say

DOCS = Path(__file__).parents[1] / "docs" / "benchmarks"
PAGE = DOCS / "triples.md"
PICTURE = DOCS / "images" / "triples.png"
Model = Literal["c10-resnet18", "c10-lenet5"]
MODELS: tuple[Model, ...] = ("c10-resnet18", "c10-lenet5")
SIZES = (50, 100, 200, 400, 800, 3000)
WHOLE = SIZES[-1]
BANDWIDTH = 0.001
BINS = 25
KINDS = ("canonical", "class-wise", "top label")
Measure = Callable[[c.Predictions], float]
KERNELS: dict[str, Measure] = {
    "canonical": lambda pred: c.kde_error(c.canonical(pred), bandwidth=BANDWIDTH),
    "class-wise": lambda pred: c.kde_error(c.classwise(pred), bandwidth=BANDWIDTH),
    "top label": lambda pred: c.kde_error(pred, bandwidth=BANDWIDTH),
}
BINNED: dict[str, Measure] = {
    "canonical": lambda pred: c.simplex_error(pred, 5),
    "class-wise": lambda pred: c.ece(c.classwise(pred), BINS, edges="mass"),
    "top label": lambda pred: c.ece(pred, BINS, edges="mass"),
}


@dataclass(frozen=True)
class Line:
    """How binned errors of triples go with kernel errors: what is printed of one kind and size."""

    correlation: float
    slope: float
    bins: float
    kernels: float


def triples(name: Model) -> Iterator[c.Predictions]:
    """Test rows of each three classes, their claims renormalised."""
    _, test = samples.load(name)
    labels = np.asarray(test.labels)
    for three in combinations(range(test.k), 3):
        rows = np.isin(labels, three)
        yield c.from_logits(test.scores[rows][:, three], np.searchsorted(three, labels[rows]))


def measured(pred: c.Predictions, seed: int) -> Iterator[dict[str, Any]]:
    """Both errors of each kind, at each size."""
    order = np.random.default_rng(seed).permutation(pred.n)
    for n in SIZES:
        some = pred[np.sort(order[:n])]
        for kind in KINDS:
            yield {
                "kind": kind,
                "n": n,
                "kernels": KERNELS[kind](some),
                "bins": BINNED[kind](some),
            }


def line(found: pl.DataFrame) -> Line:
    """Over the triples of one kind and size."""
    x, y = found["bins"].to_numpy(), found["kernels"].to_numpy()
    slope, _ = np.polyfit(x, y, 1)
    return Line(float(np.corrcoef(x, y)[0, 1]), float(slope), float(x.mean()), float(y.mean()))


def distances(found: pl.DataFrame) -> pl.DataFrame:
    """Mean distance of each estimate from the kernel error of all rows, by size."""
    truth = found.filter(pl.col("n") == WHOLE).select(
        "model", "triple", "kind", truth=pl.col("kernels")
    )
    apart = [
        (pl.col(name) - pl.col("truth")).abs().mean().alias(name) for name in ("kernels", "bins")
    ]
    joined = found.filter(pl.col("n") < WHOLE).join(truth, on=["model", "triple", "kind"])
    return joined.group_by("model", "kind", "n").agg(apart).sort("model", "kind", "n")


def rate(n: pl.Series, distance: pl.Series) -> float:
    """The slope of log distance by log rows."""
    slope, _ = np.polyfit(np.log(n.to_numpy()), np.log(distance.to_numpy()), 1)
    return float(slope)


def page(found: pl.DataFrame) -> str:
    """The tables as Markdown."""
    return "\n".join(
        [
            "# Kernel errors beside binned ones, on triples of classes",
            "",
            "Popordanoska et al. 2022 (fig. 3, 9, 12) trained 120 networks, one for every three classes of CIFAR-10. "
            "Here the triples are cut out of two shipped networks of ten classes: test rows of three classes, their "
            f"three logits alone. Kernels have bandwidth {BANDWIDTH}, as theirs; bins are {BINS}, of equal mass for "
            "one chance and triangles of the simplex for whole vectors.",
            "",
            "## Do they agree?",
            "",
            f"Over the 120 triples, from kernel errors and bins of n rows ({WHOLE:,} are all): correlation, slope of "
            "kernels by bins, and both means.",
            "",
            "![A point a triple: kernel errors against binned ones, with all rows](images/triples.png)",
            "",
            "| model | error | n | correlation | slope | bins, % | kernels, % |",
            "|---|---|---|---|---|---|---|",
            *agreement(found),
            "",
            "## How fast do they settle?",
            "",
            f"Mean distance from the kernel error of all {WHOLE:,} rows, in points, and the slope of its logarithm by "
            "that of n. The paper reports slopes near -.5. It tells how estimates settle, not whether on the truth: "
            "[where that is known](kernel_consistency.md) whole vectors settle more slowly.",
            "",
            "| model | error | estimate | " + " | ".join(map(str, SIZES[:-1])) + " | slope |",
            "|" + "---|" * (len(SIZES) + 3),
            *settling(distances(found)),
            "",
            "Rerun: `PYTHONPATH=src:benchmarks python benchmarks/triples.py` (a minute on one core).",
            "",
            stamp(),
            "",
        ]
    )


def agreement(found: pl.DataFrame) -> Iterator[str]:
    """Lines of the first table."""
    shown = found.filter(pl.col("n").is_in([200, 800, WHOLE]))
    for (model, kind, n), part in shown.group_by("model", "kind", "n", maintain_order=True):
        of = line(part)
        numbers = (
            f"{of.correlation:.3f} | {of.slope:.2f} | {100 * of.bins:.2f} | {100 * of.kernels:.2f}"
        )
        yield f"| {model} | {kind} | {n:,} | {numbers} |"


def settling(apart: pl.DataFrame) -> Iterator[str]:
    """Lines of the second table."""
    for (model, kind), part in apart.group_by("model", "kind", maintain_order=True):
        for name in ("kernels", "bins"):
            cells = [f"{100 * value:.2f}" for value in part[name]]
            slope = rate(part["n"], part[name])
            yield f"| {model} | {kind} | {name} | " + " | ".join(cells) + f" | {slope:.2f} |"


def picture(found: pl.DataFrame, path: Path) -> None:
    """Kernel errors against binned ones, a point a triple (fig. 3)."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.4, 5.6), layout="constrained")
        axes = figure.subplots(len(MODELS), len(KINDS))
        for row, model in zip(axes, MODELS, strict=True):
            for ax, kind in zip(row, KINDS, strict=True):
                part = found.filter(
                    (pl.col("model") == model) & (pl.col("kind") == kind) & (pl.col("n") == WHOLE)
                )
                x, y = 100 * part["bins"].to_numpy(), 100 * part["kernels"].to_numpy()
                most = 1.05 * max(x.max(), y.max())
                ax.plot([0, most], [0, most], color=GREY, lw=0.8)
                ax.scatter(x, y, s=8, color=BLUE, alpha=0.7)
                of = line(part)
                say(
                    ax,
                    title=f"{model}\n{kind}: r = {of.correlation:.2f}",
                    x="bins, %",
                    y="kernels, %",
                )
        path.parent.mkdir(exist_ok=True)
        figure.savefig(path, dpi=220)


def main() -> None:
    """Measure, draw and write the page."""
    quick = is_quick(__doc__)
    records = [
        {"model": name, "triple": place, **record}
        for name in MODELS
        for place, pred in enumerate(track(list(triples(name))[: 3 if quick else None], name))
        for record in measured(pred, seed=place)
    ]
    found = pl.DataFrame(records)
    text = page(found)
    print(text)
    if not quick:
        picture(found, PICTURE)
        write_whole(PAGE, text.encode())


if __name__ == "__main__":
    main()
