"""Rules of whole vectors in ONNX's terms."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from onnx import GraphProto, TensorProto, helper

from ..families.family import ChanceMap, VectorMap, VectorRule
from ..families.multiclass.blend import Blended
from ..families.multiclass.dirichlet import LogMatrix
from ..families.multiclass.ensemble import Mixed
from ..families.multiclass.identity import Unchanged
from ..families.multiclass.linear import FactorAndShift, MatrixAndShift
from ..families.multiclass.one_vs_rest import EachClass
from ..families.multiclass.order_preserving import _BENDS, _LEAST, _SURENESS, _WIDTHS, Stretched
from ..families.multiclass.ranked import EachRank
from ..families.multiclass.structured import Structured
from ..families.multiclass.temperature import Scaled
from ..inputs.predictions import Kind
from .chances import Claims, calibrated
from .graph import (
    COLUMNS,
    Tensor,
    floored_log,
    largest,
    line,
    op,
    row_sum,
    softmax,
    to_float64,
    where,
)

# In log odds, how far rounding may move a claim that is worked out from float32 logits.
_SLACK = 2.0**-20
# A class that may not overtake another stays this much below it, or float32 could not tell them apart.
_BELOW = 1 - 2.0**-22


@dataclass(frozen=True, eq=False)
class Vectors:
    """Whole probability vectors, as `values` of the kind that the map was fitted on."""

    values: Tensor
    kind: Kind
    k: int

    @cached_property
    def p(self) -> Tensor:
        """Claimed chances."""
        return self.values if self.kind == "probs" else softmax(self.values)

    @cached_property
    def scores(self) -> Tensor:
        """Logits if they are given, else log-probabilities."""
        return self.values if self.kind == "logits" else floored_log(self.values)

    @cached_property
    def log_odds(self) -> Tensor:
        """Of each class against the sum of the others; of the largest, whose 1 - p has lost its digits, by adding."""
        top = largest(self.values, self.k)
        if self.kind == "probs":
            rest = where(top, row_sum(where(top, 0.0, self.p)), row_sum(self.p) - self.p)
            return floored_log(self.p) - floored_log(rest)
        others = where(top, -np.inf, self.values)
        below = op("ReduceMax", others, COLUMNS)
        margin = self.values - below - op("Log", row_sum(op("Exp", others - below)))
        return where(top, margin, op("LogSoftmax", self.values) - op("Log", 1 - self.p))

    @property
    def slack(self) -> float:
        """How far, in log odds, rounding may have moved the chances: not at all where they are given."""
        return _SLACK if self.kind == "logits" else 0.0

    def by_class(self) -> Claims:
        """Each class against the rest."""

        def log_odds() -> Tensor:
            if self.kind == "logits":
                return self.log_odds
            # The others of an unlikely class are 1 - p, also where rounding has left the sum a little off one.
            unlikely = floored_log(self.p) - op("Log", 1 - op("Min", self.p, 0.5))
            return where(self.p > 0.5, self.log_odds, unlikely)

        return Claims(op("Min", self.p, 1.0), log_odds, self.slack)

    def by_rank(self, masks: Sequence[Tensor]) -> Claims:
        """The class of each rank against the rest; its mask says which it is."""

        def columns(x: Tensor) -> Tensor:
            return op(
                "Concat", *(row_sum(where(mask, x, 0.0)) for mask in masks), attributes={"axis": 1}
            )

        return Claims(op("Min", columns(self.p), 1.0), lambda: columns(self.log_odds), self.slack)


def calibrated_vectors(rule: VectorRule, x: Vectors) -> Tensor:
    """Calibrated chances, (n, k)."""
    kind = type(rule)
    if kind not in _FORMS:
        raise ValueError(f"{kind.__name__} has no form in ONNX")
    return _FORMS[kind](rule, x)


def _matrix_and_shift(rule: MatrixAndShift | Structured, z: Tensor) -> Tensor:
    return softmax(op("MatMul", z, rule.matrix.T) + rule.shift)


def _structured(rule: Structured, x: Vectors) -> Tensor:
    mixed = softmax(x.scores * rule.inverse) * (1 - rule.uniform) + rule.uniform / x.k
    return _matrix_and_shift(rule, op("Log", mixed))


def _stretched(rule: Stretched, x: Vectors) -> Tensor:
    below = (op("ReduceMax", x.scores, COLUMNS) - x.scores) * rule.inverse
    depth = below + op("Log", row_sum(op("Exp", -below)))
    steps = [
        op("Clip", depth - float(bend), 0.0, float(width))
        for bend, width in zip(_BENDS, _WIDTHS, strict=True)
    ]
    bends = [step * float(slope - _LEAST) for step, slope in zip(steps, rule.slopes, strict=True)]
    curve = sum(bends[1:], bends[0])
    logits = op("ReduceMin", curve, COLUMNS) - curve - below * _LEAST
    if rule.kind != "diagonal":
        p = op("Exp", -depth)
        by_sureness, by_class = np.split(rule.factors, [len(_SURENESS)])
        sureness = -op("Log", op("Max", row_sum(p * depth), float(np.exp(-_SURENESS[-1]))))
        logits = logits - below * line(sureness, [_SURENESS], [by_sureness])
        if rule.kind == "preserving":
            logits = logits - below * row_sum(p * by_class)
    return softmax(logits)


def _mixed(rule: Mixed, x: Vectors) -> Tensor:
    sharp, claimed, even = rule.shares
    return (
        softmax(x.scores * rule.tempered.inverse) * sharp + softmax(x.scores) * claimed + even / x.k
    )


def _blended(rule: Blended, x: Vectors) -> Tensor:
    parts = [
        _whole(fitted, x) * share for fitted, share in zip(rule.maps, rule.shares, strict=True)
    ]
    return op("Sum", *parts)


def _whole(fitted: ChanceMap | VectorMap, x: Vectors) -> Tensor:
    """Both chances of a map of one class of two; else the map's own vectors."""
    if isinstance(fitted, VectorMap):
        return calibrated_vectors(fitted.rule, x)
    q = calibrated([fitted.rule] * x.k, x.by_class())
    # The column that the map is of, and beside it what is left.
    keep = np.eye(2)[fitted.completes or 0]
    q = row_sum(q * keep)
    return q * keep + (1 - q) * (1 - keep)


def _each_class(rule: EachClass, x: Vectors) -> Tensor:
    q = calibrated(rule.rules, x.by_class())
    total = row_sum(q)
    return where(total > 0, q / total, x.p)


def _each_rank(rule: EachRank, x: Vectors) -> Tensor:
    values, scores, masks = x.values, x.scores, list[Tensor]()
    for _ in rule.rules:
        masks.append(largest(values, x.k))
        values, scores = (where(masks[-1], -np.inf, part) for part in (values, scores))
    chances = calibrated(rule.rules, x.by_rank(masks))
    first = [
        op("Gather", chances, np.array([rank]), attributes={"axis": 1})
        for rank in range(len(masks))
    ]
    if rule.keep_order:
        first = list(accumulate(first, lambda before, chance: op("Min", before, chance)))
    if len(first) > 1:
        later, room = sum(first[2:], first[1]), 1 - first[0]
        scale = where(later > room, room / later, 1.0)
        first[1:] = [chance * scale for chance in first[1:]]
    if rule.keep_order:
        first = _falling(first, x.k)
    left = op("Max", 1 - sum(first[1:], first[0]), 0.0)
    q = softmax(scores) * left
    if rule.keep_order:
        q = _capped(q, scores, left, first[-1] * _BELOW, x.k)
    for mask, chance in zip(masks, first, strict=True):
        q = where(mask, chance, q)
    return q


def _falling(first: list[Tensor], k: int) -> list[Tensor]:
    """Chances that fall from rank to rank, none below the mean of what it and all ranks after it share."""
    fallen = [op("Max", first[0], 1 / k)]
    left = 1 - fallen[0]
    for rank, chance in enumerate(first[1:], 1):
        fallen.append(op("Min", op("Max", chance, left / (k - rank)), fallen[-1] * _BELOW))
        left = op("Max", left - fallen[-1], 0.0)
    return fallen


def _capped(q: Tensor, scores: Tensor, left: Tensor, cap: Tensor, k: int) -> Tensor:
    """Chances above their row's cap brought down to it; its other classes share what that frees, turn by turn."""

    def go_on(x: Tensor) -> Tensor:
        return op("ReduceSum", to_float64(x > cap), attributes={"keepdims": 0}) > 0

    # Of two graphs a node goes to that of its first input, so what the loop changes comes first.
    body = GraphProto(name="cap")
    now = Tensor(body, "now")
    high = op("GreaterOrEqual", now, cap)
    others = where(high, -np.inf, scores)
    free = op("Max", -(row_sum(to_float64(high)) * cap) + left, 0.0)
    after = where(high, cap, softmax(others) * free)
    value, whole = helper.make_tensor_value_info, list[str | int](["n", k])
    go, chances = TensorProto.BOOL, TensorProto.DOUBLE
    body.input.extend(
        [value("turn", TensorProto.INT64, []), value("go", go, []), value("now", chances, whole)]
    )
    body.output.extend([value(go_on(after).name, go, []), value(after.name, chances, whole)])
    return op("Loop", np.array(k), go_on(q), q, attributes={"body": body})


_FORMS: dict[type[VectorRule], Callable[[Any, Vectors], Tensor]] = {
    Unchanged: lambda _, x: softmax(x.scores),
    Scaled: lambda rule, x: softmax(x.scores * rule.inverse),
    FactorAndShift: lambda rule, x: softmax(x.scores * rule.factor + rule.shift),
    MatrixAndShift: lambda rule, x: _matrix_and_shift(rule, x.scores),
    LogMatrix: lambda rule, x: _matrix_and_shift(rule, op("LogSoftmax", x.scores)),
    Structured: _structured,
    Mixed: _mixed,
    Blended: _blended,
    Stretched: _stretched,
    EachClass: _each_class,
    EachRank: _each_rank,
}
