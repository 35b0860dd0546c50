"""Piecewise linear maps with free knots: of chances (PL), or of log odds (PL3)."""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit

from ...fitting.broken_lines import broken_lines
from ...fitting.levenberg_marquardt import Losses
from ...fitting.segments import line_values
from ...fitting.types import Array, Ints
from ...fitting.weights import present
from ...inputs.checks import check_count
from ...inputs.views import View
from ..folds import check_slack, held_out, simplest_within
from ..operations import Claims, Operations, Value
from ..rules import ChanceRule, Fact
from .claim_points import ClaimPoints, on_points
from .family import ChanceFamily
from .piecewise_losses import (
    log_loss_of_chances,
    log_loss_of_logits,
    squared_error,
    squared_error_of_chances,
    squared_error_of_logits,
)

Space = Literal["chance", "logit"]
Loss = Literal["log", "squared"]
LossOfLines = Callable[[Array, Array, Array], Losses]
_LOSSES: dict[tuple[Space, Loss], LossOfLines] = {
    ("chance", "log"): log_loss_of_chances,
    ("chance", "squared"): squared_error_of_chances,
    ("logit", "log"): log_loss_of_logits,
    ("logit", "squared"): squared_error_of_logits,
}
# Beyond these log odds a claim is 1 for all that outcomes could tell.
_LIMIT = 30.0
# What a step must gain, an observation, to be followed by another.
_TOLERANCE = 1e-6


class _Setting(NamedTuple):
    """The ends of the line at which a fit begins, and the bounds of its heights.

    It begins at the identity, but no claim is certain at first: a certain one that fails would cost
    without end. Where outcomes ask for chances of 0 or 1, heights stop short of them.
    """

    knots: tuple[float, float]
    heights: tuple[float, float]
    bounds: tuple[float, float]


_SETTINGS: dict[Space, _Setting] = {
    "chance": _Setting(
        knots=(0.0, 1.0),
        heights=(0.01, 0.99),
        bounds=(1e-9, 1 - 1e-9),
    ),
    "logit": _Setting(
        knots=(-_LIMIT, _LIMIT),
        heights=(-_LIMIT, _LIMIT),
        bounds=(-30 * _LIMIT, 30 * _LIMIT),
    ),
}


@dataclass(frozen=True, eq=False)
class Lines(ChanceRule):
    """Broken lines, each a row of knots and of heights; a chance is the mean of those they give."""

    tag = "lines"
    space: Space
    knots: Array
    heights: Array

    def formula(self, claims: Claims, ops: Operations) -> Value:
        x = self._along(claims, ops)
        lines = self.knots.shape[-2]
        chances = [self._chance(x, i, ops) for i in range(lines)]
        first, *others = chances
        return sum(others, first) / lines

    def facts(self) -> Iterator[Fact]:
        of = "the chance" if self.space == "chance" else "the log odds"
        lines, knots = self.knots.shape
        yield Fact("segments", knots - 1, f"straight pieces of {of}")
        yield Fact("lines", lines, "averaged, one a fold of the cross-validation, or one alone")
        mean = self.knots.mean(0).tolist()
        meaning = f"where the slope changes, in {of}"
        for place in range(1, knots - 1):
            yield Fact(f"knot {place}", mean[place], meaning)

    def _along(self, claims: Claims, ops: Operations) -> Value:
        if self.space == "chance":
            return claims.p
        low = self.knots[..., 0, 0]
        high = self.knots[..., 0, -1]
        return ops.clip(claims.log_odds, low, high)

    def _chance(self, x: Value, i: int, ops: Operations) -> Value:
        """What line i gives."""
        knots = self.knots[..., i, :]
        heights = self.heights[..., i, :]
        value = ops.line(x, knots, heights)
        return value if self.space == "chance" else ops.expit(value)


@dataclass(frozen=True)
class PiecewiseLinear(ChanceFamily):
    """A continuous line of some straight segments, whose knots and heights are fitted together.

    In `space` "chance" it leads from claimed to true chance (PL), in "logit" from log odds to log
    odds (PL3, Kängsepp et al. 2022). With "cv" ten folds choose the fewest segments within `slack`
    of the least squared error, and their maps are averaged.

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
        if self.segments != "cv":
            check_count("segments", self.segments, 100)
        check_slack(self.slack)

    def chance_rule(self, view: View) -> Lines:
        """One line of so many segments, or the lines of ten folds of as few as the slack allows."""
        fits, errors = self.candidates(view)
        if self.segments != "cv":
            return fits[-1]
        return fits[simplest_within(errors, self.slack)]

    def candidates(self, view: View) -> tuple[list[Lines], Array]:
        """Fits of one segment, of two, ..., and the held-out squared error of each.

        The errors are 0 where no rows are held out.
        """
        if view.w is not None:
            view = view[present(view.w, view.n)]
        if self.segments == "cv" and view.n > 1:
            return self._by_folds(view)
        most = 1 if self.segments == "cv" else self.segments
        every = np.arange(view.n)
        points = on_points(view, [every], along=_along(self.space, view))
        fits = self._fits(points, most)
        return fits, np.zeros(len(fits))

    def _by_folds(self, view: View) -> tuple[list[Lines], Array]:
        folds = held_out(view, 10, seed=0)
        parts = [rows for _, rows in folds]
        held = on_points(view, parts, along=_along(self.space, view))
        most = min(view.n // 200, 15) + 1
        fits = self._fits(held.of_the_others(), most)
        errors = [self._error(fit, held) for fit in fits]
        return fits, np.mean(errors, axis=1)

    def _error(self, fit: Lines, held: ClaimPoints) -> Array:
        """The mean squared error of each fold's line on the rows held out."""
        q = line_values(held.x, fit.knots, fit.heights)
        if self.space == "logit":
            q = expit(q)
        error = squared_error(q, held.w, held.happened)
        return error / held.w.sum(1)

    def _fits(self, points: ClaimPoints, most: int) -> list[Lines]:
        """A line for each row of weights: of one segment, of two, up to `most`."""
        x, w, happened = points
        loss = _LOSSES[self.space, self.loss]

        def of_lines(values: Array, rows: Ints) -> Losses:
            return loss(values, w[rows], happened[rows])

        setting = _SETTINGS[self.space]
        start = np.array([setting.knots, setting.heights])
        heaviest = float(w.sum(1).max())
        fits = broken_lines(
            of_lines,
            x,
            w.sum(0),
            np.tile(start, (len(w), 1, 1)),
            most=most,
            bounds=setting.bounds,
            tolerance=_TOLERANCE * heaviest,
            # Lines of folds are averaged and judged by rows held out: to look for yet deeper dips
            # would overfit.
            shrink=len(w) == 1,
        )
        return [Lines(self.space, fit.knots, fit.heights) for fit in fits]


def _along(space: Space, view: View) -> Array:
    """The claims in the space of the line."""
    if space == "chance":
        return view.p.astype(np.float64)
    return np.clip(view.log_odds, -_LIMIT, _LIMIT)
