"""Tables in .csv files: whatever parts their columns, and however their names are spaced."""

from collections import Counter
from collections.abc import Callable, Sequence

import polars as pl

# A number as programs write it that part columns by semicolons or tabs.
DECIMAL_COMMA = r"^\s*[+-]?\d+,\d+([eE][+-]?\d+)?\s*%?\s*$"
# Text that a spreadsheet would work out when it opens the file, or hides that behind a mark.
FORMULA = r"^'*[=+\-@\t\r](?s:.)"
MARKED_FORMULA = r"^'+[=+\-@\t\r](?s:.)"
SIGNED_NUMBER = r"^[+-](\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?$"
PLAIN_NUMBER = r"^\s*[+-]?\d+([eE][+-]?\d+)?\s*%?\s*$"


def tsv_table(content: bytes) -> pl.DataFrame:
    """The table in the bytes of a .tsv."""
    return csv_table(content, "\t")


def csv_table(content: bytes, sign: str | None = None) -> pl.DataFrame:
    """The table in the bytes of a .csv, parted by `sign`; if it is None, by what its header shows."""
    content = content.lstrip(b"\r\n")
    sign = _separator(content) if sign is None else sign
    header = _csv_header(content, sign)
    names = stripped(header)
    if names != header:
        content = _without_spaces(content, sign)
    # All rows set the types: a column of 0 and 1 may hold its first 0.5 in the last row.
    frame = pl.read_csv(content, separator=sign, infer_schema_length=None)
    if sign != ",":
        frame = frame.with_columns(_with_points(column) for column in frame.get_columns())
    pairs = zip(frame.columns, names, strict=True)
    frame = frame.rename({old: new for old, new in pairs if new})
    return _in_texts(frame, _unmarked)


def csv_bytes(frame: pl.DataFrame, sign: str = ",") -> bytes:
    """A table as a .csv in which no text is a formula: one such begins with ', which is read back."""
    return _in_texts(frame, _marked).write_csv(separator=sign).encode()


def _in_texts(frame: pl.DataFrame, change: Callable[[pl.Expr], pl.Expr]) -> pl.DataFrame:
    """A table with texts changed, those of its header too."""
    names = pl.DataFrame({"name": frame.columns}, {"name": pl.String})
    new = names.select(change(pl.col("name")))["name"].to_list()
    changed = frame.with_columns(change(pl.col(pl.String)))
    return changed.rename(dict(zip(frame.columns, new, strict=True)))


def _marked(text: pl.Expr) -> pl.Expr:
    is_formula = text.str.contains(FORMULA) & ~text.str.contains(SIGNED_NUMBER)
    return pl.when(is_formula).then("'" + text).otherwise(text).name.keep()


def _unmarked(text: pl.Expr) -> pl.Expr:
    is_marked = text.str.contains(MARKED_FORMULA)
    return pl.when(is_marked).then(text.str.slice(1)).otherwise(text).name.keep()


def _with_points(column: pl.Series) -> pl.Series:
    """A column of numbers with decimal commas, some of them whole perhaps, as numbers."""
    if column.dtype != pl.String:
        return column
    texts = column.drop_nulls()
    has_comma = texts.str.contains(DECIMAL_COMMA)
    is_number = has_comma | texts.str.contains(PLAIN_NUMBER)
    if not has_comma.any() or not is_number.all():
        return column
    points = column.str.strip_chars().str.replace(",", ".", literal=True)
    numbers = points.cast(pl.Float64, strict=False)
    return points if numbers.null_count() > column.null_count() else numbers


def stripped(names: Sequence[str]) -> list[str]:
    """Names without outer spaces, all different."""
    bare = [name.strip() for name in names]
    for name, times in Counter(bare).items():
        if name and times > 1:
            raise ValueError(f"there are two columns {name!r}; rename one")
    return bare


def _separator(content: bytes) -> str:
    first = content.split(b"\n", 1)[0]
    # Where a comma is part of numbers, programs part columns by semicolons.
    for sign in (",", ";", "\t"):
        if sign.encode() in first:
            return sign
    return ","


def _csv_header(content: bytes, sign: str) -> list[str]:
    # As a row of its own: polars would give a new name to a column that is there twice.
    first = pl.read_csv(
        content,
        separator=sign,
        has_header=False,
        n_rows=1,
        infer_schema=False,
    )
    return [name or "" for name in first.row(0)]


def _without_spaces(content: bytes, sign: str) -> bytes:
    """A .csv without the spaces around its values, with which numbers would be text."""
    texts = pl.read_csv(content, separator=sign, infer_schema=False)
    bare = texts.with_columns(pl.all().str.strip_chars())
    return bare.write_csv(separator=sign).encode()
