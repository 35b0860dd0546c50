"""Rules of one chance as modules, for many columns at once: a hundred isotonic maps are one search."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from ...families.binary import binned
from ...families.binary.bbq import Levels
from ...families.binary.isotonic import Points
from ...families.binary.kernel import Neighbours
from ...families.binary.logistic import BetaCurve, Parabola, Sigmoid
from ...families.binary.piecewise import Lines
from ...families.binary.scaling_binning import Rounded
from ...families.binary.smooth import Shift
from ...families.binary.venn_abers import Intervals
from ...families.family import ChanceRule
from ...families.multiclass.blend import Blended
from ...families.multiclass.identity import Unchanged
from ...families.multiclass.temperature import Scaled
from ...fitting.beta_density import FLOOR, key_table
from ...fitting.types import Array
from .claims import Claims
from .tables import Fixed, Line, Rows, Steps, padded

# Of numbers worked out in float64 alone.
_ROUNDING = 2.0**-40


class Chances(nn.Module):
    """Calibrated chances, a rule for each column, in [0, 1]; rounding may have moved claims by `slack` in log odds."""

    def __init__(self, rules: Sequence[ChanceRule], slack: float) -> None:
        super().__init__()
        kind = type(rules[0])
        if kind not in _FORMS:
            raise ValueError(f"{kind.__name__} has no form in torch")
        self.form = _FORMS[kind](rules, slack)

    def forward(self, claims: Claims) -> Tensor:
        """A chance a claim."""
        q: Tensor = self.form(claims)
        return q.clamp(0, 1)


class _Unchanged(nn.Module):
    def __init__(self, rules: Sequence[Unchanged], slack: float) -> None:  # noqa: ARG002
        super().__init__()

    def forward(self, claims: Claims) -> Tensor:
        return claims.p


class _Sigmoid(Fixed):
    slope: Tensor
    intercept: Tensor

    def __init__(self, slope: Array, intercept: Array | float) -> None:
        super().__init__(slope=slope, intercept=intercept)

    def forward(self, claims: Claims) -> Tensor:
        return (claims.log_odds() * self.slope + self.intercept).sigmoid()


def _sigmoid(rules: Sequence[Sigmoid], slack: float) -> _Sigmoid:  # noqa: ARG001
    return _Sigmoid(_row(rules, "slope"), _row(rules, "intercept"))


class _BetaCurve(Fixed):
    a: Tensor
    b: Tensor
    intercept: Tensor

    def __init__(self, rules: Sequence[BetaCurve], slack: float) -> None:  # noqa: ARG002
        super().__init__(a=_row(rules, "a"), b=_row(rules, "b"), intercept=_row(rules, "intercept"))

    def forward(self, claims: Claims) -> Tensor:
        z = claims.log_odds()
        return (logsigmoid(z) * self.a - logsigmoid(-z) * self.b + self.intercept).sigmoid()


class _Parabola(Fixed):
    bend: Tensor
    slope: Tensor
    intercept: Tensor

    def __init__(self, rules: Sequence[Parabola], slack: float) -> None:  # noqa: ARG002
        super().__init__(
            bend=_row(rules, "bend"), slope=_row(rules, "slope"), intercept=_row(rules, "intercept")
        )

    def forward(self, claims: Claims) -> Tensor:
        z = claims.log_odds()
        return ((z * self.bend + self.slope) * z + self.intercept).sigmoid()


class _OfChance(nn.Module):
    """A curve of the chance itself."""

    def __init__(self, curve: Line | Steps) -> None:
        super().__init__()
        self.curve = curve

    def forward(self, claims: Claims) -> Tensor:
        q: Tensor = self.curve(claims.p)
        return q


def _points(rules: Sequence[Points], slack: float) -> nn.Module:
    x, q = _rows(rules, "x"), _rows(rules, "q")
    return _OfChance(
        Line(x, q) if rules[0].interpolate else Steps([row[1:] for row in x], q, slack=slack)
    )


def _levels(rules: Sequence[Levels], slack: float) -> nn.Module:
    return _OfChance(Steps(_rows(rules, "inner"), _rows(rules, "q"), slack=slack))


class _Binned(Fixed):
    slope: Tensor

    def __init__(self, rules: Sequence[binned.Steps], slack: float) -> None:
        super().__init__(slope=_row(rules, "slope"))
        above = rules[0].edges == "width"
        self.lift = Steps(_rows(rules, "inner"), _rows(rules, "lift"), above=above, slack=slack)

    def forward(self, claims: Claims) -> Tensor:
        return claims.p * self.slope + self.lift(claims.p)


class _Rounded(nn.Module):
    def __init__(self, rules: Sequence[Rounded], slack: float) -> None:
        super().__init__()
        smooth = [rule.smooth for rule in rules]
        self.smooth = _sigmoid(smooth, slack)
        moved = slack * np.abs(_row(smooth, "slope")) + _ROUNDING
        self.mean = Steps(_rows(rules, "inner"), _rows(rules, "mean"), slack=moved)

    def forward(self, claims: Claims) -> Tensor:
        q: Tensor = self.mean(self.smooth(claims))
        return q


class _Intervals(nn.Module):
    def __init__(self, rules: Sequence[Intervals], slack: float) -> None:
        super().__init__()
        self.p0 = Steps(_rows(rules, "rises0"), _rows(rules, "p0"), slack=slack)
        self.p1 = Steps(_rows(rules, "rises1"), _rows(rules, "p1"), above=True, slack=slack)

    def forward(self, claims: Claims) -> Tensor:
        p0, p1 = self.p0(claims.p), self.p1(claims.p)
        q: Tensor = p1 / (1 - p0 + p1)
        return q


class _Shift(nn.Module):
    def __init__(self, rules: Sequence[Shift], slack: float) -> None:  # noqa: ARG002
        super().__init__()
        odds = _rows(rules, "odds")
        self.ends = float(odds[0][0]), float(odds[0][-1])
        self.shift = Line(odds, _rows(rules, "shift"))

    def forward(self, claims: Claims) -> Tensor:
        z = claims.log_odds().clamp(*self.ends)
        return (z + self.shift(z)).sigmoid()


class _Lines(nn.Module):
    def __init__(self, rules: Sequence[Lines], slack: float) -> None:  # noqa: ARG002
        super().__init__()
        self.by_chance = rules[0].space == "chance"
        self.ends = float(rules[0].knots[0, 0]), float(rules[0].knots[0, -1])
        folds = range(len(rules[0].knots))
        lines = [
            Line([rule.knots[i] for rule in rules], [rule.heights[i] for rule in rules])
            for i in folds
        ]
        self.lines = nn.ModuleList(lines)

    def forward(self, claims: Claims) -> Tensor:
        x = claims.p if self.by_chance else claims.log_odds().clamp(*self.ends)
        heights = torch.stack([line(x) for line in self.lines])
        return (heights if self.by_chance else heights.sigmoid()).mean(0)


class _Neighbours(Fixed):
    """Keeps the claims fitted on: work and memory grow with them."""

    of_log_p: Tensor
    of_log_rest: Tensor
    height: Tensor
    share: Tensor

    def __init__(self, rules: Sequence[Neighbours], slack: float) -> None:  # noqa: ARG002
        width = max(len(rule.odds) for rule in rules)
        tables = [key_table(rule.odds, rule.bandwidth) for rule in rules]
        of_log_p, of_log_rest, height = ([table[i] for table in tables] for i in range(3))
        weighed = [row + np.log(rule.w) for row, rule in zip(height, rules, strict=True)]
        super().__init__(
            of_log_p=padded(of_log_p, width, 0),
            of_log_rest=padded(of_log_rest, width, 0),
            height=padded(weighed, width, -np.inf),
            share=padded([rule.happened / rule.w for rule in rules], width, 0),
        )

    def forward(self, claims: Claims) -> Tensor:
        z = claims.log_odds().clamp(FLOOR, -FLOOR)[:, :, None]
        kernels = logsigmoid(z) * self.of_log_p + logsigmoid(-z) * self.of_log_rest + self.height
        return (kernels.softmax(2) * self.share).sum(2)


class _Blended(Fixed):
    shares: Tensor

    def __init__(self, rules: Sequence[Blended], slack: float) -> None:
        super().__init__(shares=np.array([rule.shares for rule in rules]).T)
        each: list[Any] = [
            [fitted.rule for fitted in maps]
            for maps in zip(*(rule.maps for rule in rules), strict=True)
        ]
        self.parts = nn.ModuleList([Chances(part, slack) for part in each])

    def forward(self, claims: Claims) -> Tensor:
        q = [part(claims) * share for part, share in zip(self.parts, self.shares, strict=True)]
        return torch.stack(q).sum(0)


def _row(rules: Sequence[Any], name: str) -> Array:
    """A number of each rule, as a row of them."""
    return np.array([getattr(rule, name) for rule in rules], np.float64)


def _rows(rules: Sequence[Any], name: str) -> Rows:
    return [getattr(rule, name) for rule in rules]


_FORMS: dict[type[ChanceRule], Callable[[Any, float], nn.Module]] = {
    Unchanged: _Unchanged,
    Scaled: lambda rules, _: _Sigmoid(_row(rules, "inverse"), 0.0),
    Sigmoid: _sigmoid,
    BetaCurve: _BetaCurve,
    Parabola: _Parabola,
    Points: _points,
    binned.Steps: _Binned,
    Rounded: _Rounded,
    Levels: _levels,
    Intervals: _Intervals,
    Shift: _Shift,
    Lines: _Lines,
    Neighbours: _Neighbours,
    Blended: _Blended,
}
