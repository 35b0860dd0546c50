"""Classifiers whose claims come with the true chances p(y|x)."""

import warnings
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from known_vectors import known_logits, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from calibrant import Predictions, from_logits
from calibrant.fitting.types import Array, Ints

# Rows that the classifiers of mixtures were trained on.
TRAINED_ON = 1500
HIDDEN, STEPS = 32, 400
# Of so many features k logits tell a point from its neighbours, so the truth given the claim is that of x.
MOST_FEATURES = 4
CONSTRUCTIONS = {
    "right": "logits of a network and noise; outcomes drawn from the claims themselves",
    "sharp": "the true logits are the claimed ones / 1.5",
    "class factors": "true: each class's logit times a lognormal number of sd .25, plus a normal one of sd .4",
    "class confusion": "true: chances of the logits / 1.2, of which 15% go to other classes by a fixed table",
    "mixture, regression": f"normal clusters of unequal spread; logistic regression of {TRAINED_ON:,} rows",
    "mixture, network": f"the same clusters and rows; a network of {HIDDEN} hidden units that learnt them too well",
}


class Rows(NamedTuple):
    """Claims with drawn outcomes, and the true chances behind them."""

    pred: Predictions
    truth: Array


def draw(name: str, k: int, n: int, seed: int) -> Rows:
    """So many fresh rows of a construction."""
    random = np.random.default_rng([seed, k, n])
    if name.startswith("mixture"):
        x, _ = _clusters(k).draw(n, random)
        truth = _clusters(k).chances(x)
        z = _classifier(name, k)(x)
    else:
        z = known_logits("network", k, n, random)
        truth = _TRUTHS[name](z)
    return Rows(from_logits(z, _drawn(truth, random)), truth)


def keeps_truth(name: str, k: int) -> bool:
    """Whether the true chances given the claim are those given x."""
    return name != "mixture, network" or k > 2 * MOST_FEATURES


def _drawn(truth: Array, random: np.random.Generator) -> Ints:
    below = truth.cumsum(1) < random.random((len(truth), 1))
    return np.minimum(below.sum(1), truth.shape[1] - 1)


def _scaled(z: Array) -> Array:
    fixed = np.random.default_rng(z.shape[1])
    factor = np.exp(fixed.normal(0, 0.25, z.shape[1]))
    shift = fixed.normal(0, 0.4, z.shape[1])
    return softmax(z * factor + shift)


def _confused(z: Array) -> Array:
    k = z.shape[1]
    fixed = np.random.default_rng(k)
    others = fixed.dirichlet(np.full(k, 0.3), k)
    table = 0.85 * np.eye(k) + 0.15 * others
    return softmax(z / 1.2) @ table


_TRUTHS: dict[str, Callable[[Array], Array]] = {
    "right": softmax,
    "sharp": lambda z: softmax(z / 1.5),
    "class factors": _scaled,
    "class confusion": _confused,
}


class Clusters(NamedTuple):
    """Normal clusters, one a class, each with a spread of its own."""

    middles: Array
    spreads: Array
    shares: Array

    def draw(self, n: int, random: np.random.Generator) -> tuple[Array, Ints]:
        """Points, and the cluster each is of."""
        cluster = random.choice(len(self.shares), n, p=self.shares)
        noise = random.normal(size=(n, self.middles.shape[1]))
        return self.middles[cluster] + noise * self.spreads[cluster], cluster

    def chances(self, x: Array) -> Array:
        """The chance of each cluster at each point."""
        logs = np.log(self.shares) - np.log(self.spreads).sum(1)
        density = [
            ((x - middle) / spread) ** 2 @ np.ones(x.shape[1])
            for middle, spread in zip(self.middles, self.spreads, strict=True)
        ]
        return softmax(logs - 0.5 * np.stack(density, axis=1))


@cache
def _clusters(k: int) -> Clusters:
    fixed = np.random.default_rng(1000 + k)
    d = min(k - 1, MOST_FEATURES)
    middles = fixed.normal(0, 1.2 * k ** (1 / d) if k > 2 else 0.8, (k, d))
    spreads = np.exp(fixed.normal(0, 0.35, (k, d)))
    return Clusters(middles, spreads, fixed.dirichlet(np.full(k, 5.0)))


@cache
def _classifier(name: str, k: int) -> Callable[[Array], Array]:
    """Logits of a classifier that was trained on few rows of the clusters."""
    random = np.random.default_rng(2000 + k)
    x, labels = _clusters(k).draw(TRAINED_ON, random)
    # Every class is seen.
    x, labels = np.concatenate([x, _clusters(k).middles]), np.append(labels, np.arange(k))
    if name.endswith("regression"):
        fitted = LogisticRegression(C=10.0, max_iter=5000).fit(x, labels)
        return lambda points: _both(fitted.decision_function(points))
    net = MLPClassifier(
        (HIDDEN,), "tanh", solver="lbfgs", alpha=1e-4, max_iter=STEPS, random_state=0
    )
    net.max_fun = 10 * STEPS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        net.fit(x, labels)

    def logits(points: Array) -> Array:
        hidden = np.tanh(points @ net.coefs_[0] + net.intercepts_[0])
        return _both(np.squeeze(hidden @ net.coefs_[1] + net.intercepts_[1]))

    return logits


def _both(z: Array) -> Array:
    """Of two classes libraries give the log odds alone."""
    return np.stack([np.zeros_like(z), z], axis=1) if z.ndim == 1 else z
