"""Tables: the bytes of a .csv, .parquet, .arrow or .jsonl file as a polars frame, and back."""

import gzip
import json
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path

import polars as pl

from .column_names import find
from .csv_tables import csv_bytes, csv_table, stripped, tsv_table
from .harness_logs import choices_as_logits, readable_lines
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
            f"the file is not what its suffix says, or it was damaged ({reason(error)})"
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
            f"parts of a table must have columns of the same types ({reason(error)})"
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
            f"column {column!r} must name the split of each row ({reason(error)}); write it as text"
        ) from error
    present = splits.drop_nulls().unique()
    chosen = pick(sorted(present))
    if chosen is None:
        return frame
    return frame.filter(splits == chosen)


def saved(frame: pl.DataFrame, suffix: str) -> bytes:
    """The bytes of a file of a table."""
    buffer = BytesIO()
    try:
        SAVERS[suffix.removesuffix(GZIPPED)](frame, buffer)
    except BROKEN as error:
        raise ValueError(
            f"this table cannot be a {suffix} ({reason(error)}); write another format"
        ) from error
    found = buffer.getvalue()
    # Without the time, so that the same table gives the same bytes.
    return gzip.compress(found, mtime=0) if suffix.endswith(GZIPPED) else found


def reason(error: BaseException) -> str:
    """What an error says first, in one line."""
    text = str(error).strip() or "unreadable"
    first = text.splitlines()[0]
    return first[:120]


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
    try:
        frame = pl.read_ndjson(BytesIO(content), infer_schema_length=None)
    except pl.exceptions.PolarsError:
        lines = readable_lines(content)
        if lines is None:
            raise
        frame = pl.read_ndjson(BytesIO(lines), infer_schema_length=None)
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
