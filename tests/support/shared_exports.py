"""Maps and rows that every export must get right: ties, exact 0 and 1, chances that do not fit together."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from shared_data import real
from shared_families import CHANCE_FAMILIES, VECTOR_FAMILIES

import calibrant as c
from calibrant import (
    Canonical,
    ChanceFamily,
    ChanceRule,
    Fact,
    Family,
    Map,
    Predictions,
    VectorFamily,
    VectorMap,
    VectorRule,
    View,
    binary,
    from_logits,
    from_probs,
)
from calibrant.families.binary.isotonic import Points
from calibrant.families.multiclass.ranked import EachRank
from calibrant.families.operations import Claims, Operations, Value, Vectors
from calibrant.fitting.types import Array, Bools
from calibrant.inputs.predictions import Kind

DOUBLE = 1e-12  # how near exports come to the map in float64
SINGLE = 1e-6  # and in float32
# Of each rule of one chance a family that is quick to fit.
RULES: list[Family] = [
    c.Identity(),
    c.Temperature(),
    c.Platt(),
    c.Beta(),
    c.Quadratic(),
    c.Isotonic(),
    c.Isotonic(interpolate=False),
    c.Binned(5),
    c.HistogramBinning(4),
    c.ScalingBinning(),
    c.BBQ(),
    c.VennAbers(),
    c.Smooth(),
    c.Spline(),
    c.PiecewiseLinear(segments=2),
    c.PiecewiseLinear(space="logit", segments=2),
    c.Kernel(0.02),
    c.Blend((c.Platt(), c.Isotonic()), shares=(0.25, 0.75)),
]
OF_EACH_CLASS: list[Family] = [c.OneVsRest(family) for family in CHANCE_FAMILIES]
OF_EACH_RANK: list[Family] = [
    *(c.Ranked(family, ranks=2, keep_order=False) for family in CHANCE_FAMILIES),
    c.Ranked(c.Spline()),
    c.Ranked(c.Beta(), ranks=3),
    c.Ranked(c.HistogramBinning(3), ranks=3),
]
WHOLE_VECTORS = list(dict.fromkeys([*VECTOR_FAMILIES, *OF_EACH_CLASS, *OF_EACH_RANK]))
OF_REAL_VECTORS = list(dict.fromkeys([*VECTOR_FAMILIES, *(c.OneVsRest(rule) for rule in RULES)]))
# Of so good a network some hundred rows leave a free matrix without an optimum.
OF_REAL_VECTORS.remove(c.MatrixScaling())


def some_claims(n: int, seed: int = 0) -> tuple[Array, Bools]:
    """Claims in float32, exact 0 and 1 among them, and outcomes."""
    random = np.random.default_rng(seed)
    p = random.random(n).astype(np.float32)
    p[:4] = 0, 1, 0.5, 0.2
    return p, random.random(n) < p**2


def awkward_claims() -> Array:
    """Claims of all sorts, in float64: some that were fitted on, others, ties, and both ends.

    Edges of steps lie on those that were fitted on, and edges of equal width on a grid.
    """
    fitted_on, _ = some_claims(300)
    new, _ = some_claims(1000, seed=1)
    grid = np.linspace(0, 1, 61)
    low = [0, 1e-45, 1e-38, 1e-30, 1e-9]
    high = [1 - 1e-9, 1 - 2**-24, 1 - 2**-53, 1]
    return np.concatenate([fitted_on, new, grid, low, high, [0.2, 0.2]], dtype=np.float64)


@cache
def chance_map(family: Family) -> Map:
    """A family's map of some claims."""
    return family.fit(binary(*some_claims(300)))


def maps_of_extremes(family: Family) -> Iterator[Map]:
    """A family's maps of one claim, of 0 and 1 alone, and of two that are both right."""
    yield family.fit(binary([0.3], [1]))
    yield family.fit(binary([0, 1, 1, 1], [1, 0, 0, 0]))
    yield family.fit(binary([0.2, 0.9], [0, 1]))


def vectors(
    kind: Kind, n: int = 200, k: int = 5, scale: float = 3.0, decimals: int = 9, seed: int = 0
) -> Predictions:
    """Predictions whose values are float32 numbers, held in float64."""
    random = np.random.default_rng(seed)
    logits = random.normal(0, scale, (n, k)).round(decimals).astype(np.float32).astype(float)
    labels = np.where(random.random(n) < 0.5, logits.argmax(1), random.integers(0, k, n))
    if kind == "logits":
        return from_logits(logits, labels)
    odds = np.exp(logits - logits.max(1, keepdims=True))
    probs = odds / odds.sum(1, keepdims=True)
    return from_probs(probs.astype(np.float32).astype(float), labels)


def awkward_vectors(kind: Kind, k: int = 5) -> list[Predictions]:
    """Vectors that were fitted on, others, one, some far apart, and some with ties for the largest."""
    return [
        vectors(kind, k=k),
        vectors(kind, k=k, seed=1),
        vectors(kind, k=k, n=1, seed=1),
        vectors(kind, k=k, scale=1e3, seed=2),
        vectors(kind, k=k, scale=0.5, decimals=0, seed=3),
    ]


@cache
def vector_map(family: Family, kind: Kind, k: int = 5) -> Map:
    """A family's map of some vectors."""
    return family.fit(vectors(kind, k=k))


def nearly_one() -> Predictions:
    """Rows that sum to one only nearly: two classes may claim more than one half, or one more than all."""
    pred = vectors("probs")
    probs = pred.probs.astype(np.float16).astype(float)
    probs[:2] = [0.5003, 0.5002, 0, 0, 0], [0, 1.0005, 0, 0, 0]
    return from_probs(probs.astype(np.float32).astype(float), pred.labels)


def sends_to_nothing() -> tuple[Map, Predictions]:
    """A map each of whose rules sends the first of these rows to 0, so that it stays as claimed."""
    sure = vectors("logits", scale=20)
    level = from_logits(np.array([[0.0, 0, 0, 0, 0.5], [9, 0, 0, 0, 0]]), [0, 0])
    right = from_logits(sure.values, sure.values.argmax(1))
    return c.OneVsRest(c.Isotonic(interpolate=False)).fit(right), level


def ranks_of(chances: tuple[float, ...], k: int, *, keep_order: bool) -> VectorMap:
    """A map of k classes that gives the ranks these chances, whatever is claimed."""
    rules = [Points(np.zeros(1), np.array([q]), interpolate=True) for q in chances]
    family = c.Ranked(c.Isotonic(), ranks=len(chances), keep_order=keep_order)
    rule = EachRank(tuple(rules), len(chances), keep_order)
    return VectorMap(family, rule, 9.0, "logits", tuple(range(k)))


@dataclass(frozen=True, eq=False)
class HalfTempered(ChanceRule):
    """A claim, and in some part the chance of half its log odds."""

    tag = "half-tempered"
    part: float

    def formula(self, claims: Claims, ops: Operations) -> Value:
        tempered = ops.expit(claims.log_odds / 2)
        return (1 - self.part) * claims.p + self.part * tempered

    def facts(self) -> Iterator[Fact]:
        yield Fact("part", self.part, "of the chance that is tempered")


@dataclass(frozen=True)
class HalfTemper(ChanceFamily):
    """A family of one chance that no package declares."""

    def chance_rule(self, view: View) -> HalfTempered:
        """As large a part as events are seldom."""
        return HalfTempered(float(1 - view.y.mean()))


@dataclass(frozen=True, eq=False)
class Evened(VectorRule):
    """A vector, and in some part the one that gives all classes the same chance."""

    tag = "evened"
    part: float

    def formula(self, x: Vectors, ops: Operations) -> Value:
        return (1 - self.part) * ops.softmax(x.scores) + self.part / x.k

    def facts(self) -> Iterator[Fact]:
        yield Fact("part", self.part, "of the vector that is even")


@dataclass(frozen=True)
class Evening(VectorFamily):
    """A family of whole vectors that no package declares."""

    def vector_rule(self, view: Canonical) -> Evened:
        """The share of wrong top labels."""
        is_right = view.p.argmax(1) == view.y
        return Evened(float(1 - is_right.mean()))


UNDECLARED_VECTORS: list[Family] = [Evening(), c.OneVsRest(HalfTemper()), c.Ranked(HalfTemper())]


@cache
def real_view() -> tuple[View, View]:
    """A forest's chances of an event, exact 0 and 1 among them: rows to fit on, and others."""
    forest = real("zygmuntz_adult_rf")
    assert isinstance(forest, Predictions)
    claims = c.one_class(forest, 1)
    return claims[:500], claims[500:2500]


@cache
def real_vectors(kind: Kind) -> tuple[Predictions, Predictions]:
    """A network's logits, or a forecaster's probabilities: rows to fit on, and others."""
    name = "nncal_resnet110_c10" if kind == "logits" else "modeldata_hpc_cv"
    pred = real(name)
    assert isinstance(pred, Predictions)
    make = from_logits if kind == "logits" else from_probs
    # Float32 numbers, held in float64: all exports are asked the same.
    values = pred.values.astype(np.float32).astype(np.float64)
    rows = make(values, pred.labels)
    # Here no claim is within 1e-6 of an edge, where float32 logits may fall on either side.
    return rows[1000:1500], rows[1500:3400]


@cache
def real_chance_map(family: Family) -> Map:
    """A family's map of the real claims."""
    return family.fit(real_view()[0])


@cache
def real_vector_map(family: Family, kind: Kind) -> Map:
    """A family's map of the real vectors."""
    return family.fit(real_vectors(kind)[0])


ROUNDED: list[Family] = [
    c.Temperature(),
    c.VectorScaling(),
    c.EnsembleTemperature(),
    c.StructuredMatrix(),
    c.StructuredVector(),
    c.OrderPreserving(),
    c.OneVsRest(c.Beta()),
    c.Ranked(c.Platt()),
]


def votes(seed: int, k: int = 3) -> Predictions:
    """Vectors in tenths, exact zeros and ones among them, so that zeros take a share when read."""
    random = np.random.default_rng(seed)
    chances = random.dirichlet(np.full(k, 0.5), 200)
    probs = random.multinomial(10, chances) / 10
    probs[:2] = np.eye(k)[:2]
    labels = (random.random((200, 1)) > chances.cumsum(1)).sum(1)
    return from_probs(probs, np.minimum(labels, k - 1))
