"""Rules of whole vectors as modules."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...families.family import ChanceMap, VectorMap, VectorRule
from ...families.multiclass.blend import Blended
from ...families.multiclass.dirichlet import LogMatrix
from ...families.multiclass.ensemble import Mixed
from ...families.multiclass.identity import Unchanged
from ...families.multiclass.linear import FactorAndShift, MatrixAndShift
from ...families.multiclass.one_vs_rest import EachClass
from ...families.multiclass.order_preserving import _BENDS, _LEAST, _SURENESS, _WIDTHS, Stretched
from ...families.multiclass.ranked import EachRank
from ...families.multiclass.structured import Structured
from ...families.multiclass.temperature import Scaled
from ...inputs.predictions import Kind
from .chances import Chances
from .claims import SLACK, Claims, Vectors
from .ranks import Ranks
from .tables import Fixed


def vector_form(rule: VectorRule, kind: Kind) -> nn.Module:
    """A module from `Vectors` to calibrated chances, (n, k)."""
    if type(rule) not in _FORMS:
        raise ValueError(f"{type(rule).__name__} has no form in torch")
    return _FORMS[type(rule)](rule, kind)


class Pair(nn.Module):
    """Both chances of a map of one class of two."""

    def __init__(self, fitted: ChanceMap, kind: Kind) -> None:
        super().__init__()
        self.column = fitted.completes or 0
        self.chance = Chances([fitted.rule], SLACK[kind])

    def forward(self, x: Vectors) -> Tensor:
        """The class that the map is of, and beside it what is left."""
        p, log_odds = x.by_class()
        column = slice(self.column, self.column + 1)
        q = self.chance(Claims(p[:, column], lambda: log_odds()[:, column]))
        return torch.cat([1 - q, q] if self.column else [q, 1 - q], 1)


class _Unchanged(nn.Module):
    def __init__(self, rule: Unchanged, kind: Kind) -> None:  # noqa: ARG002
        super().__init__()

    def forward(self, x: Vectors) -> Tensor:
        return x.scores().softmax(1)


class _Linear(Fixed):
    """Softmax of scores times a factor, plus a shift."""

    factor: Tensor
    shift: Tensor

    def __init__(self, rule: Scaled | FactorAndShift, kind: Kind) -> None:  # noqa: ARG002
        factor, shift = (
            (rule.inverse, 0.0) if isinstance(rule, Scaled) else (rule.factor, rule.shift)
        )
        super().__init__(factor=factor, shift=shift)

    def forward(self, x: Vectors) -> Tensor:
        return (x.scores() * self.factor + self.shift).softmax(1)


class _Matrix(Fixed):
    """Softmax of scores times a matrix, plus a shift."""

    matrix: Tensor
    shift: Tensor

    def __init__(self, rule: MatrixAndShift | Structured, kind: Kind) -> None:  # noqa: ARG002
        super().__init__(matrix=rule.matrix, shift=rule.shift)

    def forward(self, x: Vectors) -> Tensor:
        return (self.features(x) @ self.matrix.T + self.shift).softmax(1)

    def features(self, x: Vectors) -> Tensor:
        return x.scores()


class _LogMatrix(_Matrix):
    def features(self, x: Vectors) -> Tensor:
        return x.scores().log_softmax(1)


class _Structured(_Matrix):
    inverse: Tensor
    uniform: Tensor

    def __init__(self, rule: Structured, kind: Kind) -> None:
        super().__init__(rule, kind)
        self.register_buffer("inverse", torch.tensor(rule.inverse, dtype=torch.float64))
        self.register_buffer("uniform", torch.tensor(rule.uniform, dtype=torch.float64))

    def features(self, x: Vectors) -> Tensor:
        scores = x.scores()
        return (
            (scores * self.inverse).softmax(1) * (1 - self.uniform) + self.uniform / scores.shape[1]
        ).log()


class _Mixed(Fixed):
    inverse: Tensor
    shares: Tensor

    def __init__(self, rule: Mixed, kind: Kind) -> None:  # noqa: ARG002
        super().__init__(inverse=rule.tempered.inverse, shares=rule.shares)

    def forward(self, x: Vectors) -> Tensor:
        scores = x.scores()
        sharp, claimed, even = self.shares
        return (
            (scores * self.inverse).softmax(1) * sharp
            + scores.softmax(1) * claimed
            + even / scores.shape[1]
        )


class _Blended(Fixed):
    shares: Tensor

    def __init__(self, rule: Blended, kind: Kind) -> None:
        super().__init__(shares=rule.shares)
        forms = [
            vector_form(each.rule, kind) if isinstance(each, VectorMap) else Pair(each, kind)
            for each in rule.maps
        ]
        self.parts = nn.ModuleList(forms)

    def forward(self, x: Vectors) -> Tensor:
        return torch.stack(
            [part(x) * share for part, share in zip(self.parts, self.shares, strict=True)]
        ).sum(0)


class _Stretched(Fixed):
    inverse: Tensor
    bends: Tensor
    widths: Tensor
    slopes: Tensor
    sureness: Tensor
    gaps: Tensor
    by_sureness: Tensor
    by_class: Tensor

    def __init__(self, rule: Stretched, kind: Kind) -> None:  # noqa: ARG002
        by_sureness, by_class = np.split(rule.factors, [len(_SURENESS)])
        super().__init__(
            inverse=rule.inverse,
            bends=_BENDS,
            widths=_WIDTHS,
            slopes=rule.slopes - _LEAST,
            sureness=_SURENESS[:-1],
            gaps=np.diff(_SURENESS),
            by_sureness=by_sureness,
            by_class=by_class,
        )
        self.kind = rule.kind

    def forward(self, x: Vectors) -> Tensor:
        scores = x.scores()
        below = (scores.amax(1, keepdim=True) - scores) * self.inverse
        depth = below + (-below).logsumexp(1, keepdim=True)
        curve = _steps(depth[:, :, None], self.bends, self.widths) @ self.slopes
        logits = curve.amin(1, keepdim=True) - curve - below * _LEAST
        if self.kind != "diagonal":
            p = (-depth).exp()
            sureness = (
                -(p * depth).sum(1, keepdim=True).clamp(min=float(np.exp(-_SURENESS[-1]))).log()
            )
            steps = _steps(sureness, self.sureness, self.gaps)
            factor = self.by_sureness[0] + steps @ (self.by_sureness.diff() / self.gaps)
            logits = logits - below * factor[:, None]
            if self.kind == "preserving":
                logits = logits - below * (p @ self.by_class)[:, None]
        return logits.softmax(1)


def _steps(x: Tensor, starts: Tensor, widths: Tensor) -> Tensor:
    """How far x has come between each start and the end of its step: lines without a search."""
    return torch.minimum((x - starts).clamp(min=0), widths)


class _EachClass(nn.Module):
    def __init__(self, rule: EachClass, kind: Kind) -> None:
        super().__init__()
        self.chances = Chances(rule.rules, SLACK[kind])

    def forward(self, x: Vectors) -> Tensor:
        q = self.chances(x.by_class())
        total = q.sum(1, keepdim=True)
        return torch.where(total == 0, x.p(), q / total.masked_fill(total == 0, 1))


_FORMS: dict[type[VectorRule], Callable[[Any, Kind], nn.Module]] = {
    Unchanged: _Unchanged,
    Scaled: _Linear,
    FactorAndShift: _Linear,
    MatrixAndShift: _Matrix,
    LogMatrix: _LogMatrix,
    Structured: _Structured,
    Mixed: _Mixed,
    Blended: _Blended,
    Stretched: _Stretched,
    EachClass: _EachClass,
    EachRank: Ranks,
}
