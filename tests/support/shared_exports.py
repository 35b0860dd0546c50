"""Maps and rows that every export must get right: float32 numbers, ties, chances that do not fit together."""

import numpy as np

import calibrant as c
from calibrant import Map, Predictions, VectorMap, from_logits, from_probs
from calibrant.families.binary.isotonic import Points
from calibrant.families.multiclass.ranked import EachRank
from calibrant.fitting.types import Array, Bools


def some_claims(n: int, seed: int = 0) -> tuple[Array, Bools]:
    """Claims in float32, exact 0 and 1 among them, and outcomes."""
    random = np.random.default_rng(seed)
    p = random.random(n).astype(np.float32)
    p[:4] = 0, 1, 0.5, 0.2
    return p, random.random(n) < p**2


def vectors(
    kind: str, n: int = 200, k: int = 5, scale: float = 3.0, decimals: int = 9, seed: int = 0
) -> Predictions:
    """Predictions whose values are float32 numbers, held in float64."""
    random = np.random.default_rng(seed)
    logits = random.normal(0, scale, (n, k)).round(decimals).astype(np.float32).astype(float)
    labels = np.where(random.random(n) < 0.5, logits.argmax(1), random.integers(0, k, n))
    if kind == "logits":
        return from_logits(logits, labels)
    odds = np.exp(logits - logits.max(1, keepdims=True))
    return from_probs((odds / odds.sum(1, keepdims=True)).astype(np.float32).astype(float), labels)


def nearly_one() -> Predictions:
    """Rows that sum to one only nearly: two classes may both claim more than one half, or one more than all."""
    probs = vectors("probs").probs.astype(np.float16).astype(float)
    probs[:2] = [0.5003, 0.5002, 0, 0, 0], [0, 1.0005, 0, 0, 0]
    return from_probs(probs.astype(np.float32).astype(float), vectors("probs").labels)


def sends_to_nothing() -> tuple[Map, Predictions]:
    """A map each of whose rules sends the first of these rows to 0, so that it stays as it was claimed."""
    sure = vectors("logits", scale=20)
    level = from_logits(np.array([[0.0, 0, 0, 0, 0.5], [9, 0, 0, 0, 0]]), [0, 0])
    fitted = c.OneVsRest(c.Isotonic(interpolate=False)).fit(
        from_logits(sure.values, sure.values.argmax(1))
    )
    return fitted, level


def ranks_of(chances: tuple[float, ...], k: int, *, keep_order: bool) -> VectorMap:
    """A map of k classes that gives the ranks these chances, whatever is claimed."""
    rule = EachRank(
        tuple(Points(np.zeros(1), np.array([q]), interpolate=True) for q in chances), keep_order
    )
    return VectorMap(
        c.Ranked(c.Isotonic(), ranks=3, keep_order=keep_order), rule, 9.0, "logits", tuple(range(k))
    )
