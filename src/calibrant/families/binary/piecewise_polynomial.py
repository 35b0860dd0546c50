"""Continuous pieces of lines or parabolas whose knots differential evolution finds (PL_DE)."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from ...fitting.free_knots import Degree, FreeKnots, Pieces
from ...fitting.types import Array
from ...fitting.weights import present
from ...inputs.questions import binary
from ...inputs.views import View
from ..folds import check_slack, held_out, simplest_within
from ..operations import Claims, Operations, Value
from ..rules import ChanceRule, Fact
from .claim_points import ClaimPoints, on_points
from .family import ChanceFamily
from .piecewise_losses import squared_error

# Pieces to choose from at most, as published.
_MOST: dict[Degree, int] = {1: 7, 2: 5}
# More distinct claims than these are dealt out between as many of them, where all rows are fitted.
_POINTS = 1000


@dataclass(frozen=True, eq=False)
class Polynomials(ChanceRule):
    """Straight pieces between knots, level beyond the outer ones, or parabolas.

    A parabola lies `curvature` times the distances to both of its knots above the straight piece.
    """

    tag = "polynomials"
    degree: Degree
    knots: Array
    heights: Array
    curvatures: Array

    def formula(self, claims: Claims, ops: Operations) -> Value:
        value = ops.line(claims.p, self.knots, self.heights)
        if self.degree == 2:
            value = value + self._above_the_line(claims.p, ops)
        return ops.clip(value, 0.0, 1.0)

    def facts(self) -> Iterator[Fact]:
        pieces = len(self.curvatures)
        yield Fact("pieces", pieces, "of the chance, joined without a jump")
        yield Fact("degree", self.degree, "1 where pieces are straight, 2 where they are parabolas")
        inner = self.knots[1:-1].tolist()
        for place, knot in enumerate(inner, start=1):
            yield Fact(f"knot {place}", knot, "where a piece ends and the next begins")

    def _above_the_line(self, p: Value, ops: Operations) -> Value:
        p = ops.clip(p, self.knots[..., 0], self.knots[..., -1])
        inner = self.knots[..., 1:-1]
        left = ops.step(p, inner, self.knots[..., :-1], side="right")
        right = ops.step(p, inner, self.knots[..., 1:], side="right")
        curvature = ops.step(p, inner, self.curvatures, side="right")
        return curvature * (p - left) * (right - p)


@dataclass(frozen=True)
class PiecewisePolynomial(ChanceFamily):
    """Continuous pieces of least squared error, whose knots are found by differential evolution.

    This is PL_DE of Kängsepp et al. 2022: of `degree` 1 the pieces are straight, of 2 parabolas.
    With "cv" ten folds choose the fewest segments within `slack` of the least squared error, up to
    7 straight ones or 5 parabolas, and these are then fitted to all rows. `PiecewiseLinear`
    averages its folds and knows other losses.

    >>> from calibrant import simulate
    >>> view, truth = simulate.task("square", 0.1).sample(1000, seed=0)
    >>> bool(abs(PiecewisePolynomial(segments=2).fit(view)(view) - truth).mean() < 0.03)
    True
    """

    _: KW_ONLY
    degree: Degree = 1
    segments: int | Literal["cv"] = "cv"
    slack: float | int = 0.001

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.segments != "cv" and self.segments < 1:
            raise ValueError(f"segments must be at least 1, or 'cv'; got {self.segments}")
        check_slack(self.slack)

    def chance_rule(self, view: View) -> Polynomials:
        """Least squares, knots by differential evolution."""
        if view.w is not None:
            view = view[present(view.w, view.n)]
        segments = self._by_folds(view) if self.segments == "cv" else self.segments
        every = np.arange(view.n)
        points = on_points(view, [every], along=_claims(view), most=_POINTS)
        pieces = FreeKnots(*points, self.degree).fit(segments)
        (rule,) = _rules(pieces, self.degree)
        return rule

    def _by_folds(self, view: View) -> int:
        """The fewest segments whose held-out squared error is within the slack of the least."""
        most = min(view.n // 200 + 1, _MOST[self.degree])
        if most == 1:
            return 1
        parts = [rows for _, rows in held_out(view, 10, seed=0)]
        held = on_points(view, parts, along=_claims(view))
        search = FreeKnots(*held.of_the_others(), self.degree)
        errors = []
        for segments in range(1, most + 1):
            rules = _rules(search.fit(segments), self.degree)
            errors.append(_held_out_error(rules, held))
        return 1 + simplest_within(np.array(errors), self.slack)


def _held_out_error(rules: list[Polynomials], held: ClaimPoints) -> float:
    """The mean over folds of the mean squared error of each fold's pieces on its other rows."""
    claims = binary(held.x, np.zeros(len(held.x)))
    q = np.stack([rule(claims) for rule in rules])
    errors = squared_error(q, held.w, held.happened)
    return float((errors / held.w.sum(1)).mean())


def _rules(pieces: Pieces, degree: Degree) -> list[Polynomials]:
    curvatures = pieces.bulges / np.diff(pieces.knots) ** 2
    rows = zip(pieces.knots, pieces.heights, curvatures, strict=True)
    return [Polynomials(degree, *row) for row in rows]


def _claims(view: View) -> Array:
    return view.p.astype(np.float64)
