"""Maximum mean calibration errors: do rows of like confidence err together?"""

from abc import abstractmethod

import torch
from torch import Tensor

from ...measures.mmce import REACH
from .loss import Loss, entries, top_label


class _KernelMean(Loss):
    """Root of v' K v, K = exp(-|r - r'| / .4) over confidences r.

    v are residuals times weights, which are the kinds' own.
    """

    # Pairs nearly cancel.
    least = torch.float64

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Only confidences have gradients, not which class is the most probable."""
        top, right = top_label(logits, labels)
        r = entries(logits.softmax(1), top)
        v = (r - right) * self.shares(right)
        distance = (r[:, None] - r).abs()
        kernel = (-distance / REACH).exp()
        return _root(v @ kernel @ v)

    @abstractmethod
    def shares(self, right: Tensor) -> Tensor:
        """Weight of each row's residual, by whether it is right."""


class MMCE(_KernelMean):
    """The term MMCE of the most probable class, as `calibrant.mmce` measures it.

    It is that of Kumar et al. 2018.

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
        n_right = right.sum()
        n_wrong = len(right) - n_right
        of_right = right / n_right.clamp_min(1)
        of_wrong = (1 - right) / n_wrong.clamp_min(1)
        return of_right + of_wrong


def _root(square: Tensor) -> Tensor:
    """The root, flat at 0, where its slope would be infinite."""
    above = square > 0
    positive = torch.where(above, square, 1.0)
    return torch.where(above, positive.sqrt(), 0.0)
