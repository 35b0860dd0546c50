"""Focal losses: rows that are right already count less, so that confidence stops where it should."""

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from .loss import Loss, entries, without

# Where FLSD-53 changes from one gamma to the other (Mukhoti et al. 2020).
_LITTLE = 0.2


class Focal(Loss):
    """Focal loss -(1 - p_t)^gamma log p_t of the label's chance p_t; gamma 0 is cross-entropy.

    It is that of Lin et al. 2017, used to calibrate by Mukhoti et al. 2020.

    >>> Focal(2.0)(torch.zeros(4, 2), torch.tensor([0, 1, 1, 0]))
    tensor(0.1733)
    """

    def __init__(self, gamma: float = 3.0) -> None:
        super().__init__()
        self.gamma = _checked_power(gamma)

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Worked out from log odds, so that no chance rounds to 1."""
        odds = _log_odds(logits, labels)
        return _focal(odds, self.gamma * logsigmoid(-odds))

    def extra_repr(self) -> str:
        """What print shows."""
        return f"gamma={self.gamma:g}"


class Focal53(Loss):
    """Focal loss with gamma 5 for rows whose label has a chance below .2 and 3 for the others.

    It is FLSD-53 of Mukhoti et al. 2020.
    """

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """A row's gamma is held fixed in the gradients."""
        odds = _log_odds(logits, labels)
        chance = odds.detach().sigmoid()
        gamma = torch.where(chance < _LITTLE, 5.0, 3.0)
        return _focal(odds, gamma * logsigmoid(-odds))


class DualFocal(Loss):
    """Dual focal loss -(1 - p_t + p_j)^gamma log p_t (Tao et al. 2023).

    p_j is the largest chance below the label's p_t, 0 if none is.
    """

    def __init__(self, gamma: float = 5.0) -> None:
        super().__init__()
        self.gamma = _checked_power(gamma)

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Worked out from log odds, so that no chance rounds to 1."""
        odds = _log_odds(logits, labels)
        log_p = logits.log_softmax(1)
        of_label = logits.gather(1, labels[:, None])
        log_below = log_p.masked_fill(~(logits < of_label), -torch.inf)
        next_one = log_below.max(1).values
        doubt = torch.logaddexp(logsigmoid(-odds), next_one)
        return _focal(odds, self.gamma * doubt)

    def extra_repr(self) -> str:
        """What print shows."""
        return f"gamma={self.gamma:g}"


def _checked_power(gamma: float) -> float:
    if not 0 <= gamma < float("inf"):
        raise ValueError(f"gamma must be 0 or a positive number, got {gamma}")
    return float(gamma)


def _focal(odds: Tensor, log_factor: Tensor) -> Tensor:
    """Mean cross-entropy of the labels' log odds, each row times its factor."""
    rows = log_factor.exp() * logsigmoid(odds)
    return -rows.mean()


def _log_odds(logits: Tensor, labels: Tensor) -> Tensor:
    """Of the label against all other classes, exact however certain."""
    others = without(logits, labels, -torch.inf)
    return entries(logits, labels) - others.logsumexp(1)
