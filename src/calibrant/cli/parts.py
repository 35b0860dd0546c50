"""Rows that are more than memory holds: the options that say how to read them where they lie."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .commands import OPENED
from .inputs import InputOptions
from .options import option
from .printing import say

if TYPE_CHECKING:
    from ..inputs.contents import Contents
    from ..scale import Sketch
    from ..scale.parts import Rows

SKETCH = ".sketch"
PARQUET = ".parquet"
MEMORY_HELP = "Read .parquet files part by part where they need more, as 4GB; else half of memory."
ENGINE_HELP = "Let a cluster read the files: dask or spark."
ADDRESS_HELP = "Where it runs, as tcp://host:8786 or spark://host:7077; else on this machine."
SKIP_HELP = "Leave out parts that cannot be read, and count them."
ONLY_PARQUET = (
    "{}: several files must end in .parquet, as they are read part by part; "
    "to read several files as one, quote their pattern: 'part-*.csv'"
)
ALONE = "{} is a summary of rows: groups are made of the rows themselves"

Engine = Literal["dask", "spark"]
Memory = Annotated[str | None, option("SIZE", MEMORY_HELP)]
EngineName = Annotated[Engine | None, option("NAME", ENGINE_HELP)]
Address = Annotated[str | None, option("URL", ADDRESS_HELP)]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help=SKIP_HELP)]


@dataclass(frozen=True)
class StreamOptions:
    """When and how rows are read part by part."""

    memory: Memory = None
    engine: EngineName = None
    address: Address = None
    skip_bad: SkipBad = False

    def rows(
        self,
        files: Sequence[Path],
        inputs: InputOptions,
        usual: str,
        *,
        needs_outcomes: bool = True,
    ) -> "Rows | None":
        """Rows to be read part by part; None where they are to be read at once."""
        if not self._streams(files):
            return None
        from ..scale.parquet import columns_at, paths_of
        from ..scale.sources import rows_named

        paths = paths_of(list(files))
        split = inputs.split or (usual if "split" in columns_at(paths) else None)
        found: Any = paths if self.engine is None else _frame(self.engine, self.address, paths)
        return rows_named(
            found,
            inputs.columns,
            split=split,
            skip_bad=self.skip_bad,
            needs_outcomes=needs_outcomes,
            max_gb=inputs.max_gb,
        )

    def read(self, files: Sequence[Path], inputs: InputOptions, usual: str) -> "Streamed | None":
        """Sums of rows, or those that a file has of them; None where rows are read at once."""
        if files[0].suffix == SKETCH:
            return Streamed(merged_files(files), None, files[0])
        rows = self.rows(files, inputs, usual)
        return None if rows is None else Streamed(summed_up(rows), rows, files[0])

    def _streams(self, files: Sequence[Path]) -> bool:
        if len(files) > 1 or self.engine is not None:
            others = [each for each in files if each.suffix.lower() != PARQUET and each.suffix]
            if others:
                raise ValueError(ONLY_PARQUET.format(others[0]))
            return True
        from ..inputs.paths import STANDARD_INPUT, files_at
        from ..scale.limits import in_bytes, needed, usual_limit

        limit = usual_limit() if self.memory is None else in_bytes(self.memory)
        if files[0] == STANDARD_INPUT:
            return False
        try:
            found = files_at(files[0])
        except ValueError:  # who reads it at once says what is wrong
            return False
        return all(each.suffix.lower() == PARQUET for each in found) and (
            self.skip_bad or needed(found) > limit
        )


@dataclass(frozen=True)
class Streamed:
    """Sums of rows, and the rows where they can be read again."""

    sketch: "Sketch"
    rows: "Rows | None"
    path: Path

    def contents(self) -> "Contents":
        """The same as what a file holds."""
        from ..inputs.contents import Contents
        from ..scale.answering import Sums

        x = self.sketch.data(Sums(self.sketch, self.rows))
        return Contents(x, True, None, [], {}, self.path)  # noqa: FBT003 - there are outcomes

    def groups(self, names: Sequence[str]) -> "dict[str, Any]":
        """The question of each group, by column and value."""
        from ..scale.groups import group_views

        if self.rows is None:
            raise ValueError(ALONE.format(self.path))
        return group_views(self.rows, names)


def summed_up(rows: "Rows") -> "Sketch":
    """A sketch with all that a report asks; what was left out is told."""
    from ..scale.asking import QUESTIONS
    from ..scale.sources import summary

    found = summary(rows, QUESTIONS)
    if found.skipped.parts:
        say(found.skipped.words)
    return found


def merged_files(files: Sequence[Path]) -> "Sketch":
    """The sketches of some files, added up."""
    from functools import reduce

    from ..scale import Sketch

    found = []
    for path in files:
        try:
            found.append(Sketch.from_bytes(path.read_bytes()))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    return reduce(Sketch.merge, found)


def _frame(engine: Engine, address: str | None, paths: Sequence[Path]) -> object:
    """The files as a data frame of a cluster, which must see them too."""
    names = [str(path.resolve()) for path in paths]
    if engine == "dask":
        return _dask(address, names)
    return _spark(address, names)


def _dask(address: str | None, names: list[str]) -> object:
    try:
        from dask import dataframe
        from distributed import Client
    except ImportError as error:
        raise ImportError('--engine dask needs Dask: pip install "calibrant[dask]"') from error
    if address is not None:
        OPENED.get().enter_context(Client(address))  # it becomes the one that computes
    return dataframe.read_parquet(names, split_row_groups=True)


def _spark(address: str | None, names: list[str]) -> object:
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ImportError('--engine spark needs Spark: pip install "calibrant[spark]"') from error
    # Workers on this machine are of the Python that runs the command, and its libraries.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    if address is not None:
        builder = builder.remote(address) if address.startswith("sc:") else builder.master(address)
    return builder.getOrCreate().read.parquet(*names)
