"""Whole vectors whose true chances are known: drawn truths, and claims that distort them one to one."""

from typing import NamedTuple

import numpy as np

from calibrant import Predictions, from_logits, samples
from calibrant.fitting.types import Array

TRUTHS = ("dirichlet", "mixture", "network")
# Each can be undone, so that the true chances given the claim are those it was made of.
DISTORTIONS = {
    "none": "right",
    "slight": "log-probabilities x 1.1",
    "sharp": "x 1.5",
    "timid": "x 0.7",
    "bias": "a normal number, sd 0.5, added to each class",
    "mixing": "z + zM, M normal of sd 0.4 / sqrt(k)",
    "ranks": "second and third class exchanged",
    "wave": "z + 0.8 sin z",
    "by class": "x a lognormal number, sd 0.35, of the top class",
}
_KNOWN_ROWS, _KNOWN_CELLS = 60_000, 3_000_000


class Known(NamedTuple):
    """Claims with outcomes, and how far they lie from the truth: L1, and squared."""

    pred: Predictions
    gap: float
    square: float


def known(truth: str, distortion: str, k: int, n: int, seed: int) -> Known:
    """So many rows of a construction."""
    random = np.random.default_rng([seed, k, n])
    z = known_logits(truth, k, n, random)
    z -= z.mean(1, keepdims=True)
    claims = _distorted(distortion, z)
    q, p = softmax(z), softmax(claims)
    below = q.cumsum(1) < random.random((n, 1))
    labels = np.minimum(below.sum(1), k - 1)
    gap = q - p
    return Known(
        from_logits(claims, labels),
        float(np.abs(gap).sum(1).mean()),
        float((gap**2).sum(1).mean()),
    )


def errors(truth: str, distortion: str, k: int) -> tuple[float, float]:
    """The true errors of norm 1 and 2, of many other rows."""
    if distortion == "none":
        return 0.0, 0.0
    n = min(_KNOWN_ROWS, _KNOWN_CELLS // k)
    found = known(truth, distortion, k, n, 10**6)
    return found.gap, float(np.sqrt(found.square))


def known_logits(name: str, k: int, n: int, random: np.random.Generator) -> Array:
    """Logits of so many rows of a truth."""
    if name == "dirichlet":
        q = random.dirichlet(np.full(k, max(0.1, 3.0 / k)), n)
        return np.log(np.maximum(q, 1e-12))
    if name == "mixture":
        fixed = np.random.default_rng(k)
        middles = fixed.normal(0, 1.3, (k, min(k, 8)))
        x = middles[random.integers(0, k, n)] + random.normal(size=(n, middles.shape[1]))
        return x @ middles.T - 0.5 * (middles**2).sum(1)
    sample = "c10-resnet18" if k <= 10 else "c100-resnet18"
    z = samples.load(sample)[1].values[:, :k].astype(np.float64)  # type: ignore[arg-type]
    rows = random.integers(0, len(z), n)
    return z[rows] / 1.4 + random.normal(0, 0.3, (n, k))


def _distorted(name: str, z: Array) -> Array:
    n, k = z.shape
    fixed = np.random.default_rng(99 + k)
    factors = {"none": 1.0, "slight": 1.1, "sharp": 1.5, "timid": 0.7}
    if name in factors:
        return factors[name] * z
    if name == "bias":
        return z + fixed.normal(0, 0.5, k)
    if name == "mixing":
        return z + z @ fixed.normal(0, 0.4 / np.sqrt(k), (k, k))
    if name == "wave":
        return z + 0.8 * np.sin(z)
    if name == "by class":
        return z * np.exp(fixed.normal(0, 0.35, k))[z.argmax(1)][:, None]
    order = np.argsort(-z, axis=1)
    exchanged = z.copy()
    rows, second, third = np.arange(n), order[:, 1], order[:, 2]
    exchanged[rows, second] = z[rows, third]
    exchanged[rows, third] = z[rows, second]
    return exchanged


def softmax(z: Array) -> Array:
    """Chances of logits."""
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)
