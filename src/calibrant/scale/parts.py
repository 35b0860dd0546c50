"""Rows in parts, wherever they lie: what engines have in common."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Generic, NamedTuple, TypeVar

import polars as pl

from ..inputs.tables import BROKEN
from ..inputs.views import Data
from .batches import Layout, Table, frame_of
from .skipped import Skipped

Value = TypeVar("Value")


class Piece(NamedTuple):
    """A part that was not read yet: a name for files, a place for people, and how to read it."""

    name: str
    where: str
    read: Callable[[], Table]


class Part(NamedTuple):
    """Some rows as predictions or claims, and the table that they are of."""

    x: Data
    frame: pl.DataFrame
    name: str
    claimed: list[str]  # the columns of what is claimed


@dataclass(frozen=True)
class Task(Generic[Value]):
    """A sum over all rows: of none, with the rows of a part put in, and of two added up.

    `passes_by` says by its name whether a part need not be read.
    """

    empty: Callable[[], Value]
    put: Callable[[Value, Part], Value]
    add: Callable[[Value, Value], Value]
    passes_by: Callable[[str], bool] | None = None


class Sum(NamedTuple, Generic[Value]):
    """What a task has so far, of how many rows, and which parts could not be read."""

    value: Value
    rows: int = 0
    skipped: Skipped = Skipped()

    def joined(self, task: Task[Value], other: "Sum[Value]") -> "Sum[Value]":
        """Both together."""
        value = task.add(self.value, other.value)
        return Sum(value, self.rows + other.rows, self.skipped + other.skipped)


@dataclass(frozen=True)
class Reader:
    """How a part is read: which of its columns hold what, which rows are meant, what else is kept.

    `split` is a column and the value that rows must have there. It can be pickled, to be sent.
    """

    layout: Layout
    split: tuple[str, str] | None = None
    beside: tuple[str, ...] = ()
    keeps_all: bool = False

    @property
    def columns(self) -> list[str] | None:
        """The columns that are read; None: all there are."""
        if self.keeps_all:
            return None
        split = [] if self.split is None else [self.split[0]]
        return list(dict.fromkeys([*self.layout.columns, *split, *self.beside]))

    def put(self, task: Task[Value], so_far: Sum[Value], piece: Piece) -> Sum[Value]:
        """A sum with the rows of one more part, or with the reason why it has none of them."""
        if task.passes_by is not None and task.passes_by(piece.name):
            return so_far
        try:
            part = self._part(piece)
            if part is None:
                return so_far
            value = task.put(so_far.value, part)
        except (ValueError, *BROKEN) as error:
            skipped = Skipped.part(_said(piece.where, error), 0)
            return so_far._replace(skipped=so_far.skipped + skipped)
        return so_far._replace(value=value, rows=so_far.rows + part.x.n)

    def _part(self, piece: Piece) -> Part | None:
        """Its rows; None where it has none."""
        frame = frame_of(piece.read())
        if self.split is not None:
            column, value = self.split
            frame = frame.filter(pl.col(column).cast(pl.String) == value)
        x = self.layout.rows(frame)
        return None if x is None else Part(x, frame, piece.name, self.layout.claimed)


@dataclass(frozen=True)
class Rows(ABC):
    """Rows in parts that are read where they lie; `summed` is all that an engine does.

    A part that cannot be read is an error, or with `skip_bad` left out and counted.
    """

    reader: Reader
    skip_bad: bool

    def sum(self, task: Task[Value], *, may_be_none: bool = False) -> Sum[Value]:
        """What a task makes of all rows, of which there must be some unless it passes them by."""
        found = self.summed(task)
        if found.skipped.parts and not self.skip_bad:
            raise ValueError(
                f"{found.skipped.reasons[0]}; or leave such parts out: skip_bad, --skip-bad"
            )
        if not found.rows and not may_be_none:
            raise ValueError(f"no part has a row that can be read: {self.words}")
        return found

    @property
    @abstractmethod
    def words(self) -> str:
        """Where the rows lie."""

    @abstractmethod
    def summed(self, task: Task[Value]) -> Sum[Value]:
        """What a task makes of all parts, which may be added up in any order."""

    @property
    def identity(self) -> str:
        """What tells these rows from others, as far as can be told."""
        return self.words

    def reading(self, reader: Reader) -> "Rows":
        """The same rows, read otherwise."""
        return replace(self, reader=reader)


def total(task: Task[Value], sums: Iterable[Sum[Value]]) -> Sum[Value]:
    """Sums added up."""

    def joined(mine: Sum[Value], other: Sum[Value]) -> Sum[Value]:
        return mine.joined(task, other)

    return reduce(joined, sums, Sum(task.empty()))


def itself(table: Table) -> Table:
    """A table that was read already."""
    return table


def _said(where: str, error: BaseException) -> str:
    lines = str(error).strip().splitlines() or ["it cannot be read"]
    return f"{where}: {lines[0]}"
