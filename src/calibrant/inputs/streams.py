"""Streams: a file, or standard input as it comes in, some rows at a time and in bounded memory."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .column_names import ColumnNames
from .contents import Contents
from .files import contents_of, read_contents, said_of
from .gaps import MissingValues
from .opening import opened_table
from .paths import STANDARD_INPUT, files_at, signature_suffix, suffix_of
from .splits import Pick, picking

# Texts are read line by line, and so many bytes at a time.
LINES = (".csv", ".tsv", ".jsonl")
BYTES = 4_000_000
_USUAL_SPLIT = "test"
_NOTHING = "nothing came in; write rows to it, as in: tail -f log.jsonl | calibrant monitor -"
_NO_LINES = (
    "a stream by standard input is lines of a .csv or .jsonl, and this begins as a {}; "
    "name it as a file"
)


class Batch(NamedTuple):
    """Some rows of a stream, None where all of them lack a value; and for want of which columns."""

    contents: Contents | None
    lacking: dict[str, int]


def batches(
    path: Path,
    wanted: ColumnNames,
    split: str | None = None,
    *,
    skip_missing: bool = False,
    max_gb: float = 1.0,
) -> Iterator[Batch]:
    """The rows of a file or a pattern, or of standard input as they come in."""
    pick = picking(split, _USUAL_SPLIT, wanted.called("split"), None)
    with said_of(path, wanted):
        files = files_at(path)
    for file in files:
        if file != STANDARD_INPUT and suffix_of(file) not in LINES:
            found = read_contents(
                file, wanted, split, _USUAL_SPLIT, skip_missing=skip_missing, max_gb=max_gb
            )
            yield Batch(found, found.lacking)
            continue
        with said_of(file, wanted):
            for text, suffix in _texts(file):
                yield _batch(file, text, suffix, wanted, pick, skip_missing=skip_missing)


def tables(source: BinaryIO, suffix: str, first: bytes = b"") -> Iterator[bytes]:
    """Whole lines as they come in, each time beneath the header where there is one."""
    left = first
    header: bytes | None = b"" if suffix == ".jsonl" else None
    is_open = True
    while is_open:
        block = source.read1(BYTES)  # type: ignore[attr-defined]
        left += block
        is_open = bool(block)
        end = _last_whole_line(left, suffix) if is_open else len(left)
        if header is None and b"\n" in left[:end].lstrip(b"\r\n"):
            left = left.lstrip(b"\r\n")
            end = _last_whole_line(left, suffix) if is_open else len(left)
            begin = left.index(b"\n") + 1
            header, left, end = left[:begin], left[begin:], end - begin
        if header is not None and left[:end].strip():
            yield header + left[:end]
            left = left[end:]


def _texts(file: Path) -> Iterator[tuple[bytes, str]]:
    """Parts of a file or of standard input, and their format."""
    if file != STANDARD_INPUT:
        suffix = suffix_of(file)
        with file.open("rb") as source:
            for text in tables(source, suffix):
                yield text, suffix
        return
    first = sys.stdin.buffer.read1(BYTES)  # type: ignore[union-attr]
    if not first:
        raise ValueError(_NOTHING)
    suffix = signature_suffix(first)
    if suffix not in LINES:
        raise ValueError(_NO_LINES.format(suffix))
    for text in tables(sys.stdin.buffer, suffix, first):
        yield text, suffix


def _batch(
    file: Path, text: bytes, suffix: str, wanted: ColumnNames, pick: Pick, *, skip_missing: bool
) -> Batch:
    from .tables import table

    frame = table(text, suffix)
    try:
        opened = opened_table(frame, wanted, pick)
        found = contents_of(file, opened, needs_outcomes=True, skip_missing=skip_missing)
    except MissingValues as missing:
        if not skip_missing or not missing.gaps.all():
            raise
        return Batch(None, {missing.name: frame.height})
    return Batch(found, found.lacking)


def _last_whole_line(text: bytes, suffix: str) -> int:
    """Where the last whole line ends: in quotes a line of a table may go on."""
    end = text.rfind(b"\n") + 1
    while suffix != ".jsonl" and end and text.count(b'"', 0, end) % 2:
        end = text.rfind(b"\n", 0, end - 1) + 1
    return end
