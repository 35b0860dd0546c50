"""A finished run as a file, and the folder of all of them."""

import io
import json
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from calibrant.inputs.paths import write_whole

from .runs import Run

# Keeps a file of some name.
Save = Callable[[str, bytes], None]
RESULTS = Path(__file__).parent / "results"
# Bytes of one pack of files, at most.
PACK = 14 * 2**20


@dataclass(frozen=True, eq=False)
class Record:
    """What a run has given.

    `curves` are numbers by epoch, `measures` those of its end by part, `rows` what is kept of each
    row, `machine` where it ran.
    """

    run: Run
    machine: str
    seconds: float
    measures: dict[str, dict[str, float]]
    columns: tuple[str, ...]
    curves: NDArray[np.float32]
    rows: dict[str, NDArray[Any]]

    def curve(self, name: str) -> NDArray[np.float32]:
        """One of the curves."""
        return self.curves[:, self.columns.index(name)]

    @cached_property
    def is_finite(self) -> bool:
        """Whether training has not broken off in numbers that are none."""
        return bool(self.measures)

    def to_bytes(self) -> bytes:
        """A compressed npz file."""
        about = {
            "run": self.run.settings(),
            "machine": self.machine,
            "seconds": round(self.seconds, 2),
            "measures": self.measures,
            "columns": self.columns,
        }
        text = np.frombuffer(json.dumps(about).encode(), np.uint8)
        into = io.BytesIO()
        parts: dict[str, Any] = {"about": text, "curves": self.curves, **self.rows}
        np.savez_compressed(into, **parts)
        return into.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """As it was."""
        with np.load(io.BytesIO(content), allow_pickle=False) as kept:
            about = json.loads(kept["about"].tobytes())
            names = [name for name in kept.files if name not in ("about", "curves")]
            rows = {name: kept[name] for name in names}
            curves = kept["curves"]
        run = Run(**about.pop("run"))
        columns = tuple(about.pop("columns"))
        return cls(run=run, columns=columns, curves=curves, rows=rows, **about)


def path_of(run: Run, folder: Path = RESULTS) -> Path:
    """Where a run's file is."""
    return folder / f"{run.name}.npz"


def read_all(folder: Path = RESULTS) -> list[Record]:
    """Every run that has finished."""
    return [Record.from_bytes(path.read_bytes()) for path in sorted(folder.glob("*.npz"))]


class Packs:
    """Files one after another in a few tar files, whole up to the last one if all is cut off."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.number = 0

    def add(self, name: str, content: bytes) -> None:
        """Append a file."""
        path = self.folder / f"pack{self.number}.tar"
        if path.exists() and path.stat().st_size + len(content) > PACK:
            self.number += 1
            path = self.folder / f"pack{self.number}.tar"
        with tarfile.open(path, "a") as tar:
            about = tarfile.TarInfo(name)
            about.size = len(content)
            tar.addfile(about, io.BytesIO(content))


def unpacked(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of every pack, by name."""
    for path in sorted(folder.glob("pack*.tar")):
        with tarfile.open(path) as tar:
            for member in tar:
                content = tar.extractfile(member)
                if content is not None:
                    yield member.name, content.read()


def keep(record: Record, rows: tuple[str, ...], folder: Path = RESULTS) -> None:
    """Write a run's file with some of its rows."""
    fewer = {name: record.rows[name] for name in rows if name in record.rows}
    folder.mkdir(parents=True, exist_ok=True)
    content = Record(**{**vars(record), "rows": fewer}).to_bytes()
    write_whole(path_of(record.run, folder), content)
