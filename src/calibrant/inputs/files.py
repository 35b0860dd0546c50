"""Every file format in one place: a file becomes Predictions or a View, and back."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..fitting.types import Values
from ..progress import progress
from .arrays import archive, beside, files_of_arrays, named_files, with_split
from .checks import InputError
from .class_names import numbered
from .column_names import CONFIDENCES, WEIGHTS, ColumnNames, Names, find, missing
from .columns import Columns, match_labels, noting, numbers, outcome
from .contents import Contents
from .label_columns import find_labels, label_array
from .paths import TABLES, WRITABLE, content, files_at, writable, write_whole
from .predictions import from_logits, from_probs
from .questions import binary
from .splits import Pick, picking
from .vector_columns import VectorColumns, vector_columns
from .views import Data
from .writing import WRITERS

if TYPE_CHECKING:
    import polars as pl


class Opened(NamedTuple):
    """The columns of a file, the table they are of if it is one, and the names wanted of them."""

    columns: Columns
    table: "pl.DataFrame | None"
    wanted: ColumnNames


def read(
    path: str | PathLike[str],
    *,
    label: str | None = None,
    probs: Names | None = None,
    logits: Names | None = None,
    confidence: str | None = None,
    correct: str | None = None,
    weight: str | None = None,
    classes: str | Sequence[Hashable] | None = None,
    split: str | None = None,
    default_split: str = "test",
) -> Data:
    """Predictions, or a View of confidences, from a .npz, .npy, .csv, .parquet, .arrow or .jsonl.

    A pattern such as part-*.parquet, or a folder, is read as one table; .npy files in a folder as
    one archive. `probs` or `logits` is a list column, the prefix of one column a class, or those
    columns; columns that are not named are found by their usual names. A split is a prefix
    (`val_logits`) or a value of the column `split`; `default_split` is taken where there are
    several and none is named. Labels may be shares of classes: a list column, or where there is no
    label, columns such as share_cat and share_dog beside prob_cat and prob_dog.
    """
    wanted = ColumnNames(label, probs, logits, confidence, correct, weight, classes)
    return read_contents(path, wanted, split, default_split).x


def read_contents(
    path: str | PathLike[str],
    wanted: ColumnNames,
    split: str | None,
    default_split: str,
    *,
    needs_outcomes: bool = True,
    way_out: str | None = None,
) -> Contents:
    """As `read`, and what else the file holds; outcomes that are not needed may be made up.

    `way_out` is what to do where there is no such split, if not to name another.
    """
    path = Path(path)
    pick = picking(split, default_split, wanted.called("split"), way_out)
    with _said_of(path, wanted):
        return _read(path, wanted, pick, needs_outcomes=needs_outcomes)


def contents_of(
    table: "pl.DataFrame", path: Path, wanted: ColumnNames, *, needs_outcomes: bool = True
) -> Contents:
    """As `read_contents`, of a table that is a part of the file at `path`."""
    from .tables import columns_of

    opened = Opened(columns_of(table), table, wanted)
    with _said_of(path, wanted):
        return _contents(path, opened, needs_outcomes=needs_outcomes)


@contextmanager
def _said_of(path: Path, wanted: ColumnNames) -> Iterator[None]:
    """Errors within name the file, and the options that name its columns."""
    try:
        yield
    except InputError as error:
        logits = f"name their columns with {wanted.called('logits')}"
        told = error.told(logits=logits, classes=wanted.called("classes"))
        raise ValueError(f"{path}: {told}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def write(path: str | PathLike[str], x: Data, *, source: Contents | None = None) -> None:
    """Write probabilities and labels, or confidences and outcomes, so that `read` gives them back.

    The file is written whole or not at all. A .csv knows no types: names that are whole numbers
    come back as ints. From one table to another the other columns of `source` are kept.
    """
    path = writable(path, WRITABLE)
    to_bytes = WRITERS[path.suffix.lower()]
    write_whole(path, to_bytes(x, source))


def _read(path: Path, wanted: ColumnNames, pick: Pick, *, needs_outcomes: bool) -> Contents:
    return _contents(path, _open(path, wanted, pick), needs_outcomes=needs_outcomes)


def _contents(path: Path, opened: Opened, *, needs_outcomes: bool) -> Contents:
    used: list[str] = []
    opened = opened._replace(columns=noting(opened.columns, used))
    weights = _weights(opened)
    found = vector_columns(opened.columns, opened.wanted)
    if found is None:
        contents = _read_view(path, opened, weights, needs_outcomes=needs_outcomes)
    else:
        contents = _read_predictions(path, opened, found, weights, needs_outcomes=needs_outcomes)
    return replace(contents, used=used)


def _read_view(
    path: Path, opened: Opened, weights: Values | None, *, needs_outcomes: bool
) -> Contents:
    columns, table, wanted = opened
    claimed = find(columns, wanted.confidence, CONFIDENCES)
    if claimed is None:
        options = wanted.called("probs", "logits", "confidence")
        raise missing(columns, "probabilities, logits or confidences", options)
    p = numbers(columns, claimed)
    y = outcome(columns, wanted, required=needs_outcomes)
    has_outcomes = y is not None
    if y is None:
        y = np.zeros(len(p))
    view = binary(p, y, weights=weights)
    return Contents(view, has_outcomes, table, [claimed], columns, path)


def _read_predictions(
    path: Path,
    opened: Opened,
    found: VectorColumns,
    weights: Values | None,
    *,
    needs_outcomes: bool,
) -> Contents:
    columns, table, wanted = opened
    truth = find_labels(columns, wanted, found.carried)
    has_outcomes = truth is not None
    if needs_outcomes and not has_outcomes:
        raise missing(columns, "labels", wanted.called("label"))
    parts = [numbers(columns, name) for name in found.columns]
    labels, classes = _labels_and_classes(opened, truth, found.carried)
    values = np.stack(parts, 1) if len(parts) > 1 else parts[0]
    make = from_probs if found.kind == "probs" else from_logits
    pred = make(values, labels, weights=weights, classes=classes)
    return Contents(pred, has_outcomes, table, found.columns, columns, path)


def _labels_and_classes(
    opened: Opened, truth: list[str] | None, carried: list[str] | None
) -> tuple[Values | None, Sequence[Hashable] | None]:
    """The labels if there are any, and the class names if anything tells them."""
    classes = _given_classes(opened)
    if truth is None:
        return None, numbered(carried) if classes is None and carried is not None else classes
    labels = label_array(opened.columns, truth)
    if classes is None and carried is not None:
        return match_labels(labels, carried)
    return labels, classes


def _given_classes(opened: Opened) -> Sequence[Hashable] | None:
    columns, table, wanted = opened
    if wanted.class_names is not None:
        return wanted.class_names
    name = find(columns, None, ["classes"])
    # The column of a table has a value a row.
    if table is not None or name is None:
        return None
    return columns[name]().tolist()


def _weights(opened: Opened) -> Values | None:
    name = find(opened.columns, opened.wanted.weight, WEIGHTS)
    if name is None:
        return None
    return numbers(opened.columns, name)


def _open(path: Path, wanted: ColumnNames, pick: Pick) -> Opened:
    paths = files_at(path)
    suffix = _only_suffix(paths)
    if suffix in TABLES:
        return _open_table(paths, suffix, wanted, pick)
    if suffix == ".npz":
        columns = archive(content(_only_archive(paths)))
        return Opened(with_split(columns, pick), None, wanted)
    if paths == [path]:
        return _open_array(path, wanted, pick)
    columns = with_split(files_of_arrays(paths), pick)
    columns |= named_files(wanted, paths[0].parent)
    return Opened(columns, None, wanted)


def _open_array(path: Path, wanted: ColumnNames, pick: Pick) -> Opened:
    pick([])  # the name of one file settles which split it is of
    columns, wanted = beside(path, wanted)
    columns |= named_files(wanted, path.parent)
    return Opened(columns, None, wanted)


def _open_table(paths: Sequence[Path], suffix: str, wanted: ColumnNames, pick: Pick) -> Opened:
    from .tables import columns_of, rows_of_split, stacked

    frame = rows_of_split(stacked(_tables(paths, suffix)), pick)
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
    suffixes = sorted({path.suffix.lower() for path in paths})
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
