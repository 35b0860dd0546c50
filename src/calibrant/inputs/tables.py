"""Tables: the bytes of a .csv, .parquet, .arrow or .jsonl file as a polars frame, its columns as arrays, and back."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl
from numpy.typing import NDArray

from .columns import Columns, find
from .splits import Pick

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
Broken = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


def table(content: bytes, suffix: str) -> pl.DataFrame:
    """The table in the bytes of a file, its names without outer spaces, and no blank lines at its end."""
    try:
        frame = LOADERS[suffix](content.removeprefix(BYTE_ORDER_MARK))
    except Broken as error:
        raise ValueError(
            f"the file is not what its suffix says, or it was damaged ({_reason(error)})"
        ) from error
    frame = frame.rename(dict(zip(frame.columns, _distinct(frame.columns), strict=True)))
    filled = frame.select(pl.any_horizontal(pl.all().is_not_null())).to_series().arg_true()
    return frame.head(filled[-1] + 1 if len(filled) else 0)


def header(path: Path) -> list[str]:
    """The names of the columns of a table, without its rows."""
    suffix = path.suffix.lower()
    if suffix in (".csv", ".jsonl"):
        with path.open("rb") as file:
            return table(file.readline(), suffix).columns
    return (
        (pl.scan_parquet(path) if suffix == ".parquet" else pl.scan_ipc(path))
        .collect_schema()
        .names()
    )


def stacked(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Tables by name as one, in their order; their columns must be alike."""
    (first, one), *others = frames.items()
    for name, other in others:
        for here, there, columns in ((first, name, one), (name, first, other)):
            beyond = [column for column in columns.columns if column not in frames[there].columns]
            if beyond:
                rule = f"parts of a table must have the same columns: {here} has {beyond[0]!r}, {there} has not"
                raise ValueError(f"{rule}; name parts that are alike")
    try:
        return pl.concat(
            [frame.select(one.columns) for frame in frames.values()], how="vertical_relaxed"
        )
    except Broken as error:
        raise ValueError(
            f"parts of a table must have columns of the same types ({_reason(error)})"
        ) from error


def part(frame: pl.DataFrame, pick: Pick) -> pl.DataFrame:
    """The rows of the split that is picked among the values of the column `split`."""
    column = find(frame.columns, None, ["split"])
    splits = pl.Series([], dtype=pl.String) if column is None else frame[column].cast(pl.String)
    chosen = pick(sorted(splits.drop_nulls().unique()))
    return frame if chosen is None else frame.filter(splits == chosen)


def arrays(frame: pl.DataFrame) -> Columns:
    """The columns of a table by name, each an array once it is asked for."""
    named = {
        name: series for column in frame.get_columns() for name, series in _fields(column).items()
    }
    return {name: partial(_array, name, series) for name, series in named.items()}


def column(frame: pl.DataFrame, name: str) -> NDArray[Any]:
    """A column, or a field of one by both names, its gaps left as they are."""
    found = {
        field: series for each in frame.get_columns() for field, series in _fields(each).items()
    }
    return found[name].to_numpy()


def joined(
    frame: pl.DataFrame | None, stale: Iterable[str], new: Mapping[str, NDArray[Any]]
) -> pl.DataFrame:
    """New columns in a table: in place of those of their name, without those that are stale."""
    if frame is None:
        return pl.DataFrame(dict(new))
    gone = set(stale) - set(new)
    kept = [column for column in frame.get_columns() if not _fields(column).keys() & gone]
    return frame.select(kept).with_columns([pl.Series(name, array) for name, array in new.items()])


def saved(frame: pl.DataFrame, suffix: str) -> bytes:
    """The bytes of a file of a table."""
    buffer = BytesIO()
    try:
        SAVERS[suffix](frame, buffer)
    except Broken as error:
        raise ValueError(
            f"this table cannot be a {suffix} ({_reason(error)}); write another format"
        ) from error
    return buffer.getvalue()


def _csv(content: bytes) -> pl.DataFrame:
    content = content.lstrip(b"\r\n")
    first = content.split(b"\n", 1)[0]
    # Where a comma is part of numbers, programs part columns by semicolons.
    sign = next((sign for sign in (",", ";", "\t") if sign.encode() in first), ",")
    # The header is read as a row of its own: polars would give a new name to a column that is there twice.
    header = pl.read_csv(
        content, separator=sign, has_header=False, n_rows=1, infer_schema=False
    ).row(0)
    names = _distinct([name or "" for name in header])
    if any(name and name != name.strip() for name in header):
        # Spaces after commas: without them a column of numbers is one.
        stripped = pl.read_csv(content, separator=sign, infer_schema=False).with_columns(
            pl.all().str.strip_chars()
        )
        content = stripped.write_csv(separator=sign).encode()
    # All rows set the types: a column of 0 and 1 may hold its first 0.5 in the last row.
    frame = pl.read_csv(content, separator=sign, infer_schema_length=None)
    return frame.rename({old: new for old, new in zip(frame.columns, names, strict=True) if new})


def _ipc(content: bytes) -> pl.DataFrame:
    # A file of Arrow begins with its name; what does not is a stream, as dataset libraries write it.
    return (pl.read_ipc if content.startswith(b"ARROW1") else pl.read_ipc_stream)(BytesIO(content))


def _jsonl(content: bytes) -> pl.DataFrame:
    frame = pl.read_ndjson(BytesIO(content), infer_schema_length=None)
    return (
        _choices(frame)
        if frame.schema.get("filtered_resps") == pl.List(pl.List(pl.String))
        else frame
    )


def _choices(frame: pl.DataFrame) -> pl.DataFrame:
    """A log of lm-evaluation-harness with the log-likelihoods of its choices as logits.

    A row holds [[-0.7, true], [-2.1, false]] and the place of the right choice, either as text. Where the number of
    choices varies, or the right one has no place, the chance of the likeliest is a confidence, and `acc` its outcome.
    """
    likelihoods = frame["filtered_resps"].list.eval(
        pl.element().list.first().cast(pl.Float64, strict=False)
    )
    counts = likelihoods.list.len()
    if counts.null_count() or (counts < 2).any() or likelihoods.explode().null_count():
        return frame
    rest = frame.drop("filtered_resps")
    places = (
        rest["target"].cast(pl.Int64, strict=False)
        if "target" in rest.columns
        else pl.Series("target", [None])
    )
    if counts.n_unique() == 1 and not places.null_count():
        return rest.with_columns(places, likelihoods.alias("logits"))
    if "acc" not in rest.columns:
        return frame
    above = likelihoods.list.eval(pl.element() - pl.element().max())
    chance = 1 / above.list.eval(pl.element().exp()).list.sum()
    return rest.with_columns(chance.alias("confidence"), pl.col("acc").alias("correct"))


def _distinct(names: Sequence[str]) -> list[str]:
    stripped = [name.strip() for name in names]
    for name in stripped:
        if name and stripped.count(name) > 1:
            raise ValueError(f"there are two columns {name!r}; rename one")
    return stripped


def _fields(series: pl.Series) -> dict[str, pl.Series]:
    """A column by its name, or those within it by its name and theirs."""
    if not isinstance(series.dtype, pl.Struct):
        return {series.name: series}
    return {f"{series.name}_{field}": series.struct.field(field) for field in series.struct.fields}


def _array(name: str, series: pl.Series) -> NDArray[Any]:
    try:
        _refuse_gaps(name, series.is_null())
        if not isinstance(series.dtype, pl.Array | pl.List):
            return (
                series.cast(pl.Float64) if isinstance(series.dtype, pl.Decimal) else series
            ).to_numpy()
        lists = series.cast(
            pl.List(
                pl.Float64 if isinstance(series.dtype.inner, pl.Decimal) else series.dtype.inner
            )
        )
        lengths = lists.list.len().to_numpy()
        if (odd := lengths != lengths[0]).any():
            row = int(odd.argmax())
            rule = f"column {name!r} must have as many numbers in every row"
            raise ValueError(f"{rule} (row 0 has {lengths[0]}, row {row} has {lengths[row]})")
        numbers = lists.explode()
        if numbers.null_count():
            _refuse_gaps(name, lists.list.eval(pl.element().is_null()).list.any())
        return numbers.to_numpy().reshape(len(series), -1)
    except Broken as error:
        raise ValueError(
            f"column {name!r} cannot be read ({_reason(error)}); write it as other numbers"
        ) from error


def _refuse_gaps(name: str, gaps: pl.Series) -> None:
    if gaps.any():
        rule = f"column {name!r} must have a value in every row"
        raise ValueError(
            f"{rule} (row {gaps.arg_true()[0]} has none); fill it or leave the row out"
        )


def _reason(error: BaseException) -> str:
    return (str(error).strip() or "unreadable").splitlines()[0][:120]


LOADERS: dict[str, Callable[[bytes], pl.DataFrame]] = {
    ".csv": _csv,
    ".parquet": lambda content: pl.read_parquet(BytesIO(content)),
    ".arrow": _ipc,
    ".feather": _ipc,
    ".jsonl": _jsonl,
}
SAVERS: dict[str, Callable[[pl.DataFrame, BytesIO], object]] = {
    ".csv": lambda frame, buffer: frame.write_csv(buffer),
    ".parquet": lambda frame, buffer: frame.write_parquet(buffer),
    ".arrow": lambda frame, buffer: frame.write_ipc(buffer),
    ".feather": lambda frame, buffer: frame.write_ipc(buffer),
    ".jsonl": lambda frame, buffer: frame.write_ndjson(buffer),
}
