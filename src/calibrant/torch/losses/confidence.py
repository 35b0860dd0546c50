"""Losses that hold confidence back as a whole: a gap to accuracy, softer labels, more entropy."""

from torch import Tensor
from torch.nn.functional import cross_entropy

from .loss import Loss, top_label


class ConfidenceGap(Loss):
    """The term |mean confidence - accuracy| of the batch (Liang et al. 2020).

    >>> import torch
    >>> logits = torch.tensor([[2.0, 0.0], [0.0, 1.0]])
    >>> ConfidenceGap()(logits, torch.tensor([0, 0])).round(decimals=4)
    tensor(0.3059)
    """

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Only confidence has a gradient."""
        confidence = logits.softmax(1).amax(1)
        _, right = top_label(logits, labels)
        return (confidence.mean() - right.mean()).abs()


class LabelSmoothing(Loss):
    """Cross-entropy to labels of which a share `smoothing` is spread evenly over all classes."""

    def __init__(self, smoothing: float = 0.05) -> None:
        super().__init__()
        if not 0 <= smoothing < 1:
            raise ValueError(f"smoothing must be at least 0 and below 1, got {smoothing}")
        self.smoothing = float(smoothing)

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """What torch's own cross-entropy gives."""
        return cross_entropy(logits, labels, label_smoothing=self.smoothing)

    def extra_repr(self) -> str:
        """What print shows."""
        return f"smoothing={self.smoothing:g}"


class EntropyPenalty(Loss):
    """The term mean sum_k p_k log p_k, minus the entropy of the claims (Pereyra et al. 2017).

    It lies between -log k and 0.
    """

    def value(self, logits: Tensor, labels: Tensor) -> Tensor:  # noqa: ARG002 - called as every loss is
        """Labels are checked but have no say."""
        log_p = logits.log_softmax(1)
        terms = log_p.exp() * log_p
        return terms.sum(1).mean()
