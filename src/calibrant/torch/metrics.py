"""Calibration errors of a stream of batches, for torchmetrics: constant memory, and sums that are whole numbers.

A claim is held as a whole number of parts of 2^-62. Whole numbers add up to the same in any order, so that neither
batches nor processes change a bit of the error, and 10^8 claims are as exact as ten.
"""

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import torch
from torch import Tensor

from ..fitting.types import Array
from ..inputs.checks import check_argument
from ..inputs.predictions import SUM_TOLERANCE, Kind
from ..inputs.views import View
from ..measures.smooth_ece import smece

try:
    from torchmetrics import Metric
except ImportError as error:
    raise ImportError(
        'calibrant.torch.metrics needs torchmetrics: pip install "calibrant[torch]"'
    ) from error

Measure = Literal["ece", "classwise", "ks", "smece"]

# A claim is two words of 31 bits, whose sums fit in int64 below 2^32 rows.
_BITS = 31
_MOST_ROWS = 2**32
_CELLS = 2**16


class CalibrationError(Metric):
    """The calibration error of all rows seen: what `ece`, `classwise_ece`, `ks_error` and `smece` give.

    Rows are (n, k) and labels, or (n,): an event's chances, or log odds, and whether it happened. "ece" and
    "classwise", which needs `n_classes`, are exact. "ks" and "smece" see claims in 2^16 cells, of width 3e-5 at one
    half and 5e-10 at the ends. Rows of one cell raise the sum behind "ks" by 1 - p or lower it by p: the exact value
    lies above by no more, over n, than the lesser of all rises and all falls in one cell.

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
        check_argument("n_bins", n_bins, int)
        if n_bins < 1:
            raise ValueError(f"n_bins must be at least 1, got {n_bins}")
        if (n_classes is None) == (measure == "classwise"):
            raise ValueError(
                f'n_classes must be told to "classwise", and to no other; got {n_classes!r} for {measure}'
            )
        if n_classes is not None and n_classes < 2:
            raise ValueError(f"n_classes must be at least 2, got {n_classes}")
        self.measure, self.input, self.n_bins, self.n_classes = measure, input, n_bins, n_classes
        n_cells = _CELLS if measure in ("ks", "smece") else n_bins * (n_classes or 1)
        self.add_state("sums", torch.zeros(4, n_cells, dtype=torch.int64), dist_reduce_fx="sum")

    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch: of none, some or all rows of an epoch."""
        p, y = self._asked(*_checked(preds.detach(), target.detach(), self.input, self.n_classes))
        cell = _cells(p) if self.measure in ("ks", "smece") else _bins(p, self.n_bins)
        if p.ndim == 2:
            cell = cell + self.n_bins * torch.arange(p.shape[1], device=p.device)
        words = p * 2**_BITS
        high = words.floor()
        low = ((words - high) * 2**_BITS).round()
        at = cell.flatten().to(self.sums.device)
        for sums, part in zip(self.sums, (torch.ones_like(cell), y, high, low), strict=True):
            sums.index_add_(0, at, part.flatten().long().to(at.device))

    def compute(self) -> Tensor:
        """The error so far, of all processes together; no rows have none."""
        return torch.tensor(
            _ERRORS[self.measure](self._tally()), dtype=torch.float64, device=self.sums.device
        )

    def set_dtype(self, dst_type: str | torch.dtype) -> Self:  # noqa: ARG002 - torchmetrics' own signature
        """Nothing: sums are whole numbers, and errors float64, whatever the type of a network."""
        return self

    def _asked(self, values: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Claims in float64, and whether what they claim happened: of an event, of each class or of the top label."""
        logits = self.input == "logits"
        if values.ndim == 1:
            return (values.sigmoid() if logits else values), labels
        if self.n_classes is not None:
            y = labels[:, None] == torch.arange(self.n_classes, device=labels.device)
            return (values.softmax(1) if logits else values), y
        top = values.argmax(1, keepdim=True)
        return (values.softmax(1) if logits else values).gather(1, top)[:, 0], top[:, 0] == labels

    def _tally(self) -> "_Tally":
        rows, events, high, low = self.sums.cpu().numpy()
        total = int(rows.sum())
        if not total:
            raise ValueError("there is no error of no rows: update(preds, target) before compute()")
        if rows.max() >= _MOST_ROWS:
            raise ValueError(
                f"a bin or cell holds fewer than 2^32 rows, got {rows.max()}: reset() more often"
            )
        # Whole numbers as far as they go: a bin's gap is far smaller than the sums that it is the difference of.
        gap = ((events << _BITS) - high) / 2**_BITS - low / 2 ** (2 * _BITS)
        return _Tally(rows, events, gap, total)


class _Tally(NamedTuple):
    """Of each cell: how many rows, how many events, and events less claims."""

    rows: Array
    events: Array
    gap: Array
    total: int


def _binned_error(tally: _Tally) -> float:
    return math.fsum(np.abs(tally.gap)) / tally.total


def _ks_error(tally: _Tally) -> float:
    return float(np.abs(np.cumsum(tally.gap)).max()) / tally.total


def _smece(tally: _Tally) -> float:
    rows, events, gap = (part[tally.rows > 0] for part in tally[:3])
    p = np.clip((events - gap) / rows, 0, 1)
    y = np.repeat([True, False], len(p))
    return smece(View(np.tile(p, 2), y, np.append(events, rows - events).astype(np.float64)))


_ERRORS: dict[Measure, Callable[[_Tally], float]] = {
    "ece": _binned_error,
    "classwise": _binned_error,
    "ks": _ks_error,
    "smece": _smece,
}


def _bins(p: Tensor, n_bins: int) -> Tensor:
    """Bins of equal width; a claim on an edge falls below it."""
    return torch.bucketize(p, torch.from_numpy(np.linspace(0, 1, n_bins + 1)[1:-1]).to(p.device))


def _cells(p: Tensor) -> Tensor:
    """Cells narrow towards 0 and 1; roots are rounded alike on every device, so that a claim has one cell."""
    low = (p / 2).sqrt()
    high = 1 - ((1 - p) / 2).sqrt()
    return (torch.where(p <= 0.5, low, high) * _CELLS).long().clamp(max=_CELLS - 1)


def _checked(preds: Tensor, target: Tensor, kind: Kind, k: int | None) -> tuple[Tensor, Tensor]:
    """Values in float64 and labels, or an error that names the rows at fault."""
    if (
        preds.ndim not in (1, 2)
        or (preds.ndim == 2 and preds.shape[1] < 2)
        or not preds.is_floating_point()
    ):
        raise ValueError(
            f"preds must be floats of shape (rows, classes) with at least two classes, or (rows,) for one event; got "
            f"{preds.dtype} of shape {tuple(preds.shape)}"
        )
    if k is not None and preds.shape[1:] != (k,):
        raise ValueError(
            f"preds must have {k} columns, one a class, got shape {tuple(preds.shape)}"
        )
    if target.shape != preds.shape[:1]:
        hint = "; for one-hot rows give target.argmax(1)" if target.ndim == 2 else ""
        raise ValueError(
            f"target must be one label a row, {len(preds)} of them, got shape {tuple(target.shape)}{hint}"
        )
    values = preds.double().contiguous()
    rows = values if values.ndim == 2 else values[:, None]
    _refuse(~rows.isfinite().all(1), preds, f"{kind} must be finite")
    if kind == "probs":
        rounding = 4 * torch.finfo(preds.dtype).eps
        wrong = (
            (rows < -rounding) | (rows > 1 + max(rounding, SUM_TOLERANCE * (preds.ndim - 1)))
        ).any(1)
        _refuse(wrong, preds, 'probs must lie in [0, 1]; for logits say input="logits"')
        if preds.ndim == 2:
            wrong = (rows.sum(1) - 1).abs() > max(rounding, SUM_TOLERANCE)
            _refuse(wrong, preds, 'probs must sum to one; for logits say input="logits"')
        values = values.clamp(0, 1)
    classes = preds.shape[1] if preds.ndim == 2 else 2
    labels = target.to(preds.device)
    rule = (
        f"target must lie in 0..{classes - 1}"
        if preds.ndim == 2
        else "target must be 0 or 1, whether it happened"
    )
    _refuse(~((labels >= 0) & (labels < classes) & (labels == labels.long())), target, rule)
    return values, labels.long()


def _refuse(wrong: Tensor, given: Tensor, rule: str) -> None:
    if wrong.any():
        rows = wrong.nonzero()[:, 0].tolist()
        some = ", ".join(f"row {row} is {given[row].tolist()}" for row in rows[:3])
        raise ValueError(
            f"{rule} ({some[:200]}{f', {len(rows)} rows in all' if len(rows) > 3 else ''})"
        )
