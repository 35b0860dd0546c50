"""Focal losses: rows that are right already count less, so that confidence stops where it should."""

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from .loss import Loss


class Focal(Loss):
    """Focal loss -(1 - p_t)^gamma log p_t of the label's chance p_t; gamma 0 is cross-entropy.

    >>> Focal(2.0)(torch.zeros(4, 2), torch.tensor([0, 1, 1, 0]))
    tensor(0.1733)
    """

    def __init__(self, gamma: float = 3.0) -> None:
        super().__init__()
        self.gamma = _power(gamma)

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Worked out from log odds, so that no chance rounds to 1."""
        odds = _log_odds(logits, labels)
        return -((self.gamma * logsigmoid(-odds)).exp() * logsigmoid(odds)).mean()

    def extra_repr(self) -> str:
        """What print shows."""
        return f"gamma={self.gamma:g}"


class Focal53(Loss):
    """Focal loss with gamma 5 for rows whose label has a chance below .2 and 3 for the others (FLSD-53)."""

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """A row's gamma is held fixed in the gradients."""
        odds = _log_odds(logits, labels)
        gamma = torch.where(odds.detach().sigmoid() < 0.2, 5.0, 3.0)
        return -((gamma * logsigmoid(-odds)).exp() * logsigmoid(odds)).mean()


class DualFocal(Loss):
    """Dual focal loss -(1 - p_t + p_j)^gamma log p_t, p_j the largest chance below the label's p_t, 0 if none is."""

    def __init__(self, gamma: float = 5.0) -> None:
        super().__init__()
        self.gamma = _power(gamma)

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Worked out from log odds, so that no chance rounds to 1."""
        odds = _log_odds(logits, labels)
        below = logits < logits.gather(1, labels[:, None])
        next_one = logits.log_softmax(1).masked_fill(~below, -torch.inf).max(1).values
        doubt = torch.logaddexp(logsigmoid(-odds), next_one)
        return -((self.gamma * doubt).exp() * logsigmoid(odds)).mean()

    def extra_repr(self) -> str:
        """What print shows."""
        return f"gamma={self.gamma:g}"


def _power(gamma: float) -> float:
    if not 0 <= gamma < float("inf"):
        raise ValueError(f"gamma must be 0 or a positive number, got {gamma}")
    return float(gamma)


def _log_odds(logits: Tensor, labels: Tensor) -> Tensor:
    """Of the label against all other classes, exact however certain."""
    at = labels[:, None]
    return logits.gather(1, at)[:, 0] - logits.scatter(1, at, -torch.inf).logsumexp(1)
