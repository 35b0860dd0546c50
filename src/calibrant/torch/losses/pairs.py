"""Maximum mean calibration errors: do rows of like confidence err together?"""

from abc import abstractmethod

import torch
from torch import Tensor

from ...measures.mmce import REACH
from .loss import Loss


class _KernelMean(Loss):
    """Root of v' K v, K = exp(-|r - r'| / .4) over confidences r; weights of residuals are the kinds' own."""

    # Pairs nearly cancel.
    least = torch.float64

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Only confidences have gradients, not which class is the most probable."""
        top = logits.argmax(1)
        right = (top == labels).to(logits.dtype)
        r = logits.softmax(1).gather(1, top[:, None])[:, 0]
        v = (r - right) * self.shares(right)
        kernel = (-(r[:, None] - r).abs() / REACH).exp()
        return _root(v @ kernel @ v)

    @abstractmethod
    def shares(self, right: Tensor) -> Tensor:
        """Weight of each row's residual, by whether it is right."""


class MMCE(_KernelMean):
    """The term MMCE of the most probable class, as `calibrant.mmce` measures it (Kumar et al. 2018).

    >>> MMCE()(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([0, 0])).round(decimals=4)
    tensor(0.2311)
    """

    def shares(self, right: Tensor) -> Tensor:
        """All alike."""
        return right.new_ones(()) / len(right)


class WeightedMMCE(_KernelMean):
    """The term MMCE where right rows weigh as much in all as wrong ones do (Kumar et al. 2018)."""

    def shares(self, right: Tensor) -> Tensor:
        """One over how many are right, or wrong, as it is."""
        n1 = right.sum()
        return right / n1.clamp_min(1) + (1 - right) / (len(right) - n1).clamp_min(1)


def _root(square: Tensor) -> Tensor:
    """The root, flat at 0, where its slope would be infinite."""
    above = square > 0
    return torch.where(above, torch.where(above, square, 1.0).sqrt(), 0.0)
