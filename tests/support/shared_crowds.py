"""Claims that crowd in one way each, as kernels meet them."""

import numpy as np

from calibrant.fitting.beta_density import FLOOR
from calibrant.fitting.pooling import Pool, pool

N = 600


def claims(kind: str, seed: int = 0) -> np.ndarray:
    """Claims of a kind that sums of kernels find hard."""
    random = np.random.default_rng(seed)
    made = {
        "uniform": random.random(N),
        "piled up": np.concatenate([random.beta(0.05, 0.05, N - 20), np.zeros(10), np.ones(10)]),
        "far odds": 1 / (1 + np.exp(-random.normal(0, 8, N))),
        "tiny": 10 ** -random.uniform(0, 40, N),
        "near one": 1 - 10 ** -random.uniform(0, 16, N),
        "a pile and strays": np.concatenate([random.normal(0.3, 1e-4, N - 50), random.random(50)]),
    }
    return made[kind]


def floored_log_odds(p: np.ndarray) -> np.ndarray:
    """Log odds of chances, those of 0 and 1 at the floor."""
    with np.errstate(divide="ignore"):
        odds = np.log(p)
        odds -= np.log1p(-p)
    return np.clip(odds, FLOOR, -FLOOR)


def pooled(p: np.ndarray, y: np.ndarray, w: np.ndarray | None = None) -> tuple[Pool, np.ndarray]:
    """Claims in log odds, and the place of each row among them."""
    found = pool(p, y, w)
    return found._replace(p=floored_log_odds(found.p)), np.searchsorted(found.p, p)
