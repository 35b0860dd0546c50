"""What rules hold and look up: numbers that keep their type, steps, and lines between points."""

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from ...fitting.logspace import TINY
from ...fitting.types import Array

Rows = Sequence[Array]


class Fixed(nn.Module):
    """Numbers as buffers; they stay in float64 when the network around them is cast to another type."""

    def __init__(self, **numbers: ArrayLike) -> None:
        super().__init__()
        for name, x in numbers.items():
            self.register_buffer(name, torch.from_numpy(np.array(x, np.float64, order="C")))

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:  # noqa: FBT001, FBT002 - torch's
        numbers = dict(self.named_buffers(recurse=False))
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        for name, x in numbers.items():
            found = self.get_buffer(name)
            if found.dtype != x.dtype:
                setattr(self, name, x.to(found.device))
        return self


class Places(Fixed):
    """On which step x is, a row of edges for each column: steps begin on their edge or, if `above`, just above it.

    So also for an x that rounding has moved off the edge, by up to `slack` in log odds.
    """

    edges: Tensor

    def __init__(self, edges: Rows, *, above: bool = False, slack: float | Array = 0.0) -> None:
        nudges = np.broadcast_to(slack if above else -np.asarray(slack), len(edges))
        moved = [
            x + nudge * np.where(x < np.inf, x * (1 - x), 0)
            for x, nudge in zip(edges, nudges, strict=True)
        ]
        super().__init__(edges=padded(moved, max(map(len, moved)), np.inf))
        self.above = above

    def forward(self, x: Tensor) -> Tensor:
        """Places in tables of one row a column, (columns, n)."""
        return torch.searchsorted(self.edges, x.T.contiguous(), right=not self.above)


class Steps(Fixed):
    """What a row of the table holds for the step that x is on, column by column."""

    table: Tensor

    def __init__(
        self, edges: Rows, table: Rows, *, above: bool = False, slack: float | Array = 0.0
    ) -> None:
        places = Places(edges, above=above, slack=slack)
        super().__init__(table=padded(table, places.edges.shape[1] + 1, 0))
        self.places = places

    def forward(self, x: Tensor) -> Tensor:
        """The height of the step; of no number, no number."""
        return torch.where(x.isnan(), x, self.table.gather(1, self.places(x)).T)


class Line(Fixed):
    """What np.interp gives, a row of points and of heights for each column."""

    start: Tensor
    height: Tensor
    slope: Tensor

    def __init__(self, points: Rows, heights: Rows) -> None:
        # Points so near that the slope between them overflows have no claim between them.
        with np.errstate(over="ignore"):
            steep = [
                np.diff(height) / np.diff(point)
                for point, height in zip(points, heights, strict=True)
            ]
        places = Places(points)
        width = places.edges.shape[1] + 1
        super().__init__(
            start=padded([np.append(x[0], x) for x in points], width, 0),
            height=padded([np.append(x[0], x) for x in heights], width, 0),
            slope=padded(
                [np.concatenate([[0], np.where(np.isfinite(x), x, 0), [0]]) for x in steep],
                width,
                0,
            ),
        )
        self.places = places

    def forward(self, x: Tensor) -> Tensor:
        """The height of the line."""
        at = self.places(x)
        start, height, slope = (
            table.gather(1, at).T for table in (self.start, self.height, self.slope)
        )
        return height + slope * (x - start)


def padded(rows: Rows, width: int, fill: float) -> Array:
    """Rows of several lengths as one table."""
    table = np.full((len(rows), width), fill, np.float64)
    for row, entries in zip(table, rows, strict=True):
        row[: len(entries)] = entries
    return table


def floored_log(p: Tensor) -> Tensor:
    """Logarithm with exact zeros read as float32's smallest number."""
    return p.clamp(min=TINY).log()
