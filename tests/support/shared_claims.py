"""Claims whose truth is known."""

import numpy as np

from calibrant import View, binary


def claims(n: int, lift: float = 0.0, slope: float = 1.0, seed: int = 0) -> View:
    """Claims whose true log odds are `slope` times the claimed ones, plus `lift`."""
    rng = np.random.default_rng(seed)
    z = rng.normal(0, 2, n)
    return binary(1 / (1 + np.exp(-z)), rng.random(n) < 1 / (1 + np.exp(-slope * z - lift)))
