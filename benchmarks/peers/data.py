"""The data of the tasks: made once a run, the same bytes for every library."""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import numpy as np
from inputs import binary_chances, multiclass_task, softmax
from scipy.special import expit, logit


def vectors(n: int, k: int, kind: type = np.float32) -> SimpleNamespace:
    """Logits, their chances, labels and the true chances."""
    logits, labels, truth = multiclass_task(n, k)
    logits = logits.astype(kind)
    return SimpleNamespace(logits=logits, probs=softmax(logits), labels=labels, truth=truth)


def chances(n: int) -> SimpleNamespace:
    """One chance a row in float64, whether the event happened, and the true chance."""
    p, y = binary_chances(n)
    return SimpleNamespace(p=p, y=y, truth=expit((logit(p) - 0.4) / 1.7))


DATA: dict[str, Callable[[], SimpleNamespace]] = {
    "200,000 x 10 float32": partial(vectors, 200_000, 10),
    "10,000 x 50 float32": partial(vectors, 10_000, 50),
    "20,000 x 10 float32": partial(vectors, 20_000, 10),
    "5,000 x 10 float64": partial(vectors, 5000, 10, np.float64),
    "500,000 chances": partial(chances, 500_000),
    "100,000 chances": partial(chances, 10**5),
    "20,000 chances": partial(chances, 20_000),
    "5,000 chances": partial(chances, 5000),
}
