"""Losses from kernel estimates of the chances that claims stand for (Popordanoska et al. 2022)."""

from math import exp
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from ...fitting.beta_density import FLOOR
from ...inputs.checks import check_argument
from ..checks import checked_bandwidth
from ..kernels import Norm, indicators
from ..leave_one_out import DirichletKernels, conditional
from .loss import Loss, entries, top_label, without

Asks = Literal["canonical", "classwise", "top_label"]


class KDECalibration(Loss):
    """The term CE_p^p, mean |E[y | f] - f|^p over the batch.

    E[y | f] is estimated by Dirichlet or Beta kernels at the other rows. It is `kde_error` of the
    batch, in norm 2 its square. "classwise" is the mean over classes, where Popordanoska et al.
    2022 (eq. 17) take the sum: a strength of theirs is times k here. The batch need not be the
    one of the loss; of one row alone, which has nothing to be compared with, the term is 0.

    >>> _ = torch.manual_seed(0)
    >>> logits, labels = torch.randn(256, 3), torch.randint(3, (256,))
    >>> term = KDECalibration("canonical", norm=2)
    >>> loss = torch.nn.functional.cross_entropy(logits, labels) + 0.1 * term(logits, labels)
    """

    # Exponents are large: see leave_one_out.
    least = torch.float64

    def __init__(
        self,
        view: Asks = "canonical",
        *,
        norm: Norm = 1,
        bandwidth: float = 0.01,
    ) -> None:
        super().__init__()
        check_argument("view", view, Asks)
        check_argument("norm", norm, Norm)
        self.view = view
        self.norm = norm
        self.bandwidth = checked_bandwidth(bandwidth)

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Which class is the most probable has no gradient."""
        if len(logits) == 1:
            return logits.sum() * 0
        ask = _PROBLEMS[self.view]
        log_p, y = ask(logits, labels)
        problems, rows, columns = y.shape
        p = log_p[..., :columns].exp()
        gap = conditional(log_p, y, self.bandwidth) - p
        size = gap.abs() if self.norm == 1 else gap.square()
        # Over rows, and over problems where there are many; columns of one vector add up.
        return size.sum() / (problems * rows)

    def extra_repr(self) -> str:
        """What print shows."""
        return f"{self.view!r}, norm={self.norm}, bandwidth={self.bandwidth:g}"


class KDEMeanSquared(Loss):
    """Mean squared error of two classes plus gamma E[E[y | f]^2], for MSE + lam CE_2^2.

    These are eq. 13-14 of Popordanoska et al. 2022; `gamma` is lam / (1 + lam). Fewer than three
    rows have no pair of others, and the loss is the squared error alone.

    >>> KDEMeanSquared(0.5)(torch.zeros(4), torch.tensor([0, 1, 1, 0])).round(decimals=4)
    tensor(0.3333)
    """

    # Exponents are large: see leave_one_out.
    least = torch.float64

    def __init__(self, gamma: float = 0.1, *, bandwidth: float = 0.01) -> None:
        super().__init__()
        if not 0 <= gamma < 1:
            raise ValueError(f"gamma must be at least 0 and below 1, got {gamma}")
        self.gamma = float(gamma)
        self.bandwidth = checked_bandwidth(bandwidth)

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Both parts at once."""
        k = logits.shape[1]
        if k != 2:
            raise ValueError(f"KDEMeanSquared is for two classes, got {k}; use KDECalibration")
        odds = logits[:, 1] - logits[:, 0]
        log_p = logsigmoid(odds)
        y = labels.to(logits.dtype)
        error = (log_p.exp() - y).square().mean()
        if len(y) < 3 or not self.gamma:
            return error
        pairs = torch.stack([log_p, logsigmoid(-odds)], -1)
        kernels = DirichletKernels.at(pairs[None], self.bandwidth)
        exponents = kernels.exponents(slice(None))[0]
        return error + self.gamma * _squared_chance(exponents, y)

    def extra_repr(self) -> str:
        """What print shows."""
        return f"{self.gamma:g}, bandwidth={self.bandwidth:g}"


def _squared_chance(exponents: Tensor, y: Tensor) -> Tensor:
    """Mean of y_i y_j over pairs of other rows, each weighing as much as its kernels' product.

    This is eq. 14 of Popordanoska et al. 2022. Pairs with the nearest row apart from those
    without it, as nearly all weight may lie on that one row.
    """
    nearest = exponents.argmax(1)
    weights = exponents.softmax(1)
    top = entries(weights, nearest)
    rest = without(weights, nearest, 0.0).sum(1)
    # The others among themselves: rows far behind the nearest one still have a mean.
    others = without(exponents, nearest, -torch.inf).softmax(1)
    mean = others @ y
    squares = others.square()
    # Of y_i y_j, and of the weights themselves, over both kinds of pairs.
    with_nearest = 2 * top * y[nearest] * mean
    among_others = mean.square() - squares @ y
    weight_among_others = 1 - squares.sum(1)
    above = with_nearest + rest * among_others
    below = 2 * top + rest * weight_among_others
    return (above / below).mean()


def _canonical(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    log_p = logits.log_softmax(1)
    y = indicators(labels, log_p)
    return log_p[None], y[None]


def _classwise(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    log_p = logits.log_softmax(1)
    p = log_p.exp()
    top = logits.argmax(1)
    is_top = indicators(top, log_p).bool()
    # Only the largest chance comes so near to 1 that its complement must be the sum of the others.
    of_others = p.masked_fill(is_top, 0.0).sum(1, keepdim=True)
    rest = torch.where(is_top, of_others, 1 - p)
    y = indicators(labels, log_p)
    return _pairs(log_p.T, rest.T), y.T[..., None]


def _top_label(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    log_p = logits.log_softmax(1)
    top, right = top_label(logits, labels)
    log_confidence = entries(log_p, top)
    rest = without(log_p.exp(), top, 0.0).sum(1)
    pairs = _pairs(log_confidence, rest)
    return pairs[None], right[None, :, None]


def _pairs(log_p: Tensor, rest: Tensor) -> Tensor:
    """Log-probabilities of an event and of its complement, flat below the kernels' floor."""
    floored = rest.clamp_min(exp(FLOOR))
    return torch.stack([log_p, floored.log()], -1)


_PROBLEMS = {
    "canonical": _canonical,
    "classwise": _classwise,
    "top_label": _top_label,
}
