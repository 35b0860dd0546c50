"""What a report is of and how it was made, so that it can be filed, and made again."""

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import file_digest
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, Literal

from .. import __version__
from ..inputs.paths import STANDARD_INPUT, files_at
from .data_summary import DataFact

Role = Literal["reported on", "fitted on", "compared"]

LIBRARIES: Final = ("numpy", "scipy", "polars")
# Whoever builds reproducibly sets the time there, in seconds since 1970.
EPOCH: Final = "SOURCE_DATE_EPOCH"
MOST_COLUMNS: Final = 8
STREAM: Final = "standard input"


@dataclass(frozen=True)
class SourceFile:
    """A file that was read: what for, its name, its bytes and their sha256.

    Nothing but the name is known of standard input.
    """

    role: Role
    name: str
    size: int | None
    sha256: str | None


@dataclass(frozen=True)
class Origin:
    """Where rows came from: their files, the columns read, how many rows lacked what, and the command.

    `reading` are the options that say which columns are what.
    """

    files: tuple[SourceFile, ...] = ()
    columns: tuple[str, ...] = ()
    skipped: int = 0
    lacking: tuple[tuple[str, int], ...] = ()
    command: str | None = None
    path: str | None = None
    fit_on: str | None = None
    reading: str = ""


@dataclass(frozen=True)
class Evidence:
    """The title, the day and the seed of a report, its origin, and what it was made with."""

    title: str | None
    date: str
    seed: int
    origin: Origin
    versions: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str | None:
        """The title, or else the name of the first file."""
        files = self.origin.files
        return self.title or (files[0].name if files else None)

    @property
    def facts(self) -> tuple[DataFact, ...]:
        """All of it in words."""
        return tuple(_facts(self))

    def to_dict(self) -> dict[str, Any]:
        """As json holds it."""
        origin = asdict(self.origin)
        del origin["path"], origin["fit_on"], origin["reading"]
        origin["lacking"] = dict(self.origin.lacking)
        of_report = {"title": self.title, "date": self.date, "seed": self.seed}
        return of_report | origin | {"versions": dict(self.versions)}


def evidence(title: str | None, seed: int, origin: Origin | None) -> Evidence:
    """What is known of a report that is made now."""
    return Evidence(title, _today(), seed, origin or Origin(), tuple(_versions()))


def source_files(path: Path, role: Role) -> tuple[SourceFile, ...]:
    """The files at a path, which may be a folder or a pattern."""
    if path == STANDARD_INPUT:
        return (SourceFile(role, STREAM, None, None),)
    paths = [path] if path.is_file() else files_at(path)
    return tuple(_source_file(each, role) for each in paths)


def _source_file(path: Path, role: Role) -> SourceFile:
    with path.open("rb") as stream:
        digest = file_digest(stream, "sha256").hexdigest()
    return SourceFile(role, path.name, path.stat().st_size, digest)


def _today() -> str:
    epoch = os.environ.get(EPOCH, "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return now.date().isoformat()


def _versions() -> Iterator[tuple[str, str]]:
    yield "calibrant", __version__
    yield "Python", platform.python_version()
    for name in LIBRARIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def _facts(found: Evidence) -> Iterator[DataFact]:
    origin = found.origin
    if found.title:
        yield DataFact("title", found.title)
    for file in origin.files:
        yield DataFact(file.role, _file_in_words(file))
    if origin.columns:
        yield DataFact("columns read", _listed(origin.columns))
    if origin.files:
        yield DataFact("rows left out", _skipped_in_words(origin))
    if origin.command:
        yield DataFact("command", origin.command)
    yield DataFact("seed", str(found.seed))
    yield DataFact("made with", ", ".join(f"{name} {number}" for name, number in found.versions))
    yield DataFact("date", found.date)


def _file_in_words(file: SourceFile) -> str:
    if file.size is None:
        return file.name
    return f"{file.name}, {file.size:,} bytes, sha256 {file.sha256}"


def _skipped_in_words(origin: Origin) -> str:
    if not origin.skipped:
        return "none"
    lacking = ", ".join(f"{count:,} without {name}" for name, count in origin.lacking)
    return f"{origin.skipped:,}: {lacking}"


def _listed(names: Sequence[str]) -> str:
    if len(names) <= MOST_COLUMNS:
        return ", ".join(names)
    return f"{', '.join(names[: MOST_COLUMNS - 2])}, ..., {names[-1]} ({len(names):,} columns)"
