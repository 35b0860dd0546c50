"""Stretched logits: a rising curve of depths, and factors that differ by row."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from ...fitting.newton import Certificate
from ...fitting.types import Array
from ..operations import Claims, Operations, Value, Vectors
from ..rules import ChanceRule, Fact, LogitRule
from .depths import depths, steps

Kind = Literal["invariant", "preserving", "diagonal"]


@dataclass(frozen=True, eq=False)
class Stretched(LogitRule):
    """Logits times `inverse`, then a rising curve of their depths and factors that differ by row.

    The curve is a line between the depths `bends`, with these slopes. A row's factor is a line of
    its sureness, plus the mean of `by_class_factor` over its chances.
    """

    tag = "stretched"
    kind: Kind
    inverse: float
    bends: Array
    slopes: Array
    sureness: Array
    by_sureness: Array
    by_class_factor: Array
    least: float  # of all slopes
    least_entropy: float
    certificate: Certificate

    def logits(self, x: Vectors, ops: Operations) -> Value:
        below, depth = depths(x.scores, self.inverse, ops)
        of_steps = steps(depth, self.bends, ops)
        curve = 0.0
        for step, slope in zip(of_steps, self.slopes, strict=True):
            curve = curve + step * (slope - self.least)
        # Depths have lost digits that distances below the top still have: with them it stays the
        # top.
        factor = self._factor(depth, ops)
        return ops.row_min(curve) - curve - below * factor

    def facts(self) -> Iterator[Fact]:
        yield Fact("temperature", 1 / self.inverse, "logits are divided by it first")
        depths = self.bends.tolist()
        slopes = self.slopes.tolist()
        for depth, slope in zip(depths, slopes, strict=True):
            claim = 100 * np.exp(-depth)
            meaning = f"of the log-probability of claims below {claim:.3g}%"
            yield Fact(f"slope from {depth:g}", slope, meaning)
        if self.kind != "diagonal":
            meaning = "of a row's logits, among rows more and less sure"
            yield from _least_and_largest("factor", self.by_sureness, meaning)
        if self.kind == "preserving":
            meaning = "added to it by the likely classes"
            yield from _least_and_largest("class factor", self.by_class_factor, meaning)

    def _factor(self, depth: Value, ops: Operations) -> Value:
        """By what a row's distances below the top are multiplied."""
        if self.kind == "diagonal":
            return self.least
        p = ops.exp(-depth)
        entropy = ops.row_sum(p * depth)
        floored = ops.maximum(entropy, self.least_entropy)
        sureness = -ops.log(floored)
        by_sureness = ops.line(sureness, self.sureness, self.by_sureness)
        factor = by_sureness + self.least
        if self.kind == "preserving":
            factor = factor + ops.row_sum(p * self.by_class_factor)
        return factor


def _least_and_largest(name: str, x: Array, meaning: str) -> Iterator[Fact]:
    low = float(x.min())
    high = float(x.max())
    yield Fact(f"least {name}", low, meaning)
    yield Fact(f"largest {name}", high, meaning)


@dataclass(frozen=True, eq=False)
class StretchedChance(ChanceRule):
    """The same of an event and its absence, as two classes: the numbers are those of `Stretched`."""

    tag = "stretched-chance"
    kind: Kind
    inverse: float
    bends: Array
    slopes: Array
    sureness: Array
    by_sureness: Array
    by_class_factor: Array
    least: float
    least_entropy: float
    certificate: Certificate

    def formula(self, claims: Claims, ops: Operations) -> Value:
        z = self.inverse * claims.log_odds
        log_event = ops.log_expit(z)
        log_rest = ops.log_expit(-z)
        factor = self._factor(log_event, log_rest, ops)
        apart = self._curve(-log_rest, ops) - self._curve(-log_event, ops)
        return ops.expit(apart + z * factor)

    def facts(self) -> Iterator[Fact]:
        numbers = [getattr(self, field.name) for field in fields(self)]
        yield from Stretched(*numbers).facts()

    def _curve(self, depth: Value, ops: Operations) -> Value:
        curve = 0.0
        last = self.bends.shape[-1] - 1
        for place in range(last + 1):
            begun = ops.maximum(depth - self.bends[..., place], 0.0)
            if place < last:
                width = self.bends[..., place + 1] - self.bends[..., place]
                begun = ops.minimum(begun, width)
            curve = curve + begun * (self.slopes[..., place] - self.least)
        return curve

    def _factor(self, log_event: Value, log_rest: Value, ops: Operations) -> Value:
        """By what log odds are multiplied beside the curve."""
        if self.kind == "diagonal":
            return self.least
        event = ops.exp(log_event)
        rest = ops.exp(log_rest)
        entropy = -event * log_event - rest * log_rest
        sureness = -ops.log(ops.maximum(entropy, self.least_entropy))
        factor = ops.line(sureness, self.sureness, self.by_sureness) + self.least
        if self.kind == "preserving":
            factor = factor + rest * self.by_class_factor[..., 0]
            factor = factor + event * self.by_class_factor[..., 1]
        return factor
