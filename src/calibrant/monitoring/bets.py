"""Bets that claims are wrong: maps fitted on the past, and the wealth that they have won.

Whoever bets at the odds of right claims gains nothing on average, however he chooses his bets: so a
wealth of 1 / alpha is reached with a chance of at most alpha (Ville 1939), ever.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from ..fitting.types import Array, Bools
from .cells import CELLS

# A shift of the log odds: constant; and with a slope; and with one on either side of one half.
_MODELS = 3
_SDS = (0.5, 0.5, 0.5)
_ABSENT = 1e9
_UNIT, _FAR = 4.0, 5.0
# So many starts bet at a time, of which later ones know less of the past.
STARTS = 6
_STEPS = 2
_LONGEST = 2.0
_HIGHEST_ODDS = 700.0


def features(z: Array) -> Array:
    """What shifts are linear in, (3, n)."""
    t = np.clip(z / _UNIT, -_FAR, _FAR)
    return np.stack([np.ones_like(t), t, np.abs(t)])


def log_loss(z: Array, y: Array | Bools) -> Array:
    """Minus the log of the chance given to what happened."""
    if y.dtype == np.bool_:
        return _softplus(np.where(y, -z, z))
    return _softplus(z) - y * z


def _softplus(x: Array) -> Array:
    return np.log1p(np.exp(np.minimum(x, _HIGHEST_ODDS)))


def _precisions() -> Array:
    """Of each model's coefficients, (models, 3)."""
    own = np.asarray(_SDS) ** -2.0
    is_absent = np.arange(3) > np.arange(_MODELS)[:, None]
    return np.where(is_absent, _ABSENT, own)


@dataclass(eq=False)
class Bets:
    """Who bets: for each start all models, with what they saw since, and the log of their wealth.

    `starts` are rows of the stream; `past` is (starts, 2, cells); `idle` has not been bet yet.
    """

    starts: Array = field(default_factory=lambda: np.zeros(0))
    past: Array = field(default_factory=lambda: np.zeros((0, 2, CELLS)))
    coefficients: Array = field(default_factory=lambda: np.zeros((0, _MODELS, 3)))
    wealth: Array = field(default_factory=lambda: np.zeros((0, _MODELS)))
    idle: float = 0.0
    begun: int = 0

    def begin(self, row: float) -> None:
        """One more start: it takes 1 / (j (j + 1)) of all there was at first, and knows nothing."""
        self.begun += 1
        j = self.begun
        # What is idle is 1 / j before the start, 1 / (j + 1) after it.
        share = self.idle - np.log(j + 1.0) - np.log(_MODELS)
        self.idle += np.log(j) - np.log(j + 1.0)
        self.starts = np.append(self.starts, row)
        self.past = np.concatenate([self.past, np.zeros((1, 2, CELLS))])
        self.coefficients = np.concatenate([self.coefficients, np.zeros((1, _MODELS, 3))])
        self.wealth = np.concatenate([self.wealth, np.full((1, _MODELS), share)])
        if len(self.starts) > STARTS:
            self._retire(row)

    def _retire(self, row: float) -> None:
        """Who is nearest in age to both neighbours leaves all wealth to the older one."""
        age = row - self.starts + 1
        crowded = age[2:] / age[:-2]
        leaving = 1 + int(crowded.argmax())
        self.wealth[leaving - 1] = np.logaddexp(self.wealth[leaving - 1], self.wealth[leaving])
        self._keep(np.delete(np.arange(len(self.starts)), leaving))

    def _keep(self, places: Array) -> None:
        self.starts = self.starts[places]
        self.past = self.past[places]
        self.coefficients = self.coefficients[places]
        self.wealth = self.wealth[places]

    def play(self, z: Array, y: Array | Bools, w: Array | None) -> Array:
        """Bet on rows one after the other; the log of all wealth after each of them."""
        shift = self.coefficients.reshape(-1, 3) @ features(z)
        gains = log_loss(z, y) - log_loss(z + shift, y)
        if w is not None:
            gains *= w
        won = np.cumsum(gains, axis=1)
        won += self.wealth.reshape(-1, 1)
        self.wealth = won[:, -1].reshape(self.wealth.shape).copy()
        highest = np.maximum(won.max(0, initial=-np.inf), self.idle)
        wealth = np.exp(won - highest).sum(0)
        wealth += np.exp(self.idle - highest)
        return np.log(wealth) + highest

    @property
    def log_wealth(self) -> float:
        """The log of all wealth; 0 at the beginning."""
        every = np.append(self.wealth.ravel(), self.idle)
        highest = every.max()
        return float(highest + np.log(np.exp(every - highest).sum()))

    def learn(self, counted: Array, z: Array) -> None:
        """Rows that were bet on join the past, and bets are fitted to it: `z` are cells' log odds."""
        self.past += counted
        self.coefficients = fitted(self.past, z, self.coefficients)

    def merged(self, other: "Bets") -> "Bets":
        """Bets on two streams at once: wealth multiplies, and pasts of like age add up."""
        many, few = (self, other) if len(self.starts) >= len(other.starts) else (other, self)
        places = np.arange(len(many.starts)) * len(few.starts) // len(many.starts)
        both = Bets(
            many.starts + few.starts[places],
            many.past + few.past[places],
            many.coefficients.copy(),
            many.wealth + few.wealth[places],
            many.idle + few.idle,
            many.begun,
        )
        # What is bet next may be dealt out anew; all of it is the product.
        left = self.log_wealth + other.log_wealth - both.log_wealth
        both.wealth += left
        both.idle += left
        return both


def fitted(past: Array, z: Array, start: Array) -> Array:
    """Penalised logistic shifts, a step or two of Newton's method on: any bet is a fair one."""
    x = features(z)
    products = (x[:, None] * x[None]).reshape(9, -1).T
    precision = _precisions()
    penalty = precision[..., None] * np.eye(3)
    rows = past[:, None, 0]
    events = past[:, None, 1]
    a = start
    for _ in range(_STEPS):
        q = expit(z + a @ x)
        gradient = (rows * q - events) @ x.T
        gradient += precision * a
        hessian = ((rows * q * (1 - q)) @ products).reshape(*a.shape[:2], 3, 3)
        hessian += penalty
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        a = a - np.clip(step, -_LONGEST, _LONGEST)
    return a
