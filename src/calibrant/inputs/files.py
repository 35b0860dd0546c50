"""Every file format in one place: a file becomes Predictions or a View, and back."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..deploy.store import write_whole
from ..progress import progress
from .arrays import archive, beside, files_of_arrays, named_files, parted
from .columns import (
    CONFIDENCES,
    LABELS,
    WEIGHTS,
    ColumnNames,
    Columns,
    Names,
    find,
    match_labels,
    missing,
    numbers,
    outcome,
    usual_vectors,
    vectors,
)
from .paths import TABLES, WRITABLE, content, files_at, writable
from .predictions import Predictions, from_logits, from_probs
from .questions import binary
from .splits import Pick, picking
from .views import View

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Contents:
    """What a file holds: predictions or claims, whether their outcomes are known, and the table they came from."""

    x: Predictions | View
    has_outcomes: bool
    table: "pl.DataFrame | None"
    claimed: list[str]
    columns: Columns
    path: Path

    def column(self, name: str) -> NDArray[Any]:
        """A column by name, the rows that have no value left as they are."""
        try:
            named = find(self.columns, name) or name
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from error
        if self.table is None:
            return self.columns[named]()
        from .tables import column

        return column(self.table, named)


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
) -> Predictions | View:
    """Predictions, or a View of confidences, from a file: .npz, .npy, .csv, .parquet, .arrow or .jsonl.

    A pattern such as part-*.parquet, or a folder, is read as one table; .npy files in a folder as one archive.
    `probs` or `logits` is a list column, the prefix of one column a class, or those columns; columns that are not
    named are found by their usual names. A split is a prefix (`val_logits`) or a value of the column `split`;
    `default_split` is taken where there are several and none is named.
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
    """As `read`, and what else the file holds; outcomes that are not needed may be absent, and are then made up.

    `way_out` is what to do where there is no such split, if not to name another.
    """
    path = Path(path)
    try:
        columns, table, wanted = _open(
            path, wanted, picking(split, default_split, wanted.called("split"), way_out)
        )
        counted = find(columns, wanted.weight, WEIGHTS)
        weights = None if counted is None else numbers(columns, counted)
        found = vectors(columns, wanted)
        if found is None:
            what = "probabilities, logits or confidences"
            claimed = find(columns, wanted.confidence, CONFIDENCES)
            if claimed is None:
                raise missing(columns, what, wanted.called("probs", "logits", "confidence"))
            p, y = numbers(columns, claimed), outcome(columns, wanted, required=needs_outcomes)
            view = binary(p, np.zeros(len(p)) if y is None else y, weights=weights)
            return Contents(view, y is not None, table, [claimed], columns, path)
        truth = find(columns, wanted.label, LABELS)
        if truth is None and needs_outcomes:
            raise missing(columns, "labels", wanted.called("label"))
        values = [numbers(columns, name) for name in found.columns]
        labels = np.zeros(len(values[0]), np.int64) if truth is None else columns[truth]()
        classes = wanted.names
        if classes is None and table is None and (names := find(columns, None, ["classes"])):
            classes = columns[names]().tolist()
        elif classes is None and found.carried is not None:
            labels, classes = match_labels(labels, found.carried)
        if truth is None and classes is not None:
            labels = np.array([classes[0]] * len(labels), object)
        make = {"probs": from_probs, "logits": from_logits}[found.kind]
        pred = make(
            np.stack(values, 1) if len(values) > 1 else values[0],
            labels,
            weights=weights,
            classes=classes,
        )
        return Contents(pred, truth is not None, table, found.columns, columns, path)
    except ValueError as error:
        # Of a file one names columns; from_logits and lists of classes are for arrays.
        text = str(error).replace(
            "use from_logits", f"name their columns with {wanted.called('logits')}"
        )
        text = text.replace("classes=[...]", wanted.called("classes"))
        raise ValueError(f"{path}: {text}") from error


def write(
    path: str | PathLike[str], x: Predictions | View, *, source: Contents | None = None
) -> None:
    """Write probabilities and labels, or confidences and outcomes, such that `read` gives them back.

    The file is written whole or not at all. A .csv knows no types: names that are whole numbers come back as ints.
    From one table to another the other columns of `source` are kept.
    """
    path = writable(path, WRITABLE)
    write_whole(path, WRITERS[path.suffix.lower()](x, source))


def _open(
    path: Path, wanted: ColumnNames, pick: Pick
) -> tuple[Columns, "pl.DataFrame | None", ColumnNames]:
    paths = files_at(path)
    suffixes = sorted({each.suffix.lower() for each in paths})
    if len(suffixes) > 1:
        raise ValueError(
            f"there are files of several kinds, {', '.join(suffixes)}; name one, or a pattern like *.csv"
        )
    if suffixes[0] in TABLES:
        from .tables import arrays

        frame = _table(paths, suffixes[0], pick)
        return arrays(frame), frame, wanted
    if suffixes == [".npz"]:
        if len(paths) > 1:
            raise ValueError(
                f"there are {len(paths)} archives, and one is read at a time; name one of them"
            )
        return parted(archive(content(paths[0])), pick), None, wanted
    if paths != [path]:
        return (
            parted(files_of_arrays(paths), pick) | named_files(wanted, paths[0].parent),
            None,
            wanted,
        )
    pick([])  # the name of one file settles which split it is of
    columns, wanted = beside(path, wanted)
    return columns | named_files(wanted, path.parent), None, wanted


def _table(paths: Sequence[Path], suffix: str, pick: Pick) -> "pl.DataFrame":
    from .tables import part, stacked, table

    frames = {}
    with progress("reading", len(paths)) as tick:
        for path in paths:
            try:
                frames[path.name] = table(content(path), suffix)
            except ValueError as error:
                raise ValueError(
                    f"{path.name}: {error}" if len(paths) > 1 else str(error)
                ) from error
            tick()
    frame = part(stacked(frames), pick)
    if not frame.height:
        raise ValueError("the file has no rows; write the predictions again")
    return frame


def _names(pred: Predictions) -> NDArray[Any]:
    for kind in (int, str):
        if all(isinstance(name, kind) and not isinstance(name, bool) for name in pred.classes):
            return np.array(pred.classes)
    raise ValueError(
        f"to be written, classes must be all whole numbers or all text, got {pred.classes[:3]}...; "
        "make the predictions with classes=[str(name) for name in classes], and labels alike"
    )


def _to_npz(x: Predictions | View, source: Contents | None) -> bytes:
    arrays: dict[str, NDArray[Any] | None]
    if isinstance(x, View):
        arrays = {"confidence": x.p, "correct": x.y, "weights": x.w}
    else:
        names = _names(x)
        unusual = None if x.classes == tuple(range(x.k)) else names
        arrays = {
            "probs": x.probs,
            "labels": names[x.labels],
            "classes": unusual,
            "weights": x.weights,
        }
    made_up = ("correct", "labels") if source is not None and not source.has_outcomes else ()
    present: dict[str, Any] = {
        name: x for name, x in arrays.items() if x is not None and name not in made_up
    }
    buffer = BytesIO()
    np.savez(buffer, **present)
    return buffer.getvalue()


def _to_table(suffix: str, x: Predictions | View, source: Contents | None) -> bytes:
    from .tables import joined, saved

    frame = None if source is None else source.table
    arrays: dict[str, NDArray[Any] | None]
    if isinstance(x, View):
        own = source.claimed[0] if source is not None and frame is not None else "confidence"
        arrays, stale = {own: x.p, "correct": x.y, "weight": x.w}, []
    else:
        names, probs = (
            _names(x),
            x.probs.astype(np.promote_types(x.probs.dtype, np.float32), copy=False),
        )
        new = _own_columns(source) or [f"prob_{name}" for name in names]
        arrays = {"label": names[x.labels], **{name: probs[:, j] for j, name in enumerate(new)}}
        arrays["weight"] = x.weights
        # Other vectors than the new ones would speak against them.
        old = [] if frame is None else usual_vectors(frame.columns)
        stale = [name for each in old for name in each.columns] + (
            [] if source is None else source.claimed
        )
    # A table has outcomes and weights of its own, under its own names; those that were made up are not told.
    made_up = (
        ("label", "correct")
        if source is not None and (frame is not None or not source.has_outcomes)
        else ()
    )
    left_out = (*made_up, "weight") if frame is not None else made_up
    present = {name: x for name, x in arrays.items() if x is not None and name not in left_out}
    return saved(joined(frame, stale, present), suffix)


def _own_columns(source: Contents | None) -> list[str] | None:
    """Where a table has a column of probabilities for each class, new ones take their place: names stay good."""
    if source is None or source.table is None or not isinstance(source.x, Predictions):
        return None
    return (
        source.claimed if source.x.kind == "probs" and len(source.claimed) == source.x.k else None
    )


WRITERS: dict[str, Callable[[Predictions | View, Contents | None], bytes]] = {
    ".npz": _to_npz,
    **{suffix: partial(_to_table, suffix) for suffix in TABLES},
}
