"""Fixed rows that the laws are tried on: ordinary ones, extremes, and claims that hold."""

import numpy as np

from calibrant import Predictions, View, binary, from_logits, from_probs


def random_vectors(seed: int, n: int = 40, k: int = 4) -> Predictions:
    """Logits to one decimal, so that some are equal, and labels that know nothing of them."""
    random = np.random.default_rng(seed)
    logits = random.normal(0, 2, (n, k)).round(1)
    return from_logits(logits, random.integers(0, k, n))


def as_probs(pred: Predictions) -> Predictions:
    """The same predictions, as if given as probabilities."""
    return from_probs(pred.probs, pred.labels)


def calibrated_claims(n: int) -> View:
    """Claims drawn evenly, and outcomes drawn from them."""
    random = np.random.default_rng(n)
    p = random.random(n)
    return binary(p, random.random(n) < p)


def calibrated_vectors(n: int) -> Predictions:
    """Vectors drawn evenly, and classes drawn from them."""
    random = np.random.default_rng(n)
    probs = random.dirichlet([1, 1, 1], n)
    passed = random.random((n, 1)) > probs.cumsum(1)
    return from_probs(probs, passed[:, :2].sum(1))


def _some_claims() -> View:
    """Claims too high, many of them equal, a few of exactly 0 and 1."""
    random = np.random.default_rng(1)
    p = random.random(200).round(2)
    p[:4] = [0, 0, 1, 1]
    return binary(p, random.random(200) < p**2)


def _some_vectors(seed: int) -> Predictions:
    """Logits twice too large, of which each row stands twice, with a class drawn for each."""
    random = np.random.default_rng(seed)
    logits = np.tile(random.normal(0, 3, (60, 4)).round(1), (2, 1))
    # The largest of logits with Gumbel noise is a draw from their softmax.
    labels = (logits / 2 + random.gumbel(size=logits.shape)).argmax(1)
    return from_logits(logits, labels)


def _claims_that_hold() -> View:
    """Of 20 rows that claim i/20, exactly i are right."""
    twentieths = np.repeat(np.arange(1, 20), 20)
    return binary(twentieths / 20, np.tile(np.arange(20), 19) < twentieths)


def _vectors_that_hold() -> Predictions:
    """Of 10 rows that claim a, b and c tenths, a, b and c are of those classes."""
    tenths = [(a, b, 10 - a - b) for a in range(1, 9) for b in range(1, 10 - a)]
    probs = np.repeat(np.array(tenths) / 10, 10, axis=0)
    labels = np.concatenate([np.repeat([0, 1, 2], each) for each in tenths])
    return from_probs(probs, labels)


SIX_CLAIMS = binary([0.1, 0.3, 0.3, 0.6, 0.7, 0.9], [0, 1, 0, 0, 1, 1])
SIX_VECTORS = from_logits(
    [[2, 0, 1], [0, 1, 0], [1, 0, 3], [0, 2, 1], [1, 0, 0], [0, 1, 2]], [0, 1, 2, 2, 0, 1]
)
SOME_CLAIMS: list[View] = [_some_claims(), SIX_CLAIMS]
SOME_VECTORS: list[Predictions] = [_some_vectors(2), as_probs(_some_vectors(3))]
CLAIMS_THAT_HOLD = _claims_that_hold()
VECTORS_THAT_HOLD = _vectors_that_hold()
EXTREME_CLAIMS: dict[str, View] = {
    "one row": binary([0.3], [1]),
    "one claim": binary([0.3] * 5, [1, 0, 0, 0, 0]),
    "one outcome": binary([0.1, 0.4, 0.8], [0, 0, 0]),
    "exact 0 and 1": binary([0, 1, 0, 1], [0, 1, 1, 0]),
    "separable": binary([0.2, 0.9], [0, 1]),
    "one row of a share": binary([0.3], [0.4]),
    "one claim and shares": binary([0.3] * 5, [0.5, 0.25, 0, 1, 0.75]),
    "exact 0 and 1 and shares": binary([0, 1, 0, 1], [0.25, 1, 0.5, 0]),
}
EXTREME_VECTORS: dict[str, Predictions] = {
    "far apart": from_logits(
        [[1e4, -1e4, 0.0], [0.0, 1e4, -1e4], [-1e4, 0.0, 1e4], [0.0, 1.0, 2.0]], [0, 0, 2, 1]
    ),
    "exact 0 and 1": from_probs([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0, 0, 2]),
    "one row": from_logits([[1.0, 2.0, 3.0]], [0]),
    "one row of shares": from_logits([[1.0, 2.0, 3.0]], [[0.5, 0.25, 0.25]]),
    "exact 0 and 1 and shares": from_probs(
        np.eye(3), np.array([[0.5, 0.5, 0], [0, 1, 0], [0.25, 0, 0.75]])
    ),
    "all rows equal, one class present": from_logits(np.tile([1.0, 2.0, 3.0], (5, 1)), [2] * 5),
}
THOUSAND_CLASSES = from_logits(np.random.default_rng(0).normal(0, 2, (60, 1000)), np.arange(60))
