"""Parquet files of any size on one machine: row groups, a thread a core, in bounded memory."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import final

import polars as pl

from ..fitting.blocks import CORES, blocks_of, on_all_cores
from ..inputs.paths import files_at
from ..inputs.unpacking import check_unpacked, unpacking
from ..progress import row_progress
from .footers import RowGroup, row_groups
from .parts import Piece, Reader, Rows, Sum, Task, Value, total
from .skipped import Skipped

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]

# A row group of more, once uncompressed, is read in slices: memory does not grow with it.
MOST_BYTES = 1 << 28
_CELL_BYTES = 8


@final
@dataclass(frozen=True)
class ParquetRows(Rows):
    """Rows of Parquet files, which are read as often as they are asked for."""

    paths: tuple[Path, ...]
    max_gb: float = 1.0

    @property
    def words(self) -> str:
        """Where the rows lie."""
        return _listed(self.paths)

    @property
    def identity(self) -> str:
        """Their names, sizes and times."""
        states = [(path, path.stat()) for path in self.paths]
        return str([(path.name, state.st_size, state.st_mtime_ns) for path, state in states])

    def summed(self, task: Task[Value]) -> Sum[Value]:
        """What a task makes of all row groups: each thread has a sum of its own."""
        waiting, skipped = self._pieces()
        rows = sum(rows for _, rows in waiting)
        with row_progress("reading", rows) as advance:

            def work(_: int) -> Sum[Value]:
                so_far = Sum(task.empty())
                try:
                    for piece, size in _taken(waiting):
                        so_far = self.reader.put(task, so_far, piece)
                        if so_far.skipped.parts and not self.skip_bad:
                            waiting.clear()
                        advance(size)
                except BaseException:
                    waiting.clear()  # or an interrupt would wait for all that is left
                    raise
                return so_far

            sums = on_all_cores(work, range(CORES))
        return total(task, [Sum(task.empty(), 0, skipped), *sums])

    def _pieces(self) -> tuple[deque[tuple[Piece, int]], Skipped]:
        """Every slice that is read at once, with its rows; and files whose footer is no good."""
        pieces: deque[tuple[Piece, int]] = deque()
        skipped = Skipped()
        names = _names(self.paths)
        for path in self.paths:
            try:
                for group in self._groups(path):
                    pieces.extend(_slices(path, names[path], group, self.reader))
            except ValueError as error:
                skipped += Skipped.part(str(error), 0)
        return pieces, skipped

    def _groups(self, path: Path) -> list[RowGroup]:
        """The row groups of a file; a column of one value counts as much as any other."""
        groups = row_groups(path)
        columns = len(self.reader.columns or pl.read_parquet_schema(path))
        sized = [_sized(group, columns) for group in groups]
        size = sum(group.bytes for group in sized)
        packed = path.stat().st_size
        with unpacking(self.max_gb):
            try:
                check_unpacked(size, packed)
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from error
        return sized


def _sized(group: RowGroup, columns: int) -> RowGroup:
    unpacked = _CELL_BYTES * group.rows * columns
    return group._replace(bytes=max(group.bytes, unpacked))


def paths_of(paths: Paths) -> tuple[Path, ...]:
    """The files of a path, a folder, a pattern, or several of these."""
    if isinstance(paths, str | PathLike):
        paths = [paths]
    found = [each for path in paths for each in _files(Path(path))]
    if not found:
        raise ValueError("there are no files to read: name at least one")
    return tuple(dict.fromkeys(found))


def columns_at(paths: Sequence[Path]) -> list[str]:
    """The names of the columns, by the first file that has them."""
    reason = ""
    for path in paths:
        try:
            return list(pl.read_parquet_schema(path))
        except (pl.exceptions.PolarsError, OSError) as error:
            reason = reason or f"{path}: {str(error).splitlines()[0]}"
    raise ValueError(f"{reason}; no file can be read")


def _files(path: Path) -> list[Path]:
    try:
        found = files_at(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    others = [each for each in found if each.suffix.lower() != ".parquet"]
    if others:
        raise ValueError(f"{others[0]}: only .parquet files are streamed; write it as one")
    return found


def _taken(waiting: deque[tuple[Piece, int]]) -> Iterator[tuple[Piece, int]]:
    while waiting:
        try:
            yield waiting.popleft()
        except IndexError:  # another thread took the last one
            return


def _slices(path: Path, name: str, group: RowGroup, reader: Reader) -> Iterator[tuple[Piece, int]]:
    count = max(1, -(-group.bytes // MOST_BYTES))
    size = max(1, -(-group.rows // count))
    for rows in blocks_of(group.rows, size):
        first = group.first + rows.start
        height = rows.stop - rows.start
        where = f"{path}, row group {group.number}"
        if count > 1:
            where += f", from row {rows.start} of it on"
        named = f"{name}-{group.number:05d}-{rows.start:09d}"
        yield Piece(named, where, _read(path, reader.columns, first, height)), height


def _read(
    path: Path, columns: Sequence[str] | None, first: int, rows: int
) -> Callable[[], pl.DataFrame]:
    return partial(_slice, path, columns, first, rows)


def _slice(path: Path, columns: Sequence[str] | None, first: int, rows: int) -> pl.DataFrame:
    scan = pl.scan_parquet(path)
    names = scan.collect_schema().names()
    # A column that is lacking is named by who looks for it.
    wanted = names if columns is None else [name for name in columns if name in names]
    return scan.slice(first, rows).select(wanted).collect()


def _names(paths: Sequence[Path]) -> dict[Path, str]:
    """A name for each file that no other has: its own, numbered where folders share it."""
    stems = [path.stem for path in paths]
    if len(set(stems)) == len(stems):
        return dict(zip(paths, stems, strict=True))
    return {path: f"{place:05d}-{path.stem}" for place, path in enumerate(paths)}


def _listed(paths: Sequence[Path]) -> str:
    first = str(paths[0])
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1:,} more"
