"""Inputs of the speed comparisons: the same bytes for every run and every peer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def multiclass_logits(
    n: int, k: int, seed: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The logits and labels of `multiclass_task`."""
    logits, labels, _ = multiclass_task(n, k, seed)
    return logits, labels


def multiclass_task(
    n: int, k: int, seed: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]:
    """Overconfident, biased logits: labels are drawn from softmax(t), shown are 1.8 t plus a bias a class.

    Returns logits, labels and the true chances.
    """
    random = np.random.default_rng(seed)
    t = random.standard_normal((n, k)).astype(np.float32)
    favourite = random.integers(0, k, n)
    t[np.arange(n), favourite] += (1.5 + np.log(k)) * random.uniform(0.2, 1.4, n).astype(np.float32)
    uniform = random.random((n, 1), dtype=np.float32)
    truth = softmax(t)
    labels = np.minimum((np.cumsum(truth, 1) < uniform).sum(1), k - 1).astype(np.int64)
    logits = 1.8 * t + 0.4 * random.standard_normal(k).astype(np.float32)
    return logits.astype(np.float32), labels, truth


def binary_chances(n: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Labels from sigmoid(t), shown chances sigmoid(1.7 t + 0.4)."""
    random = np.random.default_rng(seed)
    t = random.standard_normal(n) * 1.5
    y = (random.random(n) < 1 / (1 + np.exp(-t))).astype(np.int64)
    return np.clip(1 / (1 + np.exp(-(1.7 * t + 0.4))), 1e-6, 1 - 1e-6), y


def softmax(z: NDArray[Any]) -> NDArray[Any]:
    """Probabilities of logits, in their own type."""
    e = z - z.max(1, keepdims=True)
    np.exp(e, out=e)
    e /= e.sum(1, keepdims=True)
    return e
