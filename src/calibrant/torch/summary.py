"""Sketches of batches, added up over the ranks of torch.distributed."""

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any

import torch.distributed as dist
from torch import Tensor
from torchmetrics import Metric

from ..inputs.checks import check_argument
from ..inputs.predictions import Kind, from_logits, from_probs
from ..scale import Sketch
from ..scale.asking import Question


class Summary(Metric):
    """A `calibrant.scale.Sketch` of all rows seen, on any number of ranks.

    `compute` gives the same sketch on every rank: of it every measure, family and report can be
    asked. `views`, `sample` and `seed` are those of `Sketch`.

    >>> import torch
    >>> summary = Summary(input="probs")
    >>> summary.update(torch.tensor([[0.7, 0.3], [0.2, 0.8]]), torch.tensor([0, 1]))
    >>> summary.compute()
    Sketch(2 rows of 2 classes, from probs)
    """

    is_differentiable = False
    higher_is_better = None
    full_state_update = False

    def __init__(
        self,
        *,
        input: Kind,
        views: Sequence[Question] = ("top_label", "classwise"),
        sample: int = 10_000,
        seed: int = 0,
        **settings: Any,  # noqa: ANN401 - those of every torchmetrics.Metric
    ) -> None:
        super().__init__(**settings)
        check_argument("input", input, Kind)
        self._empty = partial(Sketch, views=tuple(views), sample=sample, seed=seed)
        self._make = from_logits if input == "logits" else from_probs
        self.sketch = self._empty()

    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch: (n, k) and labels, or (n,) of class 1."""
        if len(preds):
            self.sketch.update(self._make(preds.detach().cpu(), target.detach().cpu()))

    def compute(self) -> Sketch:
        """The sketch of all ranks."""
        return gathered(self.sketch)

    def reset(self) -> None:
        """Forget all rows."""
        super().reset()
        self.sketch = self._empty()


def gathered(sketch: Sketch) -> Sketch:
    """The sum of the sketches of all ranks, the same on each; alone it is its own."""
    if not dist.is_available() or not dist.is_initialized():
        return sketch
    found: list[bytes] = [b""] * dist.get_world_size()
    dist.all_gather_object(found, sketch.to_bytes())
    return reduce(Sketch.merge, [Sketch.from_bytes(each) for each in found])
