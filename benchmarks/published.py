"""Tables of Gupta et al. 2021 and Guo et al. 2017; writes docs/benchmarks/published.md.

They stand beside what is printed there, and are made of the sample models too. Needs the files beside the checkout.
"""

import argparse
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

from machine import stamp
from models import REAL, ZOO, part
from rich.progress import track

import calibrant as c
from calibrant.inputs.paths import write_whole

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "published.md"
Families = dict[str, tuple[c.Family, ...]]
# A method may take another family for each measure, in their order; one alone serves for all.
GUPTA_FAMILIES: Families = {
    "uncalibrated": (c.Identity(),),
    "temperature": (c.Temperature(),),
    "vector": (c.VectorScaling(),),
    "MS-ODIR": (c.MatrixScaling(off_diagonal="cv", intercept="cv"),),
    "Dir-ODIR": (c.Dirichlet(),),
    "spline": (
        c.Ranked(c.Spline(6)),
        c.Ranked(c.Spline(6), ranks=2),
        c.Spline(14),
        c.Ranked(c.Spline(13)),
        c.Ranked(c.Spline(6)),
    ),
}
GUPTA_MEASURES: dict[str, Callable[[c.Predictions], float]] = {
    "KS top-1 %": c.ks_error,
    "KS top-2 %": lambda pred: c.ks_error(c.top_r(pred, 2)),
    "KS within-top-2 %": lambda pred: c.ks_error(c.within_top_r(pred, 2)),
    "ECE, 25 bins %": lambda pred: c.ece(pred, 25),
    "accuracy %": c.accuracy,
}
# Gupta et al. 2021, Tables 1, 2, 4, 5 and 6, ResNet-110 on CIFAR-10, by method in the order above.
GUPTA_PRINTED = {
    "KS top-1 %": (4.750, 0.916, 0.996, 0.977, 1.060, 0.643),
    "KS top-2 %": (3.011, 0.947, 0.948, 0.598, 0.953, 0.347),
    "KS within-top-2 %": (1.805, 0.097, 0.176, 0.140, 0.195, 0.277),
    "ECE, 25 bins %": (4.750, 1.224, 1.092, 1.276, 1.240, 1.011),
    "accuracy %": (93.56, 93.56, 93.50, 93.53, 93.52, 93.55),
}
GUO_FAMILIES: Families = {
    "uncalibrated": (c.Identity(),),
    "histogram binning": (c.HistogramBinning(15),),
    "isotonic": (c.Isotonic(),),
    "BBQ": (c.BBQ(),),
    "temperature": (c.Temperature(),),
    "vector": (c.VectorScaling(),),
    "matrix": (c.MatrixScaling(),),
}
GUO_MEASURES: dict[str, Callable[[c.Predictions], float]] = {
    "ECE, 15 bins %": c.ece,
    "MCE, 15 bins %": c.mce,
    "error %": lambda pred: 1 - c.accuracy(pred),
    "NLL": lambda pred: c.nll(pred) / 100,
}
RICHER = {
    "none": c.Identity(),
    "temperature": c.Temperature(),
    "vector": c.VectorScaling(),
    "matrix": c.MatrixScaling(),
}


def found_of(
    path: Path, families: Families, measures: dict[str, Callable[[c.Predictions], float]]
) -> dict[str, list[float]]:
    """Percents by method, fitted on val and measured on test; a family of one chance is asked of within-top-2 alone."""
    fit_on, test = part(path, "val"), part(path, "test")

    @cache
    def mended(family: c.Family) -> c.Predictions:
        return family.fit(fit_on).apply(test)

    def measured(family: c.Family, title: str) -> float:
        if title == "KS within-top-2 %" and isinstance(family, c.Spline):
            q = family.fit(c.within_top_r(fit_on, 2))(view := c.within_top_r(test, 2))
            return c.ks_error(c.binary(q.clip(0, 1), view.y))
        return measures[title](mended(family))

    return {
        name: [
            100 * measured(kinds[min(place, len(kinds) - 1)], title)
            for place, title in enumerate(measures)
        ]
        for name, kinds in families.items()
    }


def against_print(path: Path) -> list[str]:
    """Our figures with the printed ones in brackets."""
    found = found_of(path, GUPTA_FAMILIES, GUPTA_MEASURES)
    cells = [
        [
            f"{found[name][row]:.3f} ({GUPTA_PRINTED[title][column]:.3f})"
            for column, name in enumerate(GUPTA_FAMILIES)
        ]
        for row, title in enumerate(GUPTA_MEASURES)
    ]
    return _table(
        ["", *GUPTA_FAMILIES],
        [[title, *line] for title, line in zip(GUPTA_MEASURES, cells, strict=True)],
    )


def on_the_zoo(
    families: Families, measures: dict[str, Callable[[c.Predictions], float]]
) -> list[str]:
    """A table a measure, a line a sample model."""
    found = {path.stem: found_of(path, families, measures) for path in track(ZOO, "sample models")}
    lines: list[str] = []
    for row, title in enumerate(measures):
        cells = [
            [model, *(f"{by[name][row]:.3f}" for name in families)] for model, by in found.items()
        ]
        lines += [
            f"### {title.replace('NLL', 'NLL, nats')}",
            "",
            *_table(["", *families], cells),
            "",
        ]
    return lines


def richer_fit_better() -> list[str]:
    """NLL on the very rows fitted, and the slope left, of ever richer families."""
    cells = []
    for path in track(ZOO, "the rows fitted"):
        fit_on = part(path, "val")
        fits = {name: family.fit(fit_on) for name, family in RICHER.items()}
        proofs = [fitted.rule.certificate for name, fitted in fits.items() if name != "none"]
        holds = all(proof.slope <= proof.tolerance for proof in proofs)
        losses = [c.nll(fitted.apply(fit_on)) for fitted in fits.values()]
        falls = all(after <= before + 1e-9 for before, after in pairwise(losses))
        cells.append(
            [
                path.stem,
                *(f"{loss:.9f}" for loss in losses),
                "yes" if falls else "no",
                "yes" if holds else "no",
            ]
        )
    return _table(["", *RICHER, "each at most the last", "certificates hold"], cells)


def _table(head: list[str], cells: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *cells)]


def main() -> None:
    """Run the studies and write the page, whole or not at all."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None).parse_args()
    (resnet,) = [path for path in REAL if path.stem == "nncal_resnet110_c10"]
    text = "\n".join(
        [
            "# Published tables",
            "",
            "## Gupta et al. 2021: ResNet-110 on CIFAR-10",
            "",
            "The authors' own logits, fitted on val and measured on test; in brackets what Tables 1, 2, 4, 5 and 6 "
            "print. Their vector scaling stops before its optimum, and their choice of strengths is not ours.",
            "",
            *against_print(resnet),
            "",
            "## The same on the sample models",
            "",
            *on_the_zoo(GUPTA_FAMILIES, GUPTA_MEASURES),
            "## The seven methods of Guo et al. 2017 on the sample models",
            "",
            *on_the_zoo(GUO_FAMILIES, GUO_MEASURES),
            "## Richer families fit their own rows better",
            "",
            "NLL on the rows fitted, without penalties. With 100 classes the matrix has more entries than rows.",
            "",
            *richer_fit_better(),
            "",
            stamp("scipy"),
            "",
        ]
    )
    print(text)
    write_whole(PAGE, text.encode())


if __name__ == "__main__":
    main()
