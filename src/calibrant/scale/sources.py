"""Rows wherever they lie: paths of Parquet files, a data frame of Dask, one of Spark."""

from collections.abc import Hashable, Sequence
from functools import partial
from os import PathLike
from typing import Any, TypedDict, Unpack

from ..inputs.column_names import ColumnNames, Names, find
from .asking import Question
from .batches import layout_of
from .dask import DaskRows
from .parquet import ParquetRows, Paths, columns_at, paths_of
from .parts import Part, Reader, Rows, Task
from .sketch import Sketch
from .spark import SparkRows

ANYTHING = "Parquet files, a Dask or a Spark data frame"


class Named(TypedDict, total=False):
    """Columns as the caller names them, as in `calibrant.read`."""

    label: str | None
    probs: Names | None
    logits: Names | None
    confidence: str | None
    correct: str | None
    weight: str | None
    classes: str | Sequence[Hashable] | None


def rows(
    x: object,
    *,
    split: str | None = None,
    skip_bad: bool = False,
    needs_outcomes: bool = True,
    beside: Sequence[str] = (),
    max_gb: float = 1.0,
    **columns: Unpack[Named],
) -> Rows:
    """Rows that are read where they lie, as often as they are needed.

    `x` is a path, a folder, a pattern or several of these, or a data frame of Dask or of Spark.
    Columns are found as in `calibrant.read`. With `skip_bad` parts that cannot be read are left
    out and counted. `split` is the value of the column `split` that rows must have. A Parquet file
    that unpacks to more than `max_gb` GB is refused, unless that is no more than 20 times its size.
    """
    return rows_named(
        x,
        ColumnNames(**columns),
        split=split,
        skip_bad=skip_bad,
        needs_outcomes=needs_outcomes,
        beside=beside,
        max_gb=max_gb,
    )


def rows_named(
    x: object,
    names: ColumnNames,
    *,
    split: str | None = None,
    skip_bad: bool = False,
    needs_outcomes: bool = True,
    beside: Sequence[str] = (),
    max_gb: float = 1.0,
) -> Rows:
    """As `rows`, the columns named by one object."""
    if isinstance(x, Rows):
        return x
    kind = _kind(x)
    paths = paths_of(x) if kind == "paths" else ()  # type: ignore[arg-type]
    present = columns_at(paths) if paths else [str(each) for each in _columns(x)]
    layout = layout_of(present, names, needs_outcomes=needs_outcomes)
    parted = None if split is None else (str(find(present, "split")), split)
    kept = tuple(str(find(present, each)) for each in beside)
    reader = Reader(layout, parted, kept)
    if kind == "dask":
        return DaskRows(reader, skip_bad, x)
    if kind == "spark":
        return SparkRows(reader, skip_bad, x)
    return ParquetRows(reader, skip_bad, paths, max_gb)


def summary(
    x: Rows,
    views: Sequence[Question] = ("top_label", "classwise"),
    sample: int = 10_000,
    seed: int = 0,
) -> Sketch:
    """A sketch of all rows."""
    found = x.sum(sketching(views, sample, seed))
    return found.value.with_skipped(found.skipped)


def scan_parquet(
    paths: Paths,
    *,
    views: Sequence[Question] = ("top_label", "classwise"),
    sample: int = 10_000,
    seed: int = 0,
    split: str | None = None,
    skip_bad: bool = False,
    max_gb: float = 1.0,
    **columns: Unpack[Named],
) -> Sketch:
    """A sketch of Parquet files of any size, read once, on all cores, in bounded memory.

    `paths` is a path, a folder, a pattern or several of these; columns are named as in
    `calibrant.read`. With `skip_bad`, row groups that cannot be read are left out and counted in
    the sketch's `skipped`. A file that unpacks to more than `max_gb` GB is refused, unless that is
    no more than 20 times its size.
    """
    found = rows(paths, split=split, skip_bad=skip_bad, max_gb=max_gb, **columns)
    return summary(found, views, sample, seed)


def from_dask(
    frame: object,
    *,
    views: Sequence[Question] = ("top_label", "classwise"),
    sample: int = 10_000,
    seed: int = 0,
    split: str | None = None,
    skip_bad: bool = False,
    **columns: Unpack[Named],
) -> Sketch:
    """A sketch of a Dask data frame, made where its partitions lie."""
    found = rows(_of_kind(frame, "dask"), split=split, skip_bad=skip_bad, **columns)
    return summary(found, views, sample, seed)


def from_spark(
    frame: object,
    *,
    views: Sequence[Question] = ("top_label", "classwise"),
    sample: int = 10_000,
    seed: int = 0,
    split: str | None = None,
    skip_bad: bool = False,
    **columns: Unpack[Named],
) -> Sketch:
    """A sketch of a Spark data frame, made where its partitions lie."""
    found = rows(_of_kind(frame, "spark"), split=split, skip_bad=skip_bad, **columns)
    return summary(found, views, sample, seed)


def sketching(views: Sequence[Question], sample: int, seed: int) -> Task[Sketch]:
    """To make a sketch."""
    empty = partial(Sketch, views=tuple(views), sample=sample, seed=seed)
    return Task(empty, _update, Sketch.merge)


def _update(sketch: Sketch, part: Part) -> Sketch:
    return sketch.update(part.x)


def _of_kind(x: object, kind: str) -> object:
    if _kind(x) == kind:
        return x
    raise ValueError(f"expected a data frame of {kind.title()}, got {type(x).__name__}")


def _kind(x: object) -> str:
    """Which engine has them."""
    if isinstance(x, str | PathLike) or (isinstance(x, Sequence) and x):
        return "paths"
    home = type(x).__module__.partition(".")[0]
    if home in ("dask", "dask_expr"):
        return "dask"
    if home == "pyspark":
        return "spark"
    raise ValueError(f"rows are read from {ANYTHING}; got {type(x).__name__}")


def _columns(x: Any) -> Sequence[str]:  # noqa: ANN401 - a data frame of Dask or of Spark
    return list(x.columns)
