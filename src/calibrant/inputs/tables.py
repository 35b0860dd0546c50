"""Tables: the bytes of a .csv, .parquet, .arrow or .jsonl file as a polars frame, and back."""

import gzip
import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ..fitting.types import Ints, Values
from .column_names import find
from .columns import Arrays, Columns
from .csv_tables import csv_bytes, csv_table, stripped, tsv_table
from .gaps import MissingValues
from .harness_logs import choices_as_logits
from .inspect_logs import archive_table, is_inspect_log, log_table
from .paths import GZIPPED, suffix_of
from .splits import Pick
from .unpacking import check_depth, check_unpacked, decompressed

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BROKEN = (
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
    OSError,
    UnicodeDecodeError,
    json.JSONDecodeError,
    TypeError,  # of a .json that holds neither rows nor columns
    RecursionError,  # of one whose lists lie deep
)


def table(content: bytes, suffix: str) -> pl.DataFrame:
    """The table in the bytes of a file, names stripped, without blank lines at its end."""
    if suffix.endswith(GZIPPED):
        content = decompressed(content)
    load = LOADERS[suffix.removesuffix(GZIPPED)]
    try:
        frame = load(content.removeprefix(BYTE_ORDER_MARK))
    except BROKEN as error:
        raise ValueError(
            f"the file is not what its suffix says, or it was damaged ({_reason(error)})"
        ) from error
    names = stripped(frame.columns)
    frame = frame.rename(dict(zip(frame.columns, names, strict=True)))
    return _without_blank_end(frame)


def _without_blank_end(frame: pl.DataFrame) -> pl.DataFrame:
    has_value = pl.any_horizontal(pl.all().is_not_null())
    filled = frame.select(has_value).to_series().arg_true()
    if not len(filled):
        return frame.head(0)
    return frame.head(filled[-1] + 1)


def header(path: Path) -> list[str]:
    """The names of the columns of a table, without its rows."""
    suffix = suffix_of(path)
    is_gzipped = suffix.endswith(GZIPPED)
    plain = suffix.removesuffix(GZIPPED)
    if plain in (".csv", ".tsv", ".jsonl"):
        with gzip.open(path) if is_gzipped else path.open("rb") as file:
            first = file.readline()
        return table(first, plain).columns
    if plain == ".json":
        return table(path.read_bytes(), suffix).columns
    scan = pl.scan_parquet if suffix == ".parquet" else pl.scan_ipc
    schema = scan(path).collect_schema()
    return schema.names()


def stacked(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Tables by name as one, in their order; their columns must be alike."""
    first, *others = frames
    for other in others:
        _check_columns(frames, first, other)
        _check_columns(frames, other, first)
    columns = frames[first].columns
    alike = [frame.select(columns) for frame in frames.values()]
    try:
        return pl.concat(alike, how="vertical_relaxed")
    except BROKEN as error:
        raise ValueError(
            f"parts of a table must have columns of the same types ({_reason(error)})"
        ) from error


def rows_of_split(frame: pl.DataFrame, pick: Pick) -> pl.DataFrame:
    """The rows of the split that is picked among the values of the column `split`."""
    column = find(frame.columns, None, ["split"])
    if column is None:
        pick([])
        return frame
    try:
        splits = frame[column].cast(pl.String)
    except BROKEN as error:
        raise ValueError(
            f"column {column!r} must name the split of each row ({_reason(error)}); "
            "write it as text"
        ) from error
    present = splits.drop_nulls().unique()
    chosen = pick(sorted(present))
    if chosen is None:
        return frame
    return frame.filter(splits == chosen)


def columns_of(frame: pl.DataFrame) -> Columns:
    """The columns of a table by name, each an array once it is asked for."""
    columns: Columns = {}
    for name, series in _all_fields(frame).items():
        columns[name] = partial(_array, name, series)
    return columns


def column(frame: pl.DataFrame, name: str) -> Values:
    """A column, or a field of one by both names, its gaps left as they are."""
    return _all_fields(frame)[name].to_numpy()


def joined(frame: pl.DataFrame | None, stale: Iterable[str], new: Arrays) -> pl.DataFrame:
    """New columns in a table: in place of those of their name, without those that are stale."""
    if frame is None:
        return pl.DataFrame(dict(new))
    gone = set(stale) - set(new)
    kept = [column for column in frame.get_columns() if not _has_field(column, gone)]
    added = [pl.Series(name, array) for name, array in new.items()]
    return frame.select(kept).with_columns(added)


def saved(frame: pl.DataFrame, suffix: str) -> bytes:
    """The bytes of a file of a table."""
    buffer = BytesIO()
    try:
        SAVERS[suffix.removesuffix(GZIPPED)](frame, buffer)
    except BROKEN as error:
        raise ValueError(
            f"this table cannot be a {suffix} ({_reason(error)}); write another format"
        ) from error
    found = buffer.getvalue()
    # Without the time, so that the same table gives the same bytes.
    return gzip.compress(found, mtime=0) if suffix.endswith(GZIPPED) else found


def _parquet(content: bytes) -> pl.DataFrame:
    _check_cells(pl.scan_parquet(BytesIO(content)), len(content))
    return pl.read_parquet(BytesIO(content))


def _arrow(content: bytes) -> pl.DataFrame:
    # A file of Arrow begins with its name; what does not is a stream, as dataset libraries write.
    if content.startswith(b"ARROW1"):
        _check_cells(pl.scan_ipc(BytesIO(content)), len(content))
        return pl.read_ipc(BytesIO(content))
    return pl.read_ipc_stream(BytesIO(content))


def _check_cells(scan: pl.LazyFrame, packed: int) -> None:
    """Refuse what would fill the memory: a column of one value takes no place in a file."""
    rows = scan.select(pl.len()).collect().item()
    columns = len(scan.collect_schema())
    check_unpacked(8 * rows * columns, packed)


def _jsonl(content: bytes) -> pl.DataFrame:
    for line in content.split(b"\n"):
        check_depth(line)
    frame = pl.read_ndjson(BytesIO(content), infer_schema_length=None)
    return choices_as_logits(frame)


def _json(content: bytes) -> pl.DataFrame:
    """A list of rows, or the columns by name: each a list, or as pandas has them a dict by row."""
    check_depth(content)
    found = json.loads(content)
    if is_inspect_log(found):
        return log_table(found)
    if isinstance(found, dict):
        columns = found.values()
        found = {
            name: list(column.values()) if isinstance(column, dict) else column
            for name, column in found.items()
        }
        if not all(isinstance(column, list | dict) for column in columns):
            found = [found]
    return choices_as_logits(pl.DataFrame(found, infer_schema_length=None, strict=False))


def _write_csv(frame: pl.DataFrame, buffer: BytesIO) -> None:
    buffer.write(csv_bytes(frame))


def _write_tsv(frame: pl.DataFrame, buffer: BytesIO) -> None:
    buffer.write(csv_bytes(frame, "\t"))


def _check_columns(frames: Mapping[str, pl.DataFrame], here: str, there: str) -> None:
    known = frames[there].columns
    for name in frames[here].columns:
        if name not in known:
            raise ValueError(
                "parts of a table must have the same columns: "
                f"{here} has {name!r}, {there} has not; "
                "name parts that are alike"
            )


def _all_fields(frame: pl.DataFrame) -> dict[str, pl.Series]:
    found: dict[str, pl.Series] = {}
    for column in frame.get_columns():
        found |= _fields(column)
    return found


def _fields(series: pl.Series) -> dict[str, pl.Series]:
    """A column by its name, or those within it by its name and theirs."""
    if not isinstance(series.dtype, pl.Struct):
        return {series.name: series}
    found = {}
    for field in series.struct.fields:
        found[f"{series.name}_{field}"] = series.struct.field(field)
    return found


def _has_field(series: pl.Series, names: set[str]) -> bool:
    return not names.isdisjoint(_fields(series))


def _array(name: str, series: pl.Series) -> Values:
    try:
        whole = _whole(series)
        if whole is not None:
            return whole
        gaps = series.is_null()
        if series.dtype.is_float():
            gaps |= series.is_nan().fill_null(value=False)
        _refuse_gaps(name, gaps)
        if isinstance(series.dtype, pl.Array | pl.List):
            return _lists(name, series, series.dtype.inner)
        if isinstance(series.dtype, pl.Decimal):
            series = series.cast(pl.Float64)
        return series.to_numpy()
    except BROKEN as error:
        raise ValueError(
            f"column {name!r} cannot be read ({_reason(error)}); write it as other numbers"
        ) from error


def _whole(series: pl.Series) -> Values | None:
    """A column of plain numbers without gaps, which is quickly seen; None where it is another."""
    is_plain = series.dtype.is_float() or series.dtype.is_integer()
    if not is_plain or series.null_count():
        return None
    array = series.to_numpy()
    # The least of some numbers is nan if any of them is.
    return None if np.isnan(array.min(initial=0)) else array


def _lists(name: str, series: pl.Series, inner: Any) -> Values:  # noqa: ANN401 - a polars type
    kind = pl.Float64 if isinstance(inner, pl.Decimal) else inner
    lists = series.cast(pl.List(kind))
    _check_lengths(name, lists.list.len().to_numpy())
    numbers = lists.explode()
    if numbers.null_count():
        has_gap = lists.list.eval(pl.element().is_null()).list.any()
        _refuse_gaps(name, has_gap)
    return numbers.to_numpy().reshape(len(series), -1)


def _check_lengths(name: str, lengths: Ints) -> None:
    is_odd = lengths != lengths[0]
    if is_odd.any():
        row = int(is_odd.argmax())
        raise ValueError(
            f"column {name!r} must have as many numbers in every row "
            f"(row 0 has {lengths[0]}, row {row} has {lengths[row]})"
        )


def _refuse_gaps(name: str, gaps: pl.Series) -> None:
    if gaps.any():
        raise MissingValues(name, gaps.to_numpy())


def _reason(error: BaseException) -> str:
    text = str(error).strip() or "unreadable"
    first = text.splitlines()[0]
    return first[:120]


LOADERS: dict[str, Callable[[bytes], pl.DataFrame]] = {
    ".csv": csv_table,
    ".tsv": tsv_table,
    ".parquet": _parquet,
    ".arrow": _arrow,
    ".feather": _arrow,
    ".jsonl": _jsonl,
    ".json": _json,
    ".eval": archive_table,
}
SAVERS: dict[str, Callable[[pl.DataFrame, BytesIO], object]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".parquet": pl.DataFrame.write_parquet,
    ".arrow": pl.DataFrame.write_ipc,
    ".feather": pl.DataFrame.write_ipc,
    ".jsonl": pl.DataFrame.write_ndjson,
    ".json": pl.DataFrame.write_json,
}
