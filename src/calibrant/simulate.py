"""Tasks whose true calibration map is known, to judge families and measures by."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .families.family import Family, Map
from .fitting.types import Array
from .inputs.predictions import Predictions
from .inputs.questions import binary, top_label
from .inputs.views import View
from .measures.errors import calibration_error

Shape = Literal["square", "sqrt", "beta1", "beta2", "stairs"]


class Sample(NamedTuple):
    """A view, and the true chance behind each of its claims."""

    view: View
    truth: Array


class Assessment(NamedTuple):
    """How near a family fitted on a sample comes to the truth, and the calibration error it shows to the true one."""

    map_error: float
    error_after: float
    estimate: float
    truth: float

    @property
    def distance(self) -> float:
        """How far the estimate lies from the true error."""
        return abs(self.bias)

    @property
    def bias(self) -> float:
        """What the estimate lies above the true error."""
        return self.estimate - self.truth


class Task(ABC):
    """Claims that lie by a known amount."""

    @abstractmethod
    def sample(self, n: int, seed: int) -> Sample:
        """Claims and outcomes of n rows, with the true chances."""


@dataclass(frozen=True)
class Shaped(Task):
    """A true chance c, drawn evenly from [0, 1], is shown as (1 - weight) c + weight shape(c)."""

    shape: Shape
    weight: float

    def claim(self, c: Array) -> Array:
        """What is claimed when the chance is c."""
        return (1 - self.weight) * c + self.weight * SHAPES[self.shape](c)

    def sample(self, n: int, seed: int) -> Sample:
        """True chances in ascending order and outcomes drawn from them: the same for every shape and weight."""
        random = np.random.RandomState(seed + n)
        c = np.sort(random.dirichlet([1, 1], n)[:, 0])
        y = random.binomial(1, c)
        return Sample(binary(self.claim(c), y), c)


@dataclass(frozen=True, eq=False)
class Realistic(Task):
    """Claims drawn from those of a real model, whose outcomes follow a map that is taken for true."""

    claims: View
    truth: Array

    def sample(self, n: int, seed: int) -> Sample:
        """Claims drawn with replacement, by weight, and outcomes drawn from their true chances."""
        random = np.random.default_rng(seed)
        share = None if self.claims.w is None else self.claims.w / self.claims.total
        rows = random.choice(self.claims.n, n, p=share)
        truth = self.truth[rows]
        return Sample(replace(self.claims[rows], y=random.random(n) < truth, w=None), truth)


@cache
def task(shape: Shape, error: float) -> Shaped:
    """The task of a shape whose mean |claim - chance| is `error` for uniform chances, to six decimals.

    >>> task("square", 0.05).weight
    0.299999
    """
    low, high = 0.0, 1.0
    if not 0 <= error <= (most := _error(Shaped(shape, 1.0))) or round(error, 6) != error:
        raise ValueError(
            f"error must lie in 0..{most:g} for {shape!r}, with six decimals at most; got {error}"
        )
    while True:
        made = Shaped(shape, (low + high) / 2)
        found = round(_error(made), 6)
        if found == error:
            return Shaped(shape, round(made.weight, 6))
        low, high = (made.weight, high) if found < error else (low, made.weight)


def _error(made: Shaped) -> float:
    from scipy.integrate import quad

    return float(quad(lambda c: abs(made.claim(c) - c), 0, 1)[0])


def realistic(
    scores: Predictions | View | ArrayLike, true_map: Map | Callable[[Array], Array]
) -> Realistic:
    """A task with the claims of a real model, whose outcomes follow `true_map`: networks pile up near 1.

    `scores` are a view, predictions (their top label) or chances; the map a fitted one, or a function of chances.

    >>> from calibrant import samples
    >>> fit_on, test = samples.load("c10-lenet5")
    >>> realistic(test, lambda p: p**2).sample(100, seed=0).view.n
    100
    """
    if isinstance(scores, Predictions):
        scores = top_label(scores)
    claims = (
        scores if isinstance(scores, View) else binary(scores, np.zeros(np.shape(scores), np.bool_))
    )
    truth = true_map(claims) if isinstance(true_map, Map) else true_map(claims.p.astype(np.float64))
    return Realistic(claims, np.clip(truth, 0, 1))


def assess(
    family: Family, task: Task, *, n: int = 3000, seed: int = 0, n_test: int = 100_000
) -> Assessment:
    """Fit a family on a sample of a task and hold its map, and the error it shows, against the truth.

    `map_error` is the mean distance of the map from the true one (CMEE), `error_after` the calibration error that is
    left once it is applied (CEAC): never more, as claims that it makes equal may cancel.
    """
    fit_on, test = task.sample(n, seed), task.sample(n_test, seed + 10**6)
    q = family.fit(fit_on.view)(test.view)
    return Assessment(
        map_error=float(np.abs(q - test.truth).mean()),
        error_after=float(np.abs(q - truth_after(q, test.truth)).mean()),
        estimate=calibration_error(fit_on.view, family),
        truth=float(np.abs(fit_on.view.p - fit_on.truth).mean()),
    )


def truth_after(q: Array, truth: Array) -> Array:
    """The true chance behind each calibrated one: the mean truth of the rows that share it."""
    _, place = np.unique(q, return_inverse=True)
    return (np.bincount(place, truth) / np.bincount(place))[place]


def _beta(a: float, b: float, middle: float) -> Callable[[Array], Array]:
    shift = b * np.log(middle) - a * np.log(1 - middle)

    def shape(c: Array) -> Array:
        with np.errstate(divide="ignore"):
            return 1 / (1 + 1 / (np.exp(shift) * c**a / (1 - c) ** b))

    return shape


def _step(x: Array) -> Array:
    return x - np.sin(x)


def _stairs(c: Array) -> Array:
    below, above = (
        _step(_step(3 * np.pi * x)) / (3 * np.pi) for x in (np.full_like(c, 1 / 3), c + 1 / 3)
    )
    return above - below


SHAPES: dict[Shape, Callable[[Array], Array]] = {
    "square": np.square,
    "sqrt": np.sqrt,
    "beta1": _beta(0.4, 0.45, 0.6),
    "beta2": _beta(2.0, 2.2, 0.52),
    "stairs": _stairs,
}
ERRORS = tuple(round(0.005 * i, 3) for i in range(21))
