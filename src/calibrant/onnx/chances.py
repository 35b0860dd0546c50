"""Rules of one chance in ONNX's terms, for many columns at once: a hundred isotonic maps are one search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..families.binary.bbq import Levels
from ..families.binary.binned import Steps
from ..families.binary.isotonic import Points
from ..families.binary.kernel import Neighbours
from ..families.binary.logistic import BetaCurve, Parabola, Sigmoid
from ..families.binary.piecewise import Lines
from ..families.binary.scaling_binning import Rounded
from ..families.binary.smooth import Shift
from ..families.binary.venn_abers import Intervals
from ..families.family import ChanceRule
from ..families.multiclass.blend import Blended
from ..families.multiclass.identity import Unchanged
from ..families.multiclass.temperature import Scaled
from ..fitting.beta_density import FLOOR, key_table
from ..fitting.types import Array
from .graph import Rows, Tensor, expit, line, look_up, op, table_of

# Of numbers worked out in float64 alone.
_ROUNDING = 2.0**-40
_FITTED = np.array([2])  # the axis


@dataclass(frozen=True, eq=False)
class Claims:
    """Chances of some events, a column each; `slack` is how far, in log odds, rounding may have moved them."""

    p: Tensor
    to_log_odds: Callable[[], Tensor]
    slack: float

    @property
    def log_odds(self) -> Tensor:
        """Worked out where a rule asks for them, and not elsewhere."""
        return self.to_log_odds()


def calibrated(rules: Sequence[ChanceRule], claims: Claims) -> Tensor:
    """Calibrated chances, a rule for each column, in [0, 1]."""
    kind = type(rules[0])
    if kind not in _FORMS:
        raise ValueError(f"{kind.__name__} has no form in ONNX")
    return op("Clip", _FORMS[kind](rules, claims), 0.0, 1.0)


def _sigmoid(rules: Sequence[Sigmoid], claims: Claims) -> Tensor:
    return expit(claims.log_odds * _row(rules, "slope") + _row(rules, "intercept"))


def _beta_curve(rules: Sequence[BetaCurve], claims: Claims) -> Tensor:
    log_p, log_rest = _logs(claims.log_odds)
    return expit(log_p * _row(rules, "a") - log_rest * _row(rules, "b") + _row(rules, "intercept"))


def _parabola(rules: Sequence[Parabola], claims: Claims) -> Tensor:
    z = claims.log_odds
    return expit((z * _row(rules, "bend") + _row(rules, "slope")) * z + _row(rules, "intercept"))


def _points(rules: Sequence[Points], claims: Claims) -> Tensor:
    x, q = _rows(rules, "x"), _rows(rules, "q")
    if rules[0].interpolate:
        return line(claims.p, x, q)
    return look_up(claims.p, [row[1:] for row in x], q, slack=claims.slack)[0]


def _steps(rules: Sequence[Steps], claims: Claims) -> Tensor:
    above = rules[0].edges == "width"
    lift = look_up(
        claims.p, _rows(rules, "inner"), _rows(rules, "lift"), above=above, slack=claims.slack
    )[0]
    return claims.p * _row(rules, "slope") + lift


def _rounded(rules: Sequence[Rounded], claims: Claims) -> Tensor:
    smooth = [rule.smooth for rule in rules]
    slack = claims.slack * np.abs(_row(smooth, "slope")) + _ROUNDING
    return look_up(
        _sigmoid(smooth, claims), _rows(rules, "inner"), _rows(rules, "mean"), slack=slack
    )[0]


def _levels(rules: Sequence[Levels], claims: Claims) -> Tensor:
    return look_up(claims.p, _rows(rules, "inner"), _rows(rules, "q"), slack=claims.slack)[0]


def _intervals(rules: Sequence[Intervals], claims: Claims) -> Tensor:
    p0 = look_up(claims.p, _rows(rules, "rises0"), _rows(rules, "p0"), slack=claims.slack)[0]
    p1 = look_up(
        claims.p, _rows(rules, "rises1"), _rows(rules, "p1"), above=True, slack=claims.slack
    )[0]
    return p1 / (1 - p0 + p1)


def _shift(rules: Sequence[Shift], claims: Claims) -> Tensor:
    odds = _rows(rules, "odds")
    z = op("Clip", claims.log_odds, float(odds[0][0]), float(odds[0][-1]))
    return expit(z + line(z, odds, _rows(rules, "shift")))


def _blended(rules: Sequence[Blended], claims: Claims) -> Tensor:
    shares = np.array([rule.shares for rule in rules])
    each: list[Any] = [
        [fitted.rule for fitted in maps]
        for maps in zip(*(rule.maps for rule in rules), strict=True)
    ]
    return op(
        "Sum",
        *(calibrated(part, claims) * share for part, share in zip(each, shares.T, strict=True)),
    )


def _lines(rules: Sequence[Lines], claims: Claims) -> Tensor:
    by_chance = rules[0].space == "chance"
    ends = float(rules[0].knots[0, 0]), float(rules[0].knots[0, -1])
    x = claims.p if by_chance else op("Clip", claims.log_odds, *ends)
    heights = [
        line(x, [rule.knots[fold] for rule in rules], [rule.heights[fold] for rule in rules])
        for fold in range(len(rules[0].knots))
    ]
    q = heights if by_chance else [expit(z) for z in heights]
    return sum(q[1:], q[0]) / len(q)


def _neighbours(rules: Sequence[Neighbours], claims: Claims) -> Tensor:
    """All claims fitted on stand side by side along a third axis: work and memory grow with them."""
    by_rule = [key_table(rule.odds, rule.bandwidth) for rule in rules]
    of_log_p, of_log_rest = (table_of([table[i] for table in by_rule], 0) for i in range(2))
    weighed = [table[2] + np.log(rule.w) for table, rule in zip(by_rule, rules, strict=True)]
    z = op("Clip", claims.log_odds, FLOOR, -FLOOR)
    log_p, log_rest = _logs(op("Unsqueeze", z, _FITTED))
    kernels = log_p * of_log_p + log_rest * of_log_rest + table_of(weighed, -np.inf)
    shares = table_of([rule.happened / rule.w for rule in rules], 0)
    return op("ReduceSum", op("Softmax", kernels) * shares, _FITTED, attributes={"keepdims": 0})


def _logs(z: Tensor) -> tuple[Tensor, Tensor]:
    """Of a chance and of its complement, from its log odds."""
    small = op("Log", op("Exp", -op("Abs", z)) + 1)
    return op("Min", z, 0.0) - small, op("Min", -z, 0.0) - small


def _row(rules: Sequence[Any], name: str) -> Array:
    """A number of each rule, as a row of them."""
    return np.array([getattr(rule, name) for rule in rules], float)


def _rows(rules: Sequence[Any], name: str) -> Rows:
    return [getattr(rule, name) for rule in rules]


_FORMS: dict[type[ChanceRule], Callable[[Any, Claims], Tensor]] = {
    Unchanged: lambda _, claims: claims.p,
    Scaled: lambda rules, claims: expit(claims.log_odds * _row(rules, "inverse")),
    Sigmoid: _sigmoid,
    BetaCurve: _beta_curve,
    Parabola: _parabola,
    Points: _points,
    Steps: _steps,
    Rounded: _rounded,
    Levels: _levels,
    Intervals: _intervals,
    Shift: _shift,
    Blended: _blended,
    Lines: _lines,
    Neighbours: _neighbours,
}
