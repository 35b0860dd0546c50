"""Tasks whose true calibration map is known, to judge families and measures by."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from .predictions import Array
from .views import View, binary

Shape = Literal["square", "sqrt", "beta1", "beta2", "stairs"]


class Sample(NamedTuple):
    """A view, and the true chance behind each of its claims."""

    view: View
    truth: Array


@dataclass(frozen=True)
class Task:
    """Claims that lie by a known amount: a true chance c is shown as (1 - weight) c + weight shape(c)."""

    shape: Shape
    weight: float

    def claim(self, c: Array) -> Array:
        """What is claimed when the chance is c."""
        return (1 - self.weight) * c + self.weight * SHAPES[self.shape](c)

    def sample(self, n: int, seed: int) -> Sample:
        """Uniform true chances in ascending order, outcomes drawn from them; the same for every shape and weight."""
        random = np.random.RandomState(seed + n)
        c = np.sort(random.dirichlet([1, 1], n)[:, 0])
        y = random.binomial(1, c)
        return Sample(binary(self.claim(c), y), c)


@cache
def task(shape: Shape, error: float) -> Task:
    """The task of a shape whose mean |claim - chance| is `error` for uniform chances, to six decimals.

    >>> task("square", 0.05).weight
    0.299999
    """
    from scipy.integrate import quad

    low, high = 0.0, 1.0
    while True:
        made = Task(shape, (low + high) / 2)
        found = round(quad(lambda c, claim=made.claim: abs(claim(c) - c), 0, 1)[0], 6)
        if found == error:
            return Task(shape, round(made.weight, 6))
        low, high = (made.weight, high) if found < error else (low, made.weight)


def _beta(a: float, b: float, middle: float) -> Callable[[Array], Array]:
    shift = b * np.log(middle) - a * np.log(1 - middle)

    def shape(c: Array) -> Array:
        with np.errstate(divide="ignore"):
            return 1 / (1 + 1 / (np.exp(shift) * c**a / (1 - c) ** b))

    return shape


def _step(x: Array) -> Array:
    return x - np.sin(x)


def _stairs(c: Array) -> Array:
    below, above = (_step(_step(3 * np.pi * x)) / (3 * np.pi) for x in (np.full_like(c, 1 / 3), c + 1 / 3))
    return above - below


SHAPES: dict[Shape, Callable[[Array], Array]] = {
    "square": np.square,
    "sqrt": np.sqrt,
    "beta1": _beta(0.4, 0.45, 0.6),
    "beta2": _beta(2.0, 2.2, 0.52),
    "stairs": _stairs,
}
ERRORS = tuple(round(0.005 * i, 3) for i in range(21))
