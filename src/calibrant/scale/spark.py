"""Spark data frames: a sum a partition by `mapInArrow`, added up in two steps."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, final

from .parts import Piece, Reader, Rows, Sum, Task, Value, itself, total

_BRANCHES = 16  # sums that workers add up from those of partitions
_MOST_BYTES = 1 << 27  # of the batches that are read at once
_RESULT = "found binary"

Batches = Iterator[Any]  # of Arrow


@final
@dataclass(frozen=True)
class SparkRows(Rows):
    """Rows of a Spark data frame."""

    frame: Any

    @property
    def words(self) -> str:
        """Where the rows lie."""
        return "a Spark data frame"

    def summed(self, task: Task[Value]) -> Sum[Value]:
        """What a task makes of all partitions, on the cluster of the frame's session."""
        wanted = self.reader.columns or self.frame.columns
        frame = self.frame.select(*[name for name in self.frame.columns if name in wanted])
        sums = frame.mapInArrow(_of_partition(self.reader, task), _RESULT)
        added = sums.repartition(_BRANCHES).mapInArrow(_of_sums(task), _RESULT)
        return total(task, [pickle.loads(row.found) for row in added.collect()])


def _of_partition(reader: Reader, task: Task[Value]) -> Callable[[Batches], Batches]:
    """What a task makes of the batches of a partition."""

    def found(batches: Batches) -> Batches:
        from pyspark import TaskContext

        context = TaskContext.get()
        number = 0 if context is None else context.partitionId()
        so_far = Sum(task.empty())
        for place, table in enumerate(_tables(batches)):
            name = f"part-{number:05d}-{place:05d}"
            piece = Piece(name, f"partition {number}", partial(itself, table))
            so_far = reader.put(task, so_far, piece)
        yield _packed(so_far)

    return found


def _of_sums(task: Task[Value]) -> Callable[[Batches], Batches]:
    """Sums of several partitions, added up."""

    def found(batches: Batches) -> Batches:
        sums = [pickle.loads(each.as_py()) for batch in batches for each in batch.column(0)]
        if sums:
            yield _packed(total(task, sums))

    return found


def _tables(batches: Iterable[Any]) -> Iterator[Any]:
    """Batches as tables of some size: of each a sum costs as much as many rows."""
    import pyarrow as pa

    waiting: list[Any] = []
    size = 0
    for batch in batches:
        waiting.append(batch)
        size += batch.nbytes
        if size >= _MOST_BYTES:
            yield pa.Table.from_batches(waiting)
            waiting, size = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _packed(found: Sum[Value]) -> Any:  # noqa: ANN401 - a batch of Arrow
    import pyarrow as pa

    return pa.record_batch({"found": pa.array([pickle.dumps(found)], pa.binary())})
