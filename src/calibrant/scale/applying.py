"""Maps applied to rows of any number: a file a part, each whole or absent, so that it can go on."""

import hashlib
from dataclasses import dataclass, replace
from functools import partial
from operator import add
from os import PathLike
from pathlib import Path
from typing import Unpack

from ..deploy.store import digest
from ..families.maps import Map
from ..inputs.column_names import ColumnNames
from ..inputs.contents import Contents
from ..inputs.paths import write_whole
from ..inputs.tables import saved
from ..inputs.writing import table_of
from .parts import Part, Rows, Task
from .skipped import Skipped
from .sources import Named, rows_named

# An empty file whose name tells of what a folder is: those who read folders pass by such.
NOTE = ".calibrant-"


@dataclass(frozen=True)
class Applied:
    """How many rows were mended now, how many parts were there already, and what was left out."""

    folder: Path
    rows: int
    already: int
    skipped: Skipped


def apply(
    fitted: Map,
    x: object,
    out: str | PathLike[str],
    *,
    split: str | None = None,
    skip_bad: bool = False,
    **columns: Unpack[Named],
) -> Applied:
    """Mend probabilities of rows of any number, as in `rows`, into a folder of Parquet files.

    A part is a file, written whole or not at all. Begun again, it goes on where it stopped; a
    folder that another map or other rows were written to is refused. Other columns are kept, and
    labels are not looked at. Workers of a cluster must all see the folder.
    """
    return apply_named(fitted, x, Path(out), ColumnNames(**columns), split=split, skip_bad=skip_bad)


def apply_named(
    fitted: Map,
    x: object,
    out: Path,
    names: ColumnNames,
    *,
    split: str | None = None,
    skip_bad: bool = False,
) -> Applied:
    """As `apply`, the columns named by one object."""
    found = rows_named(x, names, split=split, skip_bad=skip_bad, needs_outcomes=False)
    layout = replace(found.reader.layout, outcomes=(), weight=None)
    found = found.reading(replace(found.reader, layout=layout, keeps_all=True))
    folder = out.resolve()
    _begin(folder, fitted, found)
    already = {path.name for path in folder.glob("*.parquet")}
    task = Task(int, partial(_write, fitted, folder), add, partial(_is_among, already))
    done = found.sum(task, may_be_none=bool(already))
    return Applied(out, done.value, len(already), done.skipped)


def _write(fitted: Map, folder: Path, so_far: int, part: Part) -> int:
    source = Contents(part.x, False, part.frame, part.claimed, {}, folder)  # noqa: FBT003 - no outcomes
    mended = table_of(fitted.apply(part.x), source)
    write_whole(folder / _file(part.name), saved(mended, ".parquet"))
    return so_far + part.x.n


def _is_among(already: set[str], name: str) -> bool:
    return _file(name) in already


def _file(name: str) -> str:
    return f"{name}.parquet"


def _begin(folder: Path, fitted: Map, found: Rows) -> None:
    """Note what the folder is of, or find that it is of the same."""
    told = hashlib.sha256(f"{digest(fitted)} {found.identity}".encode())
    note = folder / f"{NOTE}{told.hexdigest()}"
    if note.exists():
        return
    if any(folder.glob(f"{NOTE}*")):
        raise ValueError(
            f"{folder}: another map or other rows were written here; name another folder"
        )
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder}: this is no empty folder; name a new one")
    folder.mkdir(parents=True, exist_ok=True)
    note.touch()
