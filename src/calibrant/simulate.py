"""Tasks whose true calibration map is known, to judge families and measures by."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .families.family import Family
from .families.maps import Map
from .families.names import family_of
from .fitting.types import Array
from .inputs.checks import check_argument
from .inputs.predictions import Predictions
from .inputs.questions import binary, top_label
from .inputs.views import View
from .measures.averages import Norm
from .measures.errors import calibration_error, distance

Shape = Literal["square", "sqrt", "beta1", "beta2", "stairs"]
Function = Callable[[Array], Array]

_DECIMALS = 6
_SEED_OF_TEST = 10**6  # added to the seed, so that no test sample is one to fit on


class Sample(NamedTuple):
    """A view, and the true chance behind each of its claims."""

    view: View
    truth: Array


class Assessment(NamedTuple):
    """How near a family fitted on a sample comes to the truth.

    `estimate` is the calibration error that the family shows, `truth` the true one.
    """

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
        shown = SHAPES[self.shape](c)
        return (1 - self.weight) * c + self.weight * shown

    def sample(self, n: int, seed: int) -> Sample:
        """True chances in ascending order and outcomes drawn from them.

        They are the same for every shape and weight.
        """
        random = np.random.RandomState(seed + n)
        pairs = random.dirichlet([1, 1], n)
        c = np.sort(pairs[:, 0])
        y = random.binomial(1, c)
        return Sample(binary(self.claim(c), y), c)


@dataclass(frozen=True, eq=False)
class Realistic(Task):
    """Claims drawn from those of a real model; outcomes follow a map that is taken for true."""

    claims: View
    truth: Array

    def sample(self, n: int, seed: int) -> Sample:
        """Claims drawn with replacement, by weight, and outcomes drawn from their true chances."""
        random = np.random.default_rng(seed)
        w = self.claims.w
        share = None if w is None else w / self.claims.total
        rows = random.choice(self.claims.n, n, p=share)
        truth = self.truth[rows]
        y = random.random(n) < truth
        return Sample(replace(self.claims[rows], y=y, w=None), truth)


@cache
def task(shape: Shape, error: float) -> Shaped:
    """The task of a shape whose mean |claim - chance| is `error` for uniform chances.

    The error has six decimals at most, and the weight of the shape has six.

    >>> task("square", 0.05).weight
    0.299999
    """
    most = _error(Shaped(shape, 1.0))
    if not 0 <= error <= most or round(error, _DECIMALS) != error:
        raise ValueError(
            f"error must lie in 0..{most:g} for {shape!r}, with six decimals at most; got {error}"
        )
    low, high = 0.0, 1.0
    while True:
        middle = (low + high) / 2
        found = round(_error(Shaped(shape, middle)), _DECIMALS)
        if found == error:
            return Shaped(shape, round(middle, _DECIMALS))
        if found < error:
            low = middle
        else:
            high = middle


def realistic(scores: Predictions | View | ArrayLike, true_map: Map | Function) -> Realistic:
    """A task with the claims of a real model, whose outcomes follow `true_map`.

    Unlike evenly drawn claims, those of networks pile up near 1. `scores` are a view, predictions
    (their top label) or chances; the map is a fitted one, or a function of chances.

    >>> from calibrant import samples
    >>> fit_on, test = samples.load("c10-lenet5")
    >>> realistic(test, np.square).sample(100, seed=0).view.n
    100
    """
    claims = _claims(scores)
    truth = _mapped(true_map, claims)
    return Realistic(claims, np.clip(truth, 0, 1))


def assess(
    family: Family | str,
    task: Task,
    *,
    n: int = 3000,
    seed: int = 0,
    n_test: int = 100_000,
    norm: Norm = 1,
) -> Assessment:
    """Fit a family on a sample of a task; hold its map and the error it shows against the truth.

    `map_error` is the mean distance of the map from the true one (CMEE), `error_after` the
    calibration error that is left once it is applied (CEAC): never more, as claims that it makes
    equal may cancel. In norm 2 all four are roots of mean squares, in norm "max" largest distances.
    """
    family = family_of(family)
    check_argument("norm", norm, Norm)
    fit_on = task.sample(n, seed)
    test = task.sample(n_test, seed + _SEED_OF_TEST)
    q = family.fit(fit_on.view)(test.view)
    return Assessment(
        map_error=_distance(q, test.truth, norm),
        error_after=_distance(q, truth_after(q, test.truth), norm),
        estimate=calibration_error(fit_on.view, family, norm=norm),
        truth=_distance(fit_on.view.p, fit_on.truth, norm),
    )


def truth_after(q: Array, truth: Array) -> Array:
    """The true chance behind each calibrated one: the mean truth of the rows that share it."""
    _, group = np.unique(q, return_inverse=True)
    means = np.bincount(group, truth) / np.bincount(group)
    return means[group]


def _error(made: Shaped) -> float:
    from scipy.integrate import quad

    def gap(c: Array) -> Array:
        return abs(made.claim(c) - c)

    return float(quad(gap, 0, 1)[0])


def _claims(scores: Predictions | View | ArrayLike) -> View:
    if isinstance(scores, Predictions):
        return top_label(scores)
    if isinstance(scores, View):
        return scores
    unknown = np.zeros(np.shape(scores), np.bool_)
    return binary(scores, unknown)


def _mapped(true_map: Map | Function, claims: View) -> Array:
    if isinstance(true_map, Map):
        return true_map(claims)
    return true_map(claims.p.astype(np.float64))


def _distance(one: Array, other: Array, norm: Norm) -> float:
    return distance(np.abs(one - other), None, norm)


def _beta(a: float, b: float, middle: float) -> Function:
    shift = b * np.log(middle) - a * np.log(1 - middle)
    scale = np.exp(shift)

    def shape(c: Array) -> Array:
        with np.errstate(divide="ignore"):
            odds = scale * c**a / (1 - c) ** b
            return 1 / (1 + 1 / odds)

    return shape


def _stairs(c: Array) -> Array:
    third = np.full_like(c, 1 / 3)
    return _stair(c + 1 / 3) - _stair(third)


def _stair(x: Array) -> Array:
    turns = 3 * np.pi
    return _step(_step(turns * x)) / turns


def _step(x: Array) -> Array:
    return x - np.sin(x)


SHAPES: dict[Shape, Function] = {
    "square": np.square,
    "sqrt": np.sqrt,
    "beta1": _beta(0.4, 0.45, 0.6),
    "beta2": _beta(2.0, 2.2, 0.52),
    "stairs": _stairs,
}
ERRORS = tuple(round(0.005 * i, 3) for i in range(21))
