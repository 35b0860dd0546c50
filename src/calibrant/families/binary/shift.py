"""A shift added to the log odds, and between which shifts the true one lies."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtri

from ...fitting.types import Array
from ..operations import Claims, Operations, Value
from ..rules import ChanceRule, Fact


class Shifted(ChanceRule):
    """What is added to the log odds: a line between points."""

    odds: Array
    shift: Array

    def formula(self, claims: Claims, ops: Operations) -> Value:
        low = self.odds[..., 0]
        high = self.odds[..., -1]
        z = ops.clip(claims.log_odds, low, high)
        shift = ops.line(z, self.odds, self.shift)
        return ops.expit(z + shift)

    def facts(self) -> Iterator[Fact]:
        for claim in (0.1, 0.5, 0.9):
            z = logit(claim)
            shift = np.interp(z, self.odds, self.shift)
            name = f"shift at {100 * claim:.0f}%"
            yield Fact(name, float(shift), "added to the log odds there")

    def _clipped(self, claims: Claims) -> Array:
        return np.clip(claims.log_odds, self.odds[0], self.odds[-1])


@dataclass(frozen=True, eq=False)
class BareShift(Shifted):
    """A shift alone, of which no band is known: for draws, never to be saved."""

    tag = "bare-shift"
    odds: Array
    shift: Array


@dataclass(frozen=True, eq=False)
class Shift(Shifted):
    """A shift with the standard deviation of what is known of it, as earlier versions saved it."""

    tag = "shift"
    odds: Array
    shift: Array
    sd: Array

    def band(self, claims: Claims, level: float = 0.95) -> tuple[Array, Array]:
        z = self._clipped(claims)
        shift = np.interp(z, self.odds, self.shift)
        sd = np.interp(z, self.odds, self.sd)
        middle = z + shift
        half = ndtri((1 + level) / 2) * sd
        return expit(middle - half), expit(middle + half)


@dataclass(frozen=True, eq=False)
class UncertainShift(Shifted):
    """A shift with its quantiles, a row for each of some normal scores, at places of their own.

    The quantile of score 2 is that of 97.7%.
    """

    tag = "uncertain-shift"
    odds: Array
    shift: Array
    scores: Array
    places: Array
    quantiles: Array

    def band(self, claims: Claims, level: float = 0.95) -> tuple[Array, Array]:
        z = self._clipped(claims)
        q = self(claims)
        score = float(ndtri((1 + level) / 2))
        low = expit(z + self._quantile(z, -score))
        high = expit(z + self._quantile(z, score))
        # A mean may lie outside of most of what it is the mean of.
        return np.minimum(low, q), np.maximum(high, q)

    def _quantile(self, z: Array, score: float) -> Array:
        """That of a normal score: between the two scores beside it, or on from the last two."""
        above = np.clip(np.searchsorted(self.scores, score), 1, len(self.scores) - 1)
        low, high = self.scores[above - 1 : above + 1]
        share = (score - low) / (high - low)
        curve = (1 - share) * self.quantiles[above - 1] + share * self.quantiles[above]
        return np.interp(z, self.places, curve)
