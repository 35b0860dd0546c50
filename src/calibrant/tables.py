"""Tables: the bytes of a .csv, .parquet or .jsonl file as a polars frame, its columns as arrays, and back."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from io import BytesIO
from typing import Any

import polars as pl
from numpy.typing import NDArray

from .columns import Columns, find

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
Broken = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


def table(content: bytes, suffix: str) -> pl.DataFrame:
    """The table in the bytes of a file, its names without outer spaces, and no blank lines at its end."""
    try:
        frame = LOADERS[suffix](content.removeprefix(BYTE_ORDER_MARK))
    except Broken as error:
        raise ValueError(f"the file is not what its suffix says, or it was damaged ({_reason(error)})") from error
    frame = frame.rename(dict(zip(frame.columns, _distinct(frame.columns), strict=True)))
    filled = frame.select(pl.any_horizontal(pl.all().is_not_null())).to_series().arg_true()
    return frame.head(filled[-1] + 1 if len(filled) else 0)


def part(frame: pl.DataFrame, pick: Callable[[Sequence[str]], str | None]) -> pl.DataFrame:
    """The rows of the split that is picked among the values of the column `split`."""
    column = find(frame.columns, None, ["split"])
    splits = pl.Series([], dtype=pl.String) if column is None else frame[column].cast(pl.String)
    chosen = pick(sorted(splits.drop_nulls().unique()))
    return frame if chosen is None else frame.filter(splits == chosen)


def arrays(frame: pl.DataFrame) -> Columns:
    """The columns of a table by name, each an array once it is asked for."""
    named = {name: series for column in frame.get_columns() for name, series in _fields(column).items()}
    return {name: partial(_array, name, series) for name, series in named.items()}


def joined(frame: pl.DataFrame | None, stale: Iterable[str], new: Mapping[str, NDArray[Any]]) -> pl.DataFrame:
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
        raise ValueError(f"this table cannot be a {suffix} ({_reason(error)}); write another format") from error
    return buffer.getvalue()


def _csv(content: bytes) -> pl.DataFrame:
    content = content.lstrip(b"\r\n")
    # The header is read as a row of its own: polars would give a new name to a column that is there twice.
    header = pl.read_csv(content, has_header=False, n_rows=1, infer_schema=False).row(0)
    names = _distinct([name or "" for name in header])
    if any(name and name != name.strip() for name in header):
        # Spaces after commas: without them a column of numbers is one.
        stripped = pl.read_csv(content, infer_schema=False).with_columns(pl.all().str.strip_chars())
        content = stripped.write_csv().encode()
    # All rows set the types: a column of 0 and 1 may hold its first 0.5 in the last row.
    frame = pl.read_csv(content, infer_schema_length=None)
    return frame.rename({old: new for old, new in zip(frame.columns, names, strict=True) if new})


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
            return (series.cast(pl.Float64) if isinstance(series.dtype, pl.Decimal) else series).to_numpy()
        lists = series.cast(pl.List(pl.Float64 if isinstance(series.dtype.inner, pl.Decimal) else series.dtype.inner))
        _refuse_gaps(name, lists.list.eval(pl.element().is_null()).list.any())
        lengths = lists.list.len().to_numpy()
        if (odd := lengths != lengths[0]).any():
            row = int(odd.argmax())
            rule = f"column {name!r} must have as many numbers in every row"
            raise ValueError(f"{rule} (row 0 has {lengths[0]}, row {row} has {lengths[row]})")
        return lists.explode().to_numpy().reshape(len(series), -1)
    except Broken as error:
        raise ValueError(f"column {name!r} cannot be read ({_reason(error)}); write it as other numbers") from error


def _refuse_gaps(name: str, gaps: pl.Series) -> None:
    if gaps.any():
        rule = f"column {name!r} must have a value in every row"
        raise ValueError(f"{rule} (row {gaps.arg_true()[0]} has none); fill it or leave the row out")


def _reason(error: BaseException) -> str:
    return (str(error).strip() or "unreadable").splitlines()[0][:120]


LOADERS: dict[str, Callable[[bytes], pl.DataFrame]] = {
    ".csv": _csv,
    ".parquet": lambda content: pl.read_parquet(BytesIO(content)),
    ".jsonl": lambda content: pl.read_ndjson(BytesIO(content), infer_schema_length=None),
}
SAVERS: dict[str, Callable[[pl.DataFrame, BytesIO], object]] = {
    ".csv": lambda frame, buffer: frame.write_csv(buffer),
    ".parquet": lambda frame, buffer: frame.write_parquet(buffer),
    ".jsonl": lambda frame, buffer: frame.write_ndjson(buffer),
}
