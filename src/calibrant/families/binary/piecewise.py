"""Piecewise linear maps with free knots: of chances (PL), or of log odds (PL3)."""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np
from scipy.special import expit

from ...fitting.broken_lines import broken_lines
from ...fitting.segments import line_values
from ...fitting.types import Array, Ints
from ...inputs.views import View
from ..family import ChanceRule, Fact
from ..folds import held_out, refuse_slack, simplest_within
from ..operations import Claims, Operations, Value
from .family import ChanceFamily

Space = Literal["chance", "logit"]
Loss = Literal["log", "squared"]
Losses = tuple[Array, Array, Array]

# Beyond these log odds a claim is 1 for all that outcomes could tell.
_LIMIT = 30.0
_ENDS: dict[Space, tuple[float, float]] = {"chance": (0.0, 1.0), "logit": (-_LIMIT, _LIMIT)}
# Where outcomes ask for chances of 0 or 1, heights stop short of them.
_BOUNDS: dict[Space, tuple[float, float]] = {
    "chance": (1e-9, 1 - 1e-9),
    "logit": (-30 * _LIMIT, 30 * _LIMIT),
}
# More distinct claims than these are shared out between as many of them.
_POINTS = 256
# What a step must gain, an observation, to be followed by another.
_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Lines(ChanceRule):
    """Broken lines, each a row of knots and of heights; a chance is the mean of those they give."""

    tag = "lines"
    space: Space
    knots: Array
    heights: Array

    def formula(self, claims: Claims, ops: Operations) -> Value:
        lines = [
            ops.line(self._along(claims, ops), self.knots[..., i, :], self.heights[..., i, :])
            for i in range(self.knots.shape[-2])
        ]
        q = lines if self.space == "chance" else [ops.expit(line) for line in lines]
        return sum(q[1:], q[0]) / len(q)

    def facts(self) -> Iterator[Fact]:
        lines, knots = self.knots.shape
        yield Fact("segments", knots - 1, f"straight pieces of {self._of}")
        yield Fact("lines", lines, "averaged, one a fold of the cross-validation, or one alone")
        for place, knot in enumerate(self.knots.mean(0)[1:-1], 1):
            yield Fact(f"knot {place}", float(knot), f"where the slope changes, in {self._of}")

    @property
    def _of(self) -> str:
        return "the chance" if self.space == "chance" else "the log odds"

    def _along(self, claims: Claims, ops: Operations) -> Value:
        if self.space == "chance":
            return claims.p
        return ops.clip(claims.log_odds, self.knots[..., 0, 0], self.knots[..., 0, -1])


@dataclass(frozen=True)
class PiecewiseLinear(ChanceFamily):
    """A continuous line of some straight segments, whose knots and heights are fitted together.

    In `space` "chance" it leads from claimed to true chance (PL), in "logit" from log odds to log odds (PL3). With
    "cv" ten folds choose the fewest segments within `slack` of the least squared error, and their maps are averaged.

    >>> from calibrant import simulate
    >>> view, truth = simulate.task("square", 0.1).sample(1000, seed=0)
    >>> bool(abs(PiecewiseLinear().fit(view)(view) - truth).mean() < 0.03)
    True
    """

    _: KW_ONLY
    space: Space = "chance"
    segments: int | Literal["cv"] = "cv"
    loss: Loss = "log"
    slack: float | int = 0.001

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.segments != "cv" and self.segments < 1:
            raise ValueError(f"segments must be at least 1, or 'cv'; got {self.segments}")
        refuse_slack(self.slack)

    def chance_rule(self, view: View) -> Lines:
        """One line of so many segments, or the lines of ten folds of as few as the slack allows."""
        fits, errors = self.candidates(view)
        return fits[-1 if self.segments != "cv" else simplest_within(errors, self.slack)]

    def candidates(self, view: View) -> tuple[list[Lines], Array]:
        """Fits of one segment, of two, ..., and the squared error of each on rows held out, if there are any."""
        if view.w is not None:
            view = view[view.w > 0]
        if self.segments != "cv" or view.n == 1:
            x, w, happened = _on_points(self.space, view, [np.arange(view.n)])
            fits = self._fits(x, w, happened, 1 if self.segments == "cv" else self.segments)
            return fits, np.zeros(len(fits))
        x, w, happened = _on_points(
            self.space, view, [held for _, held in held_out(view, 10, seed=0)]
        )
        others = 1 - np.eye(len(w))
        fits = self._fits(x, others @ w, others @ happened, min(view.n // 200, 15) + 1)
        errors = [
            _squared(_chance(self.space, line_values(x, fit.knots, fit.heights)), w, happened)
            / w.sum(1)
            for fit in fits
        ]
        return fits, np.mean(errors, axis=1)

    def _fits(self, x: Array, w: Array, happened: Array, most: int) -> list[Lines]:
        """A line for each row of weights: of one segment, of two, up to `most`."""
        loss = _LOSSES[self.space, self.loss]
        # The identity, but no claim is certain at first: a certain one that fails would cost without end.
        ends = _ENDS[self.space]
        identity = np.array([ends, np.clip(ends, 0.01, 0.99) if self.space == "chance" else ends])
        found = broken_lines(
            lambda f, rows: loss(f, w[rows], happened[rows]),
            x,
            w.sum(0),
            np.tile(identity, (len(w), 1, 1)),
            most=most,
            bounds=_BOUNDS[self.space],
            tolerance=_TOLERANCE * float(w.sum(1).max()),
            # Lines of folds are averaged and judged by rows held out: to look for yet deeper dips would fit noise.
            shrink=len(w) == 1,
        )
        return [Lines(self.space, fit.knots, fit.heights) for fit in found]


def _along(space: Space, view: View) -> Array:
    return (
        view.p.astype(np.float64) if space == "chance" else np.clip(view.log_odds, -_LIMIT, _LIMIT)
    )


def _chance(space: Space, f: Array) -> Array:
    return f if space == "chance" else expit(f)


def _on_points(space: Space, view: View, parts: list[Ints]) -> tuple[Array, Array, Array]:
    """Points, and for each part of the rows the weight there and the weight of events.

    They are the distinct claims, or some where there are many: then the two beside a claim share its weight, the nearer
    the more, and what is linear in the claim stays exact.
    """
    x = _along(space, view)
    at = np.unique(x)
    if len(at) > _POINTS:
        at = at[np.linspace(0, len(at) - 1, _POINTS).round().astype(np.intp)]
    below = np.searchsorted(at, x, side="right") - 1
    gap = np.diff(at, append=at[-1] + 1)[below]
    above = (x - at[below]) / gap
    w = np.ones(view.n) if view.w is None else view.w

    def shared(weight: Array) -> Array:
        sides = (below, weight * (1 - above)), (below + 1, weight * above)
        of_parts = [
            sum(np.bincount(place[rows], part[rows], len(at) + 1) for place, part in sides)
            for rows in parts
        ]
        return np.array(of_parts)[:, :-1]

    return at, shared(w), shared(w * view.y)


def _squared(q: Array, w: Array, happened: Array) -> Array:
    return (happened * (1 - q) ** 2 + (w - happened) * q**2).sum(1)


def _chance_log(q: Array, w: Array, happened: Array) -> Losses:
    loss = -(happened * np.log(q) + (w - happened) * np.log(1 - q)).sum(1)
    spread = q * (1 - q)
    return loss, (w * q - happened) / spread, w / spread


def _chance_squared(q: Array, w: Array, happened: Array) -> Losses:
    return _squared(q, w, happened), 2 * (w * q - happened), 2 * w


def _logit_log(f: Array, w: Array, happened: Array) -> Losses:
    q = expit(f)
    excess = w * q - happened
    # A point that is wrong with certainty has no curvature of its own, and steps would know no measure.
    bend = np.maximum(w * q * (1 - q), 0.02 * np.abs(excess))
    return (w * np.logaddexp(0, f) - happened * f).sum(1), excess, bend


def _logit_squared(f: Array, w: Array, happened: Array) -> Losses:
    q = expit(f)
    spread = q * (1 - q)
    return _squared(q, w, happened), 2 * (w * q - happened) * spread, 2 * w * spread**2


_LOSSES: dict[tuple[Space, Loss], Callable[[Array, Array, Array], Losses]] = {
    ("chance", "log"): _chance_log,
    ("chance", "squared"): _chance_squared,
    ("logit", "log"): _logit_log,
    ("logit", "squared"): _logit_squared,
}
