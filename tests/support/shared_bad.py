"""Logits and labels of which a map of whole vectors is hard to fit."""

import numpy as np

from calibrant.fitting.types import Array, Ints

_RANDOM = np.random.default_rng(0)
BAD_VECTORS: dict[str, tuple[Array, Ints]] = {
    "separable": (10 * np.eye(4), np.arange(4)),
    "all wrong": (10 * np.eye(4), np.arange(4)[::-1]),
    "a class absent": (_RANDOM.normal(0, 3, (50, 4)), np.arange(50) % 2),
    "fewer rows than classes": (_RANDOM.normal(0, 3, (5, 40)), np.arange(5)),
    "all rows equal": (np.zeros((6, 3)), np.arange(6) % 3),
    "far logits": (np.array([[1e4, -1e4, 0.0]] * 3), np.array([0, 1, 2])),
    "one row": (np.array([[1.0, 2.0, 0.0]]), np.array([2])),
}
