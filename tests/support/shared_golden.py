"""Golden files: a saved map of every family, the rows it is asked of, and what it gave when it was saved.

They are the promise to whoever has saved a map, so they are written once for each format of files:
`python tests/support/shared_golden.py` writes those that are missing and never changes one.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import calibrant as c
from calibrant import ChanceMap, Family, Map
from calibrant.families.names import name_of
from calibrant.fitting.types import Array

GOLDEN = Path(__file__).parents[1] / "deploy" / "golden"
ONE_CHANCE = [
    c.BBQ(),
    c.Beta(),
    c.Binned(5),
    c.Binned(4, edges="mass"),
    c.Blend((c.Platt(), c.Isotonic())),
    c.HistogramBinning(4),
    c.Identity(),
    c.Isotonic(),
    c.Isotonic(interpolate=False),
    c.Kernel(0.02),
    c.OrderPreserving(),
    c.OrderPreserving(kind="diagonal"),
    c.OrderPreserving(kind="preserving"),
    c.PiecewiseLinear(segments=3),
    c.PiecewiseLinear(space="logit"),
    c.PiecewisePolynomial(segments=3),
    c.PiecewisePolynomial(degree=2, segments=2),
    c.Platt(),
    c.Platt(smoothed=False),
    c.Quadratic(),
    c.ScalingBinning(5),
    c.Smooth(),
    c.Spline(),
    c.Spline(curve="outcomes"),
    c.Temperature(),
    c.VennAbers(),
    c.VennAbers(gives="p0"),
    c.VennAbers(gives="p1"),
]
WHOLE_VECTORS = [
    c.Blend((c.Temperature(), c.OneVsRest(c.Isotonic()))),
    c.Chain((c.VectorScaling(), c.OrderPreserving())),
    c.Chain((c.Temperature(), c.OneVsRest(c.Isotonic()))),
    c.Dirichlet(off_diagonal=1.0, intercept=1.0),
    c.EnsembleTemperature(),
    c.EnsembleTemperature(loss="squared"),
    c.Identity(),
    c.MatrixScaling(off_diagonal=1.0, intercept=1.0),
    c.OneVsRest(c.Beta()),
    c.OneVsRest(c.Isotonic()),
    c.OrderPreserving(),
    c.OrderPreserving(kind="diagonal"),
    c.OrderPreserving(kind="preserving"),
    c.Ranked(c.Isotonic(), ranks=2),
    c.Ranked(c.Platt(), keep_order=False),
    c.StructuredMatrix(),
    c.StructuredVector(),
    c.Temperature(),
    c.VectorScaling(),
]

# Maps of rules that are fitted no more.
EARLIER = ["chance-smooth-with-deviation"]


def claims(seed: int, n: int = 60) -> Array:
    """Claims with ties, exact 0 and 1, and some next to them."""
    p = np.random.default_rng(seed).random(n).round(2)
    p[:5] = 0, 1, 1e-30, 1 - 1e-9, 0.5
    return p


def logits(seed: int, n: int = 80, k: int = 4) -> Array:
    """Logits with ties and far ones."""
    z = np.random.default_rng(seed).normal(0, 3, (n, k)).round(1)
    z[0] = 1e4, 0, 0, -1e4
    z[1] = 0
    return z


def probs(seed: int) -> Array:
    """Probabilities, exact zeros among them."""
    z = logits(seed)
    p = np.exp(z - z.max(1, keepdims=True))
    p[p < 1e-3] = 0
    return p / p.sum(1, keepdims=True)


def fitted_maps() -> Iterator[tuple[str, Map]]:
    """A map of every family, and of every kind that it may be fitted on, by the name of its file."""
    random = np.random.default_rng(0)
    p = claims(1)
    y = random.random(len(p)) < p**1.5
    for family in ONE_CHANCE:
        yield _file_name("chance", family), family.fit(c.binary(p, y))
    for kind, make, values in (
        ("logits", c.from_logits, logits(2)),
        ("probs", c.from_probs, probs(2)),
    ):
        right = values.argmax(1)
        labels = np.where(random.random(len(right)) < 0.6, right, random.integers(0, 4, len(right)))
        for family in WHOLE_VECTORS:
            yield _file_name(kind, family), family.fit(make(values, labels))


def asked(fitted: Map) -> Array:
    """Rows to ask a map of."""
    if isinstance(fitted, ChanceMap):
        return np.append(claims(3), np.linspace(0, 1, 41))
    return logits(4) if fitted.kind == "logits" else probs(4)  # type: ignore[attr-defined]


def _file_name(kind: str, family: Family) -> str:
    words = re.sub(r"[^a-z0-9.]+", "-", name_of(family).lower()).strip("-")
    return f"{kind}-{words}"


def main() -> None:
    """Write the files that are missing."""
    GOLDEN.mkdir(exist_ok=True)
    for name, fitted in fitted_maps():
        if not (GOLDEN / f"{name}.safetensors").exists():
            fitted.save(GOLDEN / f"{name}.safetensors")
            np.savez_compressed(GOLDEN / f"{name}.npz", x=asked(fitted), q=fitted(asked(fitted)))


if __name__ == "__main__":
    main()
