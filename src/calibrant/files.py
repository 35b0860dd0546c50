"""Every file format in one place: a file becomes Predictions or a View, and back."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .columns import (
    CONFIDENCES,
    LABELS,
    SPLITS,
    WEIGHTS,
    Columns,
    Names,
    Wanted,
    find,
    meet,
    missing,
    numbers,
    outcome,
    usual_vectors,
    vectors,
)
from .predictions import Predictions, from_logits, from_probs
from .store import write_whole
from .views import View, binary

if TYPE_CHECKING:
    import polars as pl

Pick = Callable[[Sequence[str]], str | None]


@dataclass(frozen=True, eq=False)
class Contents:
    """What a file holds: predictions or claims, whether their outcomes are known, and the table they came from."""

    x: Predictions | View
    has_outcomes: bool
    table: "pl.DataFrame | None"
    claimed: list[str]


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
    """Predictions, or a View of confidences, from an .npz, .csv, .parquet or .jsonl file.

    `probs` or `logits` is a list column, the prefix of one column a class, or those columns; columns that are not
    named are found by their usual names. A split is a prefix (`val_logits`) or a value of the column `split`;
    `default_split` is taken where there are several and none is named.
    """
    wanted = Wanted(label, probs, logits, confidence, correct, weight, classes)
    return take(path, wanted, split, default_split).x


def take(
    path: str | PathLike[str], wanted: Wanted, split: str | None, default_split: str, *, needs_outcomes: bool = True
) -> Contents:
    """As `read`, and what else the file holds; outcomes that are not needed may be absent, and are then made up."""
    path = Path(path)
    try:
        columns, table = _open(path, lambda present: _split(present, split, default_split))
        counted = find(columns, wanted.weight, WEIGHTS)
        weights = None if counted is None else numbers(columns, counted)
        found = vectors(columns, wanted)
        if found is None:
            what = "probabilities, logits or confidences"
            claimed = find(columns, wanted.confidence, CONFIDENCES)
            if claimed is None:
                raise missing(columns, what, "probs, logits or confidence")
            p, y = numbers(columns, claimed), outcome(columns, wanted, required=needs_outcomes)
            view = binary(p, np.zeros(len(p)) if y is None else y, weights=weights)
            return Contents(view, y is not None, table, [claimed])
        truth = find(columns, wanted.label, LABELS)
        if truth is None and needs_outcomes:
            raise missing(columns, "labels", "label")
        values = [numbers(columns, name) for name in found.columns]
        labels = np.zeros(len(values[0]), np.int64) if truth is None else columns[truth]()
        classes = wanted.names
        if classes is None and path.suffix.lower() == ".npz" and (names := find(columns, None, ["classes"])):
            classes = columns[names]().tolist()
        elif classes is None and found.carried is not None:
            labels, classes = meet(labels, found.carried)
        if truth is None and classes is not None:
            labels = np.array([classes[0]] * len(labels), object)
        make = {"probs": from_probs, "logits": from_logits}[found.kind]
        pred = make(np.stack(values, 1) if len(values) > 1 else values[0], labels, weights=weights, classes=classes)
        return Contents(pred, truth is not None, table, found.columns)
    except ValueError as error:
        # Of a file one says which columns are logits; from_logits is for arrays.
        text = str(error).replace("for logits use from_logits", "for logits name their columns with logits")
        raise ValueError(f"{path}: {text}") from error


def write(path: str | PathLike[str], x: Predictions | View, *, source: Contents | None = None) -> None:
    """Write probabilities and labels, or confidences and outcomes, such that `read` gives them back.

    The file is written whole or not at all. A .csv knows no types: names that are whole numbers come back as ints.
    From one table to another the other columns of `source` are kept.
    """
    path = writable(path, tuple(WRITERS))
    write_whole(path, WRITERS[path.suffix.lower()](x, source))


def writable(path: str | PathLike[str], suffixes: Sequence[str]) -> Path:
    """A path that can be written to: of one of the suffixes, in a folder that exists."""
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        raise ValueError(f"{path}: the file to write must end in {', '.join(suffixes)}, not {path.suffix!r}")
    if path.is_dir():
        raise ValueError(f"{path}: this is a folder; name a file to write")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent} to write into; make it first")
    return path


def _open(path: Path, pick: Pick) -> tuple[Columns, "pl.DataFrame | None"]:
    if path.is_dir():
        raise ValueError("this is a folder; name a file in it")
    if path.suffix.lower() not in READERS:
        raise ValueError(
            f"a file to read must end in {', '.join(READERS)}, not {path.suffix!r}; save it as one of them"
        )
    if not path.is_file():
        near = get_close_matches(path.name, [each.name for each in path.parent.glob("*")], 1)
        raise ValueError("there is no such file" + (f"; did you mean {path.with_name(near[0])}?" if near else ""))
    content = path.read_bytes()
    if not content:
        raise ValueError("the file is empty; write the predictions again")
    return READERS[path.suffix.lower()](content, pick)


def _npz(content: bytes, pick: Pick) -> tuple[Columns, None]:
    def sound(load: Callable[[], Any], wrong: str) -> Any:  # noqa: ANN401 - as `load` gives it
        try:
            return load()
        except Exception as error:  # which one a damaged archive raises depends on the byte
            raise ValueError(f"{wrong}, or it was damaged; write plain arrays with np.savez") from error

    arrays = sound(lambda: np.load(BytesIO(content), allow_pickle=False), "the file is not an npz")
    if not isinstance(arrays, np.lib.npyio.NpzFile):
        raise ValueError("the file holds one array without a name; write named ones with np.savez")
    columns: Columns = {
        name: partial(sound, partial(arrays.__getitem__, name), f"array {name!r} holds Python objects")
        for name in arrays.files
    }
    prefix = f"{pick([split for split in SPLITS if any(name.lower().startswith(f'{split}_') for name in columns)])}_"
    chosen = {name[len(prefix) :]: columns[name] for name in columns if name.lower().startswith(prefix)}
    return columns | chosen, None


def _table(suffix: str, content: bytes, pick: Pick) -> tuple[Columns, "pl.DataFrame"]:
    from .tables import arrays, part, table

    frame = part(table(content, suffix), pick)
    if not frame.height:
        raise ValueError("the file has no rows; write the predictions again")
    return arrays(frame), frame


TABLES = [".csv", ".parquet", ".jsonl"]
READERS: dict[str, Callable[[bytes, Pick], tuple[Columns, "pl.DataFrame | None"]]] = {
    ".npz": _npz,
    **{suffix: partial(_table, suffix) for suffix in TABLES},
}


def _split(present: Sequence[str], wanted: str | None, default: str) -> str | None:
    if wanted is None and len(present) < 2:
        return present[0] if present else None
    chosen = {name.lower(): name for name in present}.get((default if wanted is None else wanted).lower())
    if chosen is None:
        there = f"the splits {', '.join(present)}: choose one with split" if present else "no splits: leave split out"
        raise ValueError(f"there is no split {default if wanted is None else wanted!r}; the file has {there}")
    return chosen


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
        arrays = {"probs": x.probs, "labels": names[x.labels], "classes": unusual, "weights": x.weights}
    made_up = ("correct", "labels") if source is not None and not source.has_outcomes else ()
    present: dict[str, Any] = {name: x for name, x in arrays.items() if x is not None and name not in made_up}
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
        names, probs = _names(x), x.probs.astype(np.promote_types(x.probs.dtype, np.float32), copy=False)
        arrays = {"label": names[x.labels], **{f"prob_{name}": probs[:, j] for j, name in enumerate(names)}}
        arrays["weight"] = x.weights
        # Other vectors than the new ones would speak against them.
        old = [] if frame is None else usual_vectors(frame.columns)
        stale = [name for each in old for name in each.columns] + ([] if source is None else source.claimed)
    # A table has outcomes and weights of its own, under its own names; those that were made up are not told.
    made_up = ("label", "correct") if source is not None and (frame is not None or not source.has_outcomes) else ()
    left_out = (*made_up, "weight") if frame is not None else made_up
    present = {name: x for name, x in arrays.items() if x is not None and name not in left_out}
    return saved(joined(frame, stale, present), suffix)


WRITERS: dict[str, Callable[[Predictions | View, Contents | None], bytes]] = {
    ".npz": _to_npz,
    **{suffix: partial(_to_table, suffix) for suffix in TABLES},
}
