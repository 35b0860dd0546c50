"""Claims and true maps that no choice was made on, beside those that choices were made on.

A model's own claim is a latent log odd z, its true chance `expit(map(z))`. What is shown may be rounded; the truth
behind a shown claim is the mean true chance of all that show the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from calibrant import View, binary

Array = NDArray[np.floating[Any]]
Random = np.random.Generator
Draw = Callable[[Random, int], Array]
Curve = Callable[[Array], Array]

KNOWN_ON = 400_000
TESTED_ON = 20_000


@dataclass(frozen=True)
class Claims:
    """How latent log odds are drawn, and what is shown of their chances."""

    draw: Draw
    show: Curve = expit


def _odds_of(draw: Draw) -> Draw:
    """Log odds of chances so drawn."""
    return lambda random, n: logit(draw(random, n))


def _in_steps(steps: int) -> Curve:
    """Chances rounded to so many equal steps, 0 and 1 among them."""
    return lambda z: np.round(steps * expit(z)) / steps


def _votes(random: Random, n: int) -> Array:
    return random.normal(-1, 2.5, n)


def _as_float32(z: Array) -> Array:
    return expit(z.astype(np.float32)).astype(np.float32)


def _two_humps(random: Random, n: int) -> Array:
    first = random.normal(-2, 0.6, n)
    second = random.normal(3, 1, n)
    return np.where(random.random(n) < 0.5, first, second)


# Settings of Smooth and of its test were chosen on these.
CHOSEN_ON: dict[str, Claims] = {
    "even": Claims(_odds_of(lambda random, n: random.random(n))),
    "normal log odds": Claims(lambda random, n: random.normal(0.5, 2, n)),
    "near 1": Claims(lambda random, n: random.gamma(2, 2, n)),
    "one in a hundred": Claims(lambda random, n: random.normal(-5, 1.2, n)),
    "votes of 50": Claims(_votes, _in_steps(50)),
    "float32 near 1": Claims(lambda random, n: random.normal(11, 7, n), _as_float32),
    "steps of a twentieth": Claims(lambda random, n: random.normal(1.5, 2, n), _in_steps(20)),
}
CHOICE_MAPS: dict[str, Curve] = {
    "right": lambda z: z,
    "too extreme": lambda z: z / 1.7,
    "too timid": lambda z: 1.4 * z,
    "shifted": lambda z: z - 0.6,
    "square": lambda z: logit(np.clip(expit(z) ** 1.5, 1e-300, 1 - 1e-16)),
    "noisy labels": lambda z: logit(0.04 + 0.92 * expit(z)),
    "waves": lambda z: z + 0.6 * np.sin(1.5 * z),
    "bump": lambda z: z - 1.2 * np.exp(-((z - 1) ** 2)),
}

# What is claimed of Smooth is claimed on these.
UNSEEN: dict[str, Claims] = {
    "bathtub": Claims(_odds_of(lambda random, n: random.beta(0.5, 0.5, n))),
    "hill": Claims(_odds_of(lambda random, n: random.beta(5, 3, n))),
    "confident": Claims(lambda random, n: random.normal(4, 2.5, n)),
    "two humps": Claims(_two_humps),
    "heavy tails": Claims(lambda random, n: 2 * random.standard_t(3, n)),
    "rare": Claims(_odds_of(lambda random, n: random.beta(0.4, 25, n))),
    "hundredths": Claims(_odds_of(lambda random, n: random.beta(0.6, 1.2, n)), _in_steps(100)),
    "float32 of a network": Claims(lambda random, n: 3.5 * random.gamma(3, 1.2, n), _as_float32),
}


def _kinked(z: Array) -> Array:
    """Right up to even odds, half as sure as claimed beyond."""
    return np.where(z > 0, z / 2, z)


def _stairs(z: Array) -> Array:
    p = expit(z)
    stair = (np.minimum(np.floor(4 * p), 3) + 0.5) / 4
    return logit(0.5 * p + 0.5 * stair)


UNSEEN_MAPS: dict[str, Curve] = {
    "right": lambda z: z,
    "overfitted": lambda z: 0.7 * z,
    "smoothed": lambda z: 1.25 * z,
    "too low": lambda z: z + 0.4,
    "beta": lambda z: 0.5 - 0.6 * np.logaddexp(0, -z) + 1.2 * np.logaddexp(0, z),
    "bent": lambda z: z + 0.15 * z**2 / (1 + 0.1 * z**2),
    "floor and ceiling": lambda z: logit(0.02 + 0.9 * expit(z)),
    "kink": _kinked,
    "dip": lambda z: z - 0.9 * np.exp(-(((z - 2) / 0.7) ** 2)),
    "stairs": _stairs,
    "S": lambda z: z - 0.8 * np.tanh(z),
}


@dataclass(frozen=True, eq=False)
class Known:
    """Claims with the true chance behind each."""

    p: Array
    truth: Array


@dataclass(frozen=True)
class UnseenTask:
    """Claims of one kind with one true map."""

    claims: Claims
    curve: Curve

    def sample(self, n: int, seed: int) -> View:
        """Rows to fit on."""
        random = np.random.default_rng(seed)
        z = self.claims.draw(random, n)
        happened = random.random(n) < expit(self.curve(z))
        return binary(self.claims.show(z), happened)

    def known(self) -> Known:
        """Other claims, the truth behind them known."""
        return _known(self)


@cache
def _known(task: UnseenTask) -> Known:
    random = np.random.default_rng(0)
    z = task.claims.draw(random, KNOWN_ON)
    p = task.claims.show(z)
    _, group, times = np.unique(p, return_inverse=True, return_counts=True)
    means = np.bincount(group, expit(task.curve(z))) / times
    # Claims that nothing rounds stand for themselves; those that share a value, for all of it.
    rows = random.choice(KNOWN_ON, TESTED_ON, replace=False)
    return Known(p[rows], means[group[rows]])
