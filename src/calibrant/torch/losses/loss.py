"""What every loss shares: how it is called and what it checks."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from ..checks import batch, refuse_bad_rows, result_type

# To name bad rows one must wait for the device: this often costs nothing that can be measured.
_EVERY = 64


class Loss(nn.Module, ABC):
    """A number for a batch of logits and labels (n,).

    Logits are (n, k), or (n,) log odds of class 1; half precision is widened. Rows that are not
    finite and labels that are no class are refused by name: on the CPU always; elsewhere, where to
    look means to wait for the device, on the first call and every 64th from there. Compiled, or
    captured in a CUDA graph, a loss does not look.
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
            if self._looks(logits):
                refuse_bad_rows(logits, labels)
            self._calls += 1
        least = torch.promote_types(logits.dtype, self.least)
        value = self.value(logits.to(least), labels)
        return value.to(result_type(logits))

    @abstractmethod
    def value(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss of a batch that was checked."""

    def _looks(self, logits: Tensor) -> bool:
        """Whether bad rows are looked for on this call."""
        if logits.device.type == "cpu":
            return True
        if self._calls % _EVERY:
            return False
        return not _captured(logits)


def entries(x: Tensor, places: Tensor) -> Tensor:
    """The entry of each row at its place."""
    column = places[:, None]
    return x.gather(1, column).squeeze(1)


def without(x: Tensor, places: Tensor, value: float) -> Tensor:
    """Rows with another value at their places."""
    column = places[:, None]
    return x.scatter(1, column, value)


def top_label(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """The most probable class of each row, and whether it is the label: 1 or 0."""
    top = logits.argmax(1)
    right = top == labels
    return top, right.to(logits.dtype)


def _captured(logits: Tensor) -> bool:
    """Whether a CUDA graph records what is done."""
    return logits.is_cuda and torch.cuda.is_current_stream_capturing()
