"""Every file format in one place: a file becomes Predictions or a View, and back."""

from collections.abc import Callable, Hashable, Sequence
from difflib import get_close_matches
from functools import partial
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .columns import LABELS, SPLITS, WEIGHTS, Columns, Names, claims, find, meet, needed, numbers, vectors
from .predictions import Predictions, from_logits, from_probs
from .store import write_whole
from .views import View, binary

if TYPE_CHECKING:
    import polars as pl

Pick = Callable[[Sequence[str]], str | None]


def read(
    path: str | PathLike[str],
    *,
    label: str | None = None,
    probs: Names | None = None,
    logits: Names | None = None,
    confidence: str | None = None,
    correct: str | None = None,
    weight: str | None = None,
    classes: Sequence[Hashable] | None = None,
    split: str | None = None,
    default_split: str = "test",
) -> Predictions | View:
    """Predictions, or a View of confidences, from an .npz, .csv, .parquet or .jsonl file.

    `probs` or `logits` is a list column, the prefix of one column a class, or those columns; columns that are not
    named are found by their usual names. A split is a prefix (`val_logits`) or a value of the column `split`;
    `default_split` is taken where there are several and none is named.
    """
    path = Path(path)
    try:
        columns = _open(path, lambda present: _split(present, split, default_split))
        counted = find(columns, weight, WEIGHTS)
        weights = None if counted is None else numbers(columns, counted)
        found = None if confidence or correct else vectors(columns, {"probs": probs, "logits": logits})
        if found is None:
            p, y = claims(columns, confidence, correct, label)
            return binary(p, y, weights=weights)
        kind, names, carried = found
        values = [numbers(columns, name) for name in names]
        labels = columns[needed(columns, label, LABELS, "labels", "label")]()
        if classes is None and path.suffix.lower() == ".npz" and "classes" in columns:
            classes = columns["classes"]().tolist()
        elif classes is None and carried is not None:
            labels, classes = meet(labels, carried)
        make = {"probs": from_probs, "logits": from_logits}[kind]
        return make(np.stack(values, 1) if len(names) > 1 else values[0], labels, weights=weights, classes=classes)
    except ValueError as error:
        # Of a file one says which columns are logits; from_logits is for arrays.
        text = str(error).replace("for logits use from_logits", "for logits name their columns with logits")
        raise ValueError(f"{path}: {text}") from error


def write(path: str | PathLike[str], x: Predictions | View) -> None:
    """Write probabilities and labels, or confidences and outcomes, such that `read` gives them back.

    The file is written whole or not at all. A .csv knows no types: names that are whole numbers come back as ints.
    """
    path = writable(path, tuple(WRITERS))
    write_whole(path, WRITERS[path.suffix.lower()](x))


def writable(path: str | PathLike[str], suffixes: Sequence[str]) -> Path:
    """A path that can be written to: of one of the suffixes, in a folder that exists."""
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        raise ValueError(f"{path}: the file to write must end in {', '.join(suffixes)}, not {path.suffix!r}")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent} to write into; make it first")
    return path


def _open(path: Path, pick: Pick) -> Columns:
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


def _npz(content: bytes, pick: Pick) -> Columns:
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
    prefix = f"{pick([split for split in SPLITS if any(name.startswith(f'{split}_') for name in columns)])}_"
    return columns | {name.removeprefix(prefix): columns[name] for name in columns if name.startswith(prefix)}


def _csv(content: bytes) -> "pl.DataFrame":
    import polars as pl

    # All rows set the types: a column of 0 and 1 may hold its first 0.5 in the last row.
    frame = pl.read_csv(content, infer_schema_length=None)
    # polars leaves a quote within a quoted name doubled, as the file has it.
    return frame.rename({name: name.replace('""', '"') for name in frame.columns if '""' in name})


def _parquet(content: bytes) -> "pl.DataFrame":
    import polars as pl

    return pl.read_parquet(BytesIO(content))


def _jsonl(content: bytes) -> "pl.DataFrame":
    import polars as pl

    return pl.read_ndjson(BytesIO(content), infer_schema_length=None)


def _frame(load: Callable[[bytes], "pl.DataFrame"], content: bytes, pick: Pick) -> Columns:
    import polars as pl

    try:
        frame = load(content)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = (str(error).strip() or "unreadable").splitlines()[0]
        raise ValueError(f"the file is not what its suffix says, or it was damaged ({reason[:120]})") from error
    parts = frame["split"].cast(pl.String) if "split" in frame.columns else pl.Series([], dtype=pl.String)
    if (chosen := pick(sorted(parts.drop_nulls().unique()))) is not None:
        frame = frame.filter(parts == chosen)
    if not frame.height:
        raise ValueError("the file has no rows; write the predictions again")
    columns: Columns = {}
    for series in frame.get_columns():
        fields = series.struct.fields if isinstance(series.dtype, pl.Struct) else []
        columns |= {f"{series.name}_{field}": partial(_array, series.struct.field(field)) for field in fields}
        columns |= {} if fields else {series.name: partial(_array, series)}
    return columns


def _array(series: "pl.Series") -> NDArray[Any]:
    import polars as pl

    def refuse_gaps(gaps: pl.Series) -> None:
        if gaps.any():
            rule = f"column {series.name!r} must have a value in every row"
            raise ValueError(f"{rule} (row {gaps.arg_true()[0]} has none); fill it or leave the row out")

    refuse_gaps(series.is_null())
    if isinstance(series.dtype, pl.Array | pl.List):
        lists = series.cast(pl.List(series.dtype.inner))
        refuse_gaps(lists.list.eval(pl.element().is_null()).list.any())
        lengths = lists.list.len().to_numpy()
        if (odd := lengths != lengths[0]).any():
            row = int(odd.argmax())
            rule = f"column {series.name!r} must have as many numbers in every row"
            raise ValueError(f"{rule} (row 0 has {lengths[0]}, row {row} has {lengths[row]})")
        return lists.explode().to_numpy().reshape(len(series), -1)
    return (series.cast(pl.Float64) if isinstance(series.dtype, pl.Decimal) else series).to_numpy()


READERS: dict[str, Callable[[bytes, Pick], Columns]] = {
    ".npz": _npz,
    ".csv": partial(_frame, _csv),
    ".parquet": partial(_frame, _parquet),
    ".jsonl": partial(_frame, _jsonl),
}


def _split(present: Sequence[str], wanted: str | None, default: str) -> str | None:
    if wanted is None and len(present) < 2:
        return present[0] if present else None
    chosen = wanted or default
    if chosen not in present:
        there = f"the splits {', '.join(present)}: choose one with split" if present else "no splits: leave split out"
        raise ValueError(f"there is no split {chosen!r}; the file has {there}")
    return chosen


def _names(pred: Predictions) -> NDArray[Any]:
    for kind in (int, str):
        if all(isinstance(name, kind) and not isinstance(name, bool) for name in pred.classes):
            return np.array(pred.classes)
    raise ValueError(f"to be written, classes must be all whole numbers or all text, got {pred.classes[:3]}...")


def _to_npz(x: Predictions | View) -> bytes:
    arrays: dict[str, NDArray[Any] | None]
    if isinstance(x, View):
        arrays = {"confidence": x.p, "correct": x.y, "weights": x.w}
    else:
        names = _names(x)
        unusual = None if x.classes == tuple(range(x.k)) else names
        arrays = {"probs": x.probs, "labels": names[x.labels], "classes": unusual, "weights": x.weights}
    present: dict[str, Any] = {name: array for name, array in arrays.items() if array is not None}
    buffer = BytesIO()
    np.savez(buffer, **present)
    return buffer.getvalue()


def _to_frame(save: Callable[["pl.DataFrame", BytesIO], Any], x: Predictions | View) -> bytes:
    import polars as pl

    arrays: dict[str, NDArray[Any] | None]
    if isinstance(x, View):
        arrays = {"confidence": x.p, "correct": x.y, "weight": x.w}
    else:
        names, probs = _names(x), x.probs.astype(np.promote_types(x.probs.dtype, np.float32), copy=False)
        arrays = {"label": names[x.labels], **{f"prob_{name}": probs[:, j] for j, name in enumerate(names)}}
        arrays["weight"] = x.weights
    buffer = BytesIO()
    save(pl.DataFrame({name: array for name, array in arrays.items() if array is not None}), buffer)
    return buffer.getvalue()


WRITERS: dict[str, Callable[[Predictions | View], bytes]] = {
    ".npz": _to_npz,
    ".csv": partial(_to_frame, lambda frame, buffer: frame.write_csv(buffer)),
    ".parquet": partial(_to_frame, lambda frame, buffer: frame.write_parquet(buffer)),
    ".jsonl": partial(_to_frame, lambda frame, buffer: frame.write_ndjson(buffer)),
}
