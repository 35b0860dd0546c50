"""Views that are odd in one way each, and predictions of some classes."""

import numpy as np

from calibrant import Predictions, binary, from_logits

ODD_VIEWS = {
    "ten rows": binary(np.linspace(0.05, 0.95, 10), np.arange(10) % 3 == 0),
    "rounded": binary(np.arange(60) % 11 / 10, np.arange(60) % 3 == 0),
    "one row": binary([0.8], [1]),
    "one claim": binary([0.8] * 50, [1] * 30 + [0] * 20),
    "all happened": binary(np.linspace(0.05, 0.9, 40), np.ones(40)),
    "none happened": binary(np.linspace(0.05, 0.9, 40), np.zeros(40)),
    "certain": binary([0.0] * 5 + [1.0] * 5, [0, 0, 0, 0, 1, 1, 1, 1, 1, 0]),
    "only zeros": binary([0.0] * 5, [0, 0, 0, 0, 1]),
    "weighted": binary([0.1, 0.2, 0.3, 0.9, 0.9], [1, 0, 1, 1, 0], weights=[0, 1.5, 2, 5.5, 1]),
}


def predictions(n: int = 600, k: int = 4, seed: int = 0) -> Predictions:
    """Logits twice as large as the true ones."""
    random = np.random.default_rng(seed)
    logits = random.normal(0, 2, (n, k))
    true = np.exp(logits / 2)
    draws = random.random((n, 1)) * true.sum(1, keepdims=True)
    labels = (np.cumsum(true, 1) < draws).sum(1)
    return from_logits(logits, labels)
