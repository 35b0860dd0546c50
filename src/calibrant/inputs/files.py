"""Every file format in one place: a file becomes Predictions or a View, and back."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from ..fitting.types import Values
from .checks import InputError
from .class_names import numbered
from .column_names import CONFIDENCES, WEIGHTS, ColumnNames, Names, find, missing
from .columns import confidences, match_labels, noting, numbers, outcome, outcome_columns
from .contents import Contents
from .gaps import MissingValues
from .label_columns import find_labels, label_array
from .opening import Opened, open_path, without_rows
from .paths import STANDARD_INPUT, WRITABLE, suffix_of, writable, write_whole
from .predictions import from_logits, from_probs
from .questions import binary
from .splits import picking
from .unpacking import unpacking
from .vector_checks import question_logits
from .vector_columns import VectorColumns, vector_columns
from .views import Data, View
from .writing import WRITERS

# What the logs of language models say of an answer, in words.
RIGHT = "the answer is right"


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
    event: str | None = None,
    split: str | None = None,
    default_split: str = "test",
    skip_missing: bool = False,
    max_gb: float = 1.0,
) -> Data:
    """Predictions, or a View of confidences, from a .npz, .npy, .csv, .parquet, .arrow or .jsonl.

    So are .tsv and .json, texts that end in .gz too, and "-", standard input. A pattern such as
    part-*.parquet, or a folder, is read as one table; .npy files in a folder as one archive.
    `probs` or `logits` is a list column, the prefix of one column a class, or those columns;
    columns that are not named are found by their usual names. A split is a prefix (`val_logits`) or
    a value of the column `split`; `default_split` is taken where there are several and none is
    named. Labels may be shares of classes: a list column, or where there is no label, columns such
    as share_cat and share_dog beside prob_cat and prob_dog. `event` says in words what a
    confidence is of, as "the answer is right". Rows that lack a value are refused, or with
    `skip_missing` left out. A file that unpacks to more than `max_gb` GB is refused, unless it is
    large itself.
    """
    wanted = ColumnNames(label, probs, logits, confidence, correct, weight, classes, event)
    contents = read_contents(
        path, wanted, split, default_split, skip_missing=skip_missing, max_gb=max_gb
    )
    return contents.x


def read_contents(
    path: str | PathLike[str],
    wanted: ColumnNames,
    split: str | None,
    default_split: str,
    *,
    needs_outcomes: bool = True,
    skip_missing: bool = False,
    max_gb: float = 1.0,
    way_out: str | None = None,
) -> Contents:
    """As `read`, and what else the file holds; outcomes that are not needed may be made up.

    `way_out` is what to do where there is no such split, if not to name another.
    """
    path = Path(path)
    pick = picking(split, default_split, wanted.called("split"), way_out)
    with said_of(path, wanted), unpacking(max_gb):
        opened = open_path(path, wanted, pick)
        return contents_of(path, opened, needs_outcomes=needs_outcomes, skip_missing=skip_missing)


@contextmanager
def said_of(path: Path, wanted: ColumnNames) -> Iterator[None]:
    """Errors within name the file, and the options that name its columns."""
    name = "standard input" if path == STANDARD_INPUT else path
    try:
        yield
    except InputError as error:
        logits = f"name their columns with {wanted.called('logits')}"
        skip = " with --skip-missing" if wanted.sign else " with skip_missing=True"
        told = error.told(logits=logits, classes=wanted.called("classes"), skip=skip)
        raise ValueError(f"{name}: {told}") from error
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def write(path: str | PathLike[str], x: Data, *, source: Contents | None = None) -> None:
    """Write probabilities and labels, or confidences and outcomes, so that `read` gives them back.

    The file is written whole or not at all. A .csv knows no types: names that are whole numbers
    come back as ints. A text that spreadsheets would take for a formula has a ' before it there.
    From one table to another the other columns of `source` are kept.
    """
    path = writable(path, WRITABLE)
    to_bytes = WRITERS[suffix_of(path)]
    write_whole(path, to_bytes(x, source))


def contents_of(
    path: Path, opened: Opened, *, needs_outcomes: bool, skip_missing: bool
) -> Contents:
    """What a file holds, perhaps without the rows that lack a value in a column that is read."""
    lacking: dict[str, int] = {}
    while True:
        try:
            contents = _complete_contents(path, opened, needs_outcomes=needs_outcomes)
        except MissingValues as missing_values:
            if not skip_missing or missing_values.gaps.all():
                raise
            name, gaps = missing_values.name, missing_values.gaps
            lacking[name] = lacking.get(name, 0) + int(gaps.sum())
            opened = without_rows(opened, gaps)
        else:
            return replace(contents, lacking=lacking)


def _complete_contents(path: Path, opened: Opened, *, needs_outcomes: bool) -> Contents:
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
    p = confidences(columns, claimed)
    y = outcome(columns, wanted, required=needs_outcomes)
    has_outcomes = y is not None
    if y is None:
        y = np.zeros(len(p))
    is_answer = "answer_right" in outcome_columns(columns, wanted)
    event = wanted.event or (RIGHT if is_answer else View.event)
    view = binary(p, y, weights=weights, event=event)
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
    if found.kind == "logits":
        question_logits(values, wanted.called("probs"))
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
