"""Footers say what pyarrow says of them."""

from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
from shared_parts import table

from calibrant.scale.footers import row_groups


def of_pyarrow(path: Path) -> list[tuple[int, int]]:
    found = pq.ParquetFile(path).metadata
    groups = [found.row_group(number) for number in range(found.num_row_groups)]
    return [(group.num_rows, group.total_byte_size) for group in groups]


@pytest.mark.parametrize("writer", ["polars", "pyarrow"])
def test_rows_and_bytes_are_those_of_pyarrow(writer: str, tmp_path: Path) -> None:
    path = tmp_path / "some.parquet"
    frame = table(1000).with_columns(list=pl.concat_list("prob_cat", "prob_dog"), is_even=True)
    if writer == "polars":
        frame.write_parquet(path, row_group_size=64, compression="lz4")
    else:
        pq.write_table(frame.to_arrow(), path, row_group_size=64, version="1.0")
    found = row_groups(path)
    assert [(each.rows, each.bytes) for each in found] == of_pyarrow(path)
    assert [each.number for each in found] == list(range(len(found)))
    assert found[-1].first + found[-1].rows == 1000


def test_what_is_no_whole_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "some.parquet"
    table(100).write_parquet(path)
    content = path.read_bytes()
    for damaged in (content[:-200], b"PAR1", content[:-8] + b"\xff\xff\xff\x7fPAR1"):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"some\.parquet: .*write it again"):
            row_groups(path)
    path.write_bytes(content[:-12] + b"\x29" * 4 + content[-8:])
    with pytest.raises(ValueError, match="footer is damaged"):
        row_groups(path)
