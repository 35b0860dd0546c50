"""A path, or standard input, as columns by name; nothing of it is executed."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..fitting.types import Bools, Values
from ..progress import progress
from .arrays import archive, beside, files_of_arrays, named_files, with_split
from .column_names import ColumnNames
from .columns import Columns
from .paths import (
    GZIP_SIGNATURE,
    LOG,
    STANDARD_INPUT,
    TABLES,
    content,
    files_at,
    signature_suffix,
    standard_input,
    suffix_of,
)
from .splits import Pick
from .unpacking import decompressed

if TYPE_CHECKING:
    import polars as pl


class Opened(NamedTuple):
    """The columns of a file, the table they are of if it is one, and the names wanted of them."""

    columns: Columns
    table: "pl.DataFrame | None"
    wanted: ColumnNames


def open_path(path: Path, wanted: ColumnNames, pick: Pick) -> Opened:
    """The columns of the files at a path, of the split that is picked."""
    if path == STANDARD_INPUT:
        return _open_standard_input(wanted, pick)
    paths = files_at(path)
    suffix = _only_suffix(paths)
    if suffix in (*TABLES, LOG):
        return _open_table(paths, suffix, wanted, pick)
    if suffix == ".npz":
        columns = archive(content(_only_archive(paths)))
        return Opened(with_split(columns, pick), None, wanted)
    if paths == [path]:
        return _open_array(path, wanted, pick)
    columns = with_split(files_of_arrays(paths), pick)
    columns |= named_files(wanted, paths[0].parent)
    return Opened(columns, None, wanted)


def without_rows(opened: Opened, left_out: Bools) -> Opened:
    """The same without some rows, in the table or in every array that has as many."""
    from .table_columns import columns_of

    if opened.table is not None:
        frame = opened.table.filter(~left_out)
        return opened._replace(columns=columns_of(frame), table=frame)
    columns = {
        name: load if name == "classes" else partial(_kept, load, ~left_out)
        for name, load in opened.columns.items()
    }
    return opened._replace(columns=columns)


def _kept(load: Callable[[], Values], kept: Bools) -> Values:
    array = load()
    has_rows = array.ndim > 0 and len(array) == len(kept)
    return array[kept] if has_rows else array


def _open_standard_input(wanted: ColumnNames, pick: Pick) -> Opened:
    """What came in, in the format that its first bytes tell."""
    from .tables import table

    found = standard_input()
    if found.startswith(GZIP_SIGNATURE):
        found = decompressed(found)
    suffix = signature_suffix(found)
    if suffix == ".npz":
        return Opened(with_split(archive(found), pick), None, wanted)
    return opened_table(table(found, suffix), wanted, pick)


def _open_array(path: Path, wanted: ColumnNames, pick: Pick) -> Opened:
    pick([])  # the name of one file settles which split it is of
    columns, wanted = beside(path, wanted)
    columns |= named_files(wanted, path.parent)
    return Opened(columns, None, wanted)


def _open_table(paths: Sequence[Path], suffix: str, wanted: ColumnNames, pick: Pick) -> Opened:
    from .tables import stacked

    return opened_table(stacked(_tables(paths, suffix)), wanted, pick)


def opened_table(table: "pl.DataFrame", wanted: ColumnNames, pick: Pick) -> Opened:
    """The columns of a table, of the split that is picked."""
    from .table_columns import columns_of
    from .tables import rows_of_split

    frame = rows_of_split(table, pick)
    if not frame.height:
        raise ValueError("the file has no rows; write the predictions again")
    return Opened(columns_of(frame), frame, wanted)


def _tables(paths: Sequence[Path], suffix: str) -> "dict[str, pl.DataFrame]":
    from .tables import table

    frames = {}
    with progress("reading", len(paths)) as advance:
        for path in paths:
            try:
                frames[path.name] = table(content(path), suffix)
            except ValueError as error:
                which = f"{path.name}: " if len(paths) > 1 else ""
                raise ValueError(f"{which}{error}") from error
            advance()
    return frames


def _only_suffix(paths: Sequence[Path]) -> str:
    suffixes = sorted({suffix_of(path) for path in paths})
    if len(suffixes) > 1:
        listed = ", ".join(suffixes)
        raise ValueError(
            f"there are files of several kinds, {listed}; name one, or a pattern like *.csv"
        )
    return suffixes[0]


def _only_archive(paths: Sequence[Path]) -> Path:
    if len(paths) > 1:
        raise ValueError(
            f"there are {len(paths)} archives, and one is read at a time; name one of them"
        )
    return paths[0]
