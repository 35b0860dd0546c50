"""Dask data frames: a sum a partition, added up as a tree where they lie."""

from dataclasses import dataclass
from functools import partial
from typing import Any, final

from .parts import Piece, Reader, Rows, Sum, Task, Value, itself, total

_BRANCHES = 8  # sums that are added up at once


@final
@dataclass(frozen=True)
class DaskRows(Rows):
    """Rows of a Dask data frame; what a lost worker had is worked out again by Dask."""

    frame: Any

    @property
    def words(self) -> str:
        """Where the rows lie."""
        return f"a Dask data frame of {self.frame.npartitions:,} partitions"

    def summed(self, task: Task[Value]) -> Sum[Value]:
        """What a task makes of all partitions, on the cluster of the client that is active."""
        from dask import compute, delayed

        wanted = self.reader.columns or self.frame.columns
        present = self.frame[[name for name in self.frame.columns if name in wanted]]
        part_of = delayed(_part, pure=False)
        sums = [
            part_of(self.reader, task, place, table)
            for place, table in enumerate(present.to_delayed())
        ]
        added = delayed(total, pure=False)
        while len(sums) > 1:
            branches = range(0, len(sums), _BRANCHES)
            sums = [added(task, sums[first : first + _BRANCHES]) for first in branches]
        (found,) = compute(sums[0])
        return found


def _part(reader: Reader, task: Task[Value], place: int, table: object) -> Sum[Value]:
    piece = Piece(f"part-{place:05d}", f"partition {place}", partial(itself, table))
    return reader.put(task, Sum(task.empty()), piece)
