"""Calibration errors of a stream of batches, for torchmetrics, in constant memory.

A claim is held as a whole number of parts of 2^-62. Whole numbers add up to the same in any order,
so that neither batches nor processes change a bit of the error, and 10^8 claims are as exact as
ten.
"""

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import torch
from torch import Tensor

from ..fitting.types import Array
from ..inputs.checks import check_argument, check_count
from ..inputs.predictions import Kind
from ..inputs.views import View
from ..measures.smooth_ece import smece
from .checks import streamed

try:
    from torchmetrics import Metric
except ImportError as error:
    raise ImportError(
        'calibrant.torch.metrics needs torchmetrics: pip install "calibrant[torch]"'
    ) from error

from .summary import Summary, gathered

__all__ = ["CalibrationError", "Measure", "Summary", "gathered"]

Measure = Literal["ece", "classwise", "ks", "smece"]

# A claim is two words of 31 bits, whose sums fit in int64 below 2^32 rows.
_BITS = 31
_MOST_ROWS = 2**32
_CELLS = 2**16


class CalibrationError(Metric):
    """The calibration error of all rows seen.

    It is what `ece`, `classwise_ece`, `ks_error` and `smece` give. Rows are (n, k) and labels, or
    (n,): an event's chances, or log odds, and whether it happened. "ece" and "classwise", which
    needs `n_classes`, are exact. "ks" and "smece" see claims in 2^16 cells, of width 3e-5 at one
    half and 5e-10 at the ends. Rows of one cell raise the sum behind "ks" by 1 - p or lower it by
    p: the exact value lies above by no more, over n, than the lesser of all rises and all falls in
    one cell.

    >>> metric = CalibrationError(input="probs")
    >>> metric.update(torch.tensor([0.8] * 10), torch.tensor([1] * 6 + [0] * 4))
    >>> round(metric.compute().item(), 3)
    0.2
    """

    is_differentiable = False
    higher_is_better = False
    full_state_update = False
    plot_lower_bound = 0.0
    plot_upper_bound = 1.0
    sums: Tensor

    def __init__(
        self,
        measure: Measure = "ece",
        *,
        input: Kind,
        n_bins: int = 15,
        n_classes: int | None = None,
        **settings: Any,  # noqa: ANN401 - those of every torchmetrics.Metric
    ) -> None:
        super().__init__(**settings)
        check_argument("measure", measure, Measure)
        check_argument("input", input, Kind)
        _check_sizes(measure, n_bins, n_classes)
        self.measure = measure
        self.input = input
        self.n_bins = n_bins
        self.n_classes = n_classes
        none_yet = torch.zeros(4, self._n_cells, dtype=torch.int64)
        self.add_state("sums", none_yet, dist_reduce_fx="sum")

    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch: of none, some or all rows of an epoch."""
        values, labels = streamed(
            preds.detach(),
            target.detach(),
            self.input,
            self.n_classes,
        )
        p, y = self._asked(values, labels)
        cells = self._cells(p)
        words = p * 2**_BITS
        high = words.floor()
        rest = words - high
        low = (rest * 2**_BITS).round()
        parts = (torch.ones_like(cells), y, high, low)
        device = self.sums.device
        at = cells.flatten().to(device)
        for sums, part in zip(self.sums, parts, strict=True):
            whole = part.flatten().long()
            sums.index_add_(0, at, whole.to(device))

    def compute(self) -> Tensor:
        """The error so far, of all processes together; no rows have none."""
        error = _ERRORS[self.measure](self._tally())
        return torch.tensor(error, dtype=torch.float64, device=self.sums.device)

    def set_dtype(self, dst_type: str | torch.dtype) -> Self:  # noqa: ARG002 - torchmetrics' own signature
        """Nothing: sums are whole numbers, and errors float64, whatever the type of a network."""
        return self

    @property
    def _is_binned(self) -> bool:
        return self.measure in ("ece", "classwise")

    @property
    def _n_cells(self) -> int:
        """How many cells there are, or bins of all classes."""
        if not self._is_binned:
            return _CELLS
        return self.n_bins * (self.n_classes or 1)

    def _asked(self, values: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Claims in float64, and whether what they claim happened.

        They are claims of an event, of each class or of the top label.
        """
        p = _chances(values) if self.input == "logits" else values
        if p.ndim == 1:
            return p, labels
        if self.n_classes is not None:
            classes = torch.arange(self.n_classes, device=labels.device)
            return p, labels[:, None] == classes
        # Of values, as chances of distinct logits may be equal.
        top = values.argmax(1)
        confidence = p.gather(1, top[:, None])[:, 0]
        return confidence, top == labels

    def _cells(self, p: Tensor) -> Tensor:
        """The cell or bin of each claim; classes have bins of their own."""
        if not self._is_binned:
            return _fine_cells(p)
        bins = _bins(p, self.n_bins)
        if p.ndim == 1:
            return bins
        classes = torch.arange(p.shape[1], device=p.device)
        return bins + self.n_bins * classes

    def _tally(self) -> "_Tally":
        rows, events, high, low = self.sums.cpu().numpy()
        total = int(rows.sum())
        if not total:
            raise ValueError("there is no error of no rows: update(preds, target) before compute()")
        if rows.max() >= _MOST_ROWS:
            rule = "a bin or cell holds fewer than 2^32 rows"
            raise ValueError(f"{rule}, got {rows.max()}: reset() more often")
        # Whole numbers as far as they go: a bin's gap is far smaller than the sums that it is the
        # difference of.
        coarse = (events << _BITS) - high
        fine = low / 2 ** (2 * _BITS)
        gap = coarse / 2**_BITS - fine
        return _Tally(rows, events, gap, total)


class _Tally(NamedTuple):
    """Of each cell: how many rows, how many events, and events less claims."""

    rows: Array
    events: Array
    gap: Array
    total: int


def _binned_error(tally: _Tally) -> float:
    gaps = np.abs(tally.gap)
    return math.fsum(gaps) / tally.total


def _ks_error(tally: _Tally) -> float:
    drift = np.abs(np.cumsum(tally.gap))
    return float(drift.max()) / tally.total


def _smece(tally: _Tally) -> float:
    filled = tally.rows > 0
    rows = tally.rows[filled]
    events = tally.events[filled]
    gap = tally.gap[filled]
    p = np.clip((events - gap) / rows, 0, 1)
    y = np.repeat([True, False], len(p))
    w = np.append(events, rows - events).astype(np.float64)
    return smece(View(np.tile(p, 2), y, w))


_ERRORS: dict[Measure, Callable[[_Tally], float]] = {
    "ece": _binned_error,
    "classwise": _binned_error,
    "ks": _ks_error,
    "smece": _smece,
}


def _chances(logits: Tensor) -> Tensor:
    if logits.ndim == 1:
        return logits.sigmoid()
    return logits.softmax(1)


def _bins(p: Tensor, n_bins: int) -> Tensor:
    """Bins of equal width; a claim on an edge falls below it."""
    edges = np.linspace(0, 1, n_bins + 1)
    inner = torch.from_numpy(edges[1:-1])
    return torch.bucketize(p, inner.to(p.device))


def _fine_cells(p: Tensor) -> Tensor:
    """Cells narrow towards 0 and 1.

    Roots are rounded alike on every device, so that a claim has one cell.
    """
    low = (p / 2).sqrt()
    high = 1 - ((1 - p) / 2).sqrt()
    place = torch.where(p <= 0.5, low, high) * _CELLS
    return place.long().clamp(max=_CELLS - 1)


def _check_sizes(measure: Measure, n_bins: int, n_classes: int | None) -> None:
    check_argument("n_bins", n_bins, int)
    check_count("n_bins", n_bins)
    if (n_classes is None) == (measure == "classwise"):
        rule = 'n_classes must be told to "classwise", and to no other'
        raise ValueError(f"{rule}; got {n_classes!r} for {measure}")
    if n_classes is not None and n_classes < 2:
        raise ValueError(f"n_classes must be at least 2, got {n_classes}")
