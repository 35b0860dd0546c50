"""Formulas on tensors: chances have a column for each rule, whose tables have a row for each column."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from ..families.operations import Claims, Side, Value
from ..families.rounding import beyond_rounding


class TorchOperations:
    """What rules need, in float64; rounding may have moved claims by `slack` in log odds."""

    exp = staticmethod(torch.exp)
    log = staticmethod(torch.log)
    expit = staticmethod(torch.sigmoid)
    log_expit = staticmethod(logsigmoid)

    def __init__(self, slack: float, dtype: torch.dtype) -> None:
        self.slack = slack
        self.gap = 4 * torch.finfo(dtype).eps

    def minimum(self, x: Tensor, y: Tensor | float) -> Tensor:
        return x.clamp(max=y)

    def maximum(self, x: Tensor, y: Tensor | float) -> Tensor:
        return x.clamp(min=y)

    def clip(self, x: Tensor, low: Tensor | float, high: Tensor | float) -> Tensor:
        return self.maximum(self.minimum(x, high), low)

    def where(self, condition: Tensor, yes: Value, no: Value) -> Tensor:
        return torch.where(condition, yes, no)

    def step(
        self,
        x: Tensor,
        edges: Value,
        heights: Value,
        *,
        side: Side,
        gain: Value | None = None,
    ) -> Tensor:
        x = beyond_rounding(x, self.slack, gain, side)
        place = _place(edges, x, side)
        height = heights.gather(1, place).T
        return torch.where(x.isnan(), x, height)

    def line(self, x: Tensor, points: Value, heights: Value) -> Tensor:
        points = _table(points)
        heights = _table(heights)
        # Between points so near that the slope overflows no claim lies.
        slopes = (heights.diff() / points.diff()).nan_to_num(0, 0, 0)
        level = torch.zeros_like(points[:, :1])
        starts = torch.cat([points[:, :1], points], 1)
        levels = torch.cat([heights[:, :1], heights], 1)
        place = _place(points, x, "right")
        start = starts.gather(1, place).T
        height = levels.gather(1, place).T
        slope = torch.cat([level, slopes, level], 1).gather(1, place).T
        return height + slope * (x - start)

    def kernel_mean(
        self,
        terms: Sequence[tuple[Value, Value]],
        height: Value,
        events: Value,
        weights: Value,
    ) -> Tensor:
        products = [x[:, :, None] * table for x, table in terms]
        logs = sum(products[1:], products[0]) + height
        highest = logs.amax(2, keepdim=True)
        kernels = (logs - highest).exp()
        of_events = (kernels * events).sum(2)
        return of_events / (kernels * weights).sum(2)

    def columns(self, stacked: Any, claims: Claims) -> Tensor:  # noqa: ANN401 - several rules as one
        q: Tensor = stacked.formula(claims, self)
        return q.clamp(0, 1)

    def softmax(self, z: Tensor) -> Tensor:
        return z.softmax(1)

    def log_softmax(self, z: Tensor) -> Tensor:
        return z.log_softmax(1)

    def row_sum(self, x: Tensor) -> Tensor:
        return x.sum(1, keepdim=True)

    def row_max(self, x: Tensor) -> Tensor:
        return x.amax(1, keepdim=True)

    def row_min(self, x: Tensor) -> Tensor:
        return x.amin(1, keepdim=True)

    def matmul(self, x: Tensor, matrix: Value) -> Tensor:
        return x @ matrix.T

    def part(self, x: Tensor, start: int, stop: int) -> Tensor:
        return x[:, start:stop]

    def join(self, *columns: Tensor) -> Tensor:
        return torch.cat(columns, 1)

    def places(self, x: Tensor, size: int) -> Tensor:
        return torch.arange(size, dtype=x.dtype, device=x.device)

    def descending(self, x: Tensor) -> Tensor:
        return x.sort(dim=1, descending=True, stable=True).indices

    def gather(self, x: Tensor, order: Tensor) -> Tensor:
        return x.gather(1, order)

    def scatter(self, x: Tensor, order: Tensor) -> Tensor:
        return torch.zeros_like(x).scatter(1, order, x)

    def sums_from_left(self, x: Tensor) -> Tensor:
        return x.cumsum(1)

    def log_sums_from_right(self, x: Tensor) -> Tensor:
        return x.flip(1).logcumsumexp(1).flip(1)

    def is_first_largest(self, x: Tensor) -> Tensor:
        return self.places(x, x.shape[1]) == x.argmax(1, keepdim=True)


def _table(x: Tensor) -> Tensor:
    return x if x.ndim == 2 else x[None]


def _place(edges: Tensor, x: Tensor, side: Side) -> Tensor:
    """How many edges lie below x, column by column, (columns, n)."""
    return torch.searchsorted(edges.contiguous(), x.T.contiguous(), right=side == "right")
