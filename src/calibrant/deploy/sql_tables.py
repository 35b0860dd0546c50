"""Maps that are no short formula, as polynomials between log odds."""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.polynomial.chebyshev import cheb2poly
from scipy.special import expit

from ..families.operations import GivenClaims
from ..families.rules import ChanceRule
from ..fitting.types import Array
from .sql_program import literal

ENDS = 88  # no claim that a chance can make lies beyond these log odds
_DEGREE = 8
_WITHIN = 4e-13
_NARROWEST = 2.0**-12
_CHARACTERS = 400  # of a stretch, at least


class Stretch(NamedTuple):
    """Log odds between which chances are a polynomial about the middle."""

    low: float
    high: float
    coefficients: Array

    def text(self, z: str) -> str:
        """The polynomial as an expression of the log odds.

        Powers are written one after the other: brackets within brackets overflow some parsers.
        """
        middle = (self.low + self.high) / 2
        t = f"({z} - {literal(middle)})"
        terms = []
        for power, coefficient in enumerate(self.coefficients):
            factors = [literal(coefficient), *[t] * power]
            terms.append(" * ".join(factors))
        return " + ".join(terms)


class NoTable(ValueError):
    """A rule that no table of a bearable size comes near enough to."""


def tabulated(rule: ChanceRule, most: int) -> list[Stretch]:
    """Stretches within 1e-12 of the rule, of so many characters at most."""
    # Ends that are halves of halves of 1 are short to write.
    ends = np.arange(-ENDS, ENDS + 2, 2.0).tolist()
    waiting = list(itertools.pairwise(ends))[::-1]
    found: list[Stretch] = []
    while waiting:
        low, high = waiting.pop()
        stretch = _stretch(rule, low, high)
        if stretch is None:
            waiting += _halves(low, high)
            continue
        found.append(stretch)
        size = len(found) * _CHARACTERS
        if size > most:
            raise NoTable(f"as a table it would be more than {size:,} characters")
    return found


def _stretch(rule: ChanceRule, low: float, high: float) -> Stretch | None:
    """A polynomial between these log odds, if one comes near enough to the rule."""

    def chances(z: Array) -> Array:
        return rule(GivenClaims(expit(z), lambda: z))

    fitted = Chebyshev.interpolate(chances, _DEGREE, [low, high])
    z = np.linspace(low, high, 4 * _DEGREE)
    error = np.abs(fitted(z) - chances(z)).max()
    if error > _WITHIN:
        return None
    # Powers of the distance from the middle, of which trailing zeros are left out.
    scaled = cheb2poly(fitted.coef)
    half = (high - low) / 2
    return Stretch(low, high, scaled / half ** np.arange(len(scaled)))


def _halves(low: float, high: float) -> list[tuple[float, float]]:
    if high - low <= _NARROWEST:
        raise NoTable(f"no polynomial comes near enough to it at log odds of {low:.3g}")
    middle = (low + high) / 2
    return [(middle, high), (low, middle)]
