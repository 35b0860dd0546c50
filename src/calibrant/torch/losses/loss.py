"""What every loss shares: how it is called and what it checks."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from ..checks import batch, refuse_bad_rows

# To name bad rows one must wait for the device: this often costs nothing that can be measured.
_EVERY = 64


class Loss(nn.Module, ABC):
    """A number for a batch of logits, (n, k) or (n,) log odds of class 1, and labels (n,); half precision is widened.

    Rows that are not finite and labels that are no class are refused by name: on the CPU always; elsewhere, where to
    look means to wait for the device, on the first call and every 64th from there. Compiled, or captured in a CUDA
    graph, a loss does not look.
    """

    # What logits are widened to before anything is done with them.
    least = torch.float32

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    def forward(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss, in float32, or float64 where the logits are."""
        logits, labels = batch(logits, labels)
        if not torch.compiler.is_compiling():
            if logits.device.type == "cpu" or (self._calls % _EVERY == 0 and not _captured(logits)):
                refuse_bad_rows(logits, labels)
            self._calls += 1
        value = self.value(logits.to(torch.promote_types(logits.dtype, self.least)), labels)
        return value.to(torch.promote_types(logits.dtype, torch.float32))

    @abstractmethod
    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss of a batch that was checked."""


def _captured(logits: Tensor) -> bool:
    return logits.is_cuda and torch.cuda.is_current_stream_capturing()
