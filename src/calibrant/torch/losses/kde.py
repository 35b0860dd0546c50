"""Losses from kernel estimates of the chances that claims stand for (001 eq. 13-19)."""

from math import exp
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from ...inputs.checks import check_argument
from ..checks import width
from ..kernels import FLOOR, Claims, Norm, conditional, indicators
from .loss import Loss

Asks = Literal["canonical", "classwise", "top_label"]


class KDECalibration(Loss):
    """The term CE_p^p, mean |E[y | f] - f|^p over the batch, E[y | f] by Dirichlet or Beta kernels at the other rows.

    "classwise" is the mean over classes, where 001 eq. 17 is the sum. The batch need not be the one of the loss; of one
    row alone, which has nothing to be compared with, the term is 0.

    >>> _ = torch.manual_seed(0)
    >>> logits, labels = torch.randn(256, 3), torch.randint(3, (256,))
    >>> term = KDECalibration("canonical", norm=2)
    >>> loss = torch.nn.functional.cross_entropy(logits, labels) + 0.1 * term(logits, labels)
    """

    # Exponents are large: see kernels.
    least = torch.float64

    def __init__(
        self, view: Asks = "canonical", *, norm: Norm = 1, bandwidth: float = 0.01
    ) -> None:
        super().__init__()
        check_argument("view", view, Asks)
        check_argument("norm", norm, Norm)
        self.view, self.norm, self.bandwidth = view, norm, width(bandwidth)

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Which class is the most probable has no gradient."""
        if len(logits) == 1:
            return logits.sum() * 0
        log_p, y = _PROBLEMS[self.view](logits, labels)
        gap = conditional(log_p, y, self.bandwidth) - log_p[..., : y.shape[2]].exp()
        size = gap.abs() if self.norm == 1 else gap.square()
        # Over rows, and over problems where there are many; columns of one vector add up.
        return size.sum() / (gap.shape[0] * gap.shape[1])

    def extra_repr(self) -> str:
        """What print shows."""
        return f"{self.view!r}, norm={self.norm}, bandwidth={self.bandwidth:g}"


class KDEMeanSquared(Loss):
    """Mean squared error of two classes plus gamma E[E[y | f]^2], which stands for MSE + lam CE_2^2 (001 eq. 13-14).

    `gamma` is lam / (1 + lam). Fewer than three rows have no pair of others, and the loss is the squared error alone.

    >>> KDEMeanSquared(0.5)(torch.zeros(4), torch.tensor([0, 1, 1, 0])).round(decimals=4)
    tensor(0.3333)
    """

    # Exponents are large: see kernels.
    least = torch.float64

    def __init__(self, gamma: float = 0.1, *, bandwidth: float = 0.01) -> None:
        super().__init__()
        if not 0 <= gamma < 1:
            raise ValueError(f"gamma must be at least 0 and below 1, got {gamma}")
        self.gamma, self.bandwidth = float(gamma), width(bandwidth)

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Both parts at once."""
        if logits.shape[1] != 2:
            raise ValueError(
                f"KDEMeanSquared is for two classes, got {logits.shape[1]}; use KDECalibration"
            )
        odds = logits[:, 1] - logits[:, 0]
        log_p = torch.stack([logsigmoid(odds), logsigmoid(-odds)], -1)
        y = labels.to(logits.dtype)
        error = (log_p[:, 0].exp() - y).square().mean()
        if len(y) < 3 or not self.gamma:
            return error
        return error + self.gamma * _squared_chance(
            Claims.of(log_p[None], self.bandwidth).exponents(slice(None))[0], y
        )

    def extra_repr(self) -> str:
        """What print shows."""
        return f"{self.gamma:g}, bandwidth={self.bandwidth:g}"


def _squared_chance(exponents: Tensor, y: Tensor) -> Tensor:
    """Eq. 14 of 001: mean of y_i y_j over pairs of other rows, each weighing as much as its kernels' product.

    Pairs with the nearest row apart from those without it, as nearly all weight may lie on that one row.
    """
    first = exponents.argmax(1, keepdim=True)
    weights = exponents.softmax(1)
    top = weights.gather(1, first)[:, 0]
    rest = weights.scatter(1, first, 0.0).sum(1)
    # The others among themselves: rows far behind the nearest one still have a mean.
    others = exponents.scatter(1, first, -torch.inf).softmax(1)
    mean, squares = others @ y, others.square()
    both = 2 * top * y[first[:, 0]] * mean + rest * (mean.square() - squares @ y)
    return (both / (2 * top + rest * (1 - squares.sum(1)))).mean()


def _canonical(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    log_p = logits.log_softmax(1)
    return log_p[None], indicators(labels, log_p)[None]


def _classwise(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    log_p = logits.log_softmax(1)
    p, is_top = log_p.exp(), indicators(logits.argmax(1), log_p).bool()
    # Only the largest chance comes so near to 1 that its complement must be the sum of the others.
    rest = torch.where(is_top, p.masked_fill(is_top, 0.0).sum(1, keepdim=True), 1 - p)
    return torch.stack([log_p.T, _log(rest).T], -1), indicators(labels, log_p).T[..., None]


def _top_label(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    log_p, top = logits.log_softmax(1), logits.argmax(1)
    rest = log_p.exp().scatter(1, top[:, None], 0.0).sum(1)
    pair = torch.stack([log_p.gather(1, top[:, None])[:, 0], _log(rest)], -1)
    return pair[None], (top == labels).to(logits.dtype)[None, :, None]


def _log(p: Tensor) -> Tensor:
    """Logarithm, flat below the kernels' floor."""
    return p.clamp_min(exp(FLOOR)).log()


_PROBLEMS = {"canonical": _canonical, "classwise": _classwise, "top_label": _top_label}
