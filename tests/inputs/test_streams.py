"""Streams: however lines come in, batches hold the rows of the whole, once each and in order."""

from io import BufferedReader, BytesIO, RawIOBase
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from calibrant.inputs import streams
from calibrant.inputs.column_names import ColumnNames
from calibrant.inputs.streams import batches, tables

CSV = b"p,y,note\n" + b"".join(b'0.%d,%d,"a\n""b"\n' % (i % 9 + 1, i % 2) for i in range(40))
WANTED = ColumnNames(confidence="p", correct="y", sign="--")


class Slowly(RawIOBase):
    """Gives few bytes at a time, as a pipe does."""

    def __init__(self, text: bytes, step: int) -> None:
        self.inner, self.step = BytesIO(text), step

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        found = self.inner.read(min(self.step, len(buffer)))
        buffer[: len(found)] = found
        return len(found)


@pytest.mark.parametrize("step", [1, 7, 100, 10_000])
@pytest.mark.parametrize("end", [b"", b"\n\n"])
def test_parts_of_a_table_hold_every_row_once(step: int, end: bytes) -> None:
    source = BufferedReader(Slowly(CSV.rstrip(b"\n") + end, step))
    frames = [pl.read_csv(text) for text in tables(source, ".csv")]
    rows = pl.concat(frames).drop_nulls()
    assert rows.equals(pl.read_csv(CSV))


def test_batches_of_a_file_are_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BYTES", 100)
    path = tmp_path / "part-1.csv"
    path.write_bytes(CSV)
    pl.read_csv(CSV).write_parquet(tmp_path / "part-2.parquet")
    for pattern, times in (("part-*.csv", 1), ("part-*", 2)):
        found = list(batches(tmp_path / pattern, WANTED))
        p = np.concatenate([batch.contents.x.p for batch in found if batch.contents])  # type: ignore[union-attr]
        assert p.tolist() == times * pl.read_csv(CSV)["p"].to_list()
        assert len(found) > times


def test_gaps_are_refused_or_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BYTES", 20)
    path = tmp_path / "gaps.jsonl"
    path.write_text(
        '{"p":0.5,"y":1}\n{"p":null,"y":1}\n{"p":null,"y":0}\n{"p":0.2,"y":null}\n{"p":0.1,"y":0}\n'
    )
    with pytest.raises(ValueError, match=r"gaps\.jsonl: column 'p' must have a value"):
        list(batches(path, WANTED))
    found = list(batches(path, WANTED, skip_missing=True))
    kept = [batch.contents.x.p.tolist() for batch in found if batch.contents is not None]  # type: ignore[union-attr]
    assert sum(kept, []) == [0.5, 0.1]  # noqa: RUF017 - a handful
    assert sum(sum(batch.lacking.values()) for batch in found) == 3


@pytest.mark.parametrize(
    ("text", "why"), [(b"", "nothing came in"), (b"PK\x03\x04", r".* begins as a \.npz")]
)
def test_what_is_no_stream_is_refused(
    text: bytes, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = BufferedReader(Slowly(text, 100))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=source))
    with pytest.raises(ValueError, match=f"standard input: {why}"):
        list(batches(Path("-"), WANTED))


def test_standard_input_is_read_as_it_comes_in(monkeypatch: pytest.MonkeyPatch) -> None:
    source = BufferedReader(Slowly(CSV, 60))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=source))
    reading = batches(Path("-"), WANTED)
    first = next(reading).contents
    assert first is not None
    assert first.x.n < 10
    assert first.x.n + sum(each.contents.x.n for each in reading if each.contents) == 40
