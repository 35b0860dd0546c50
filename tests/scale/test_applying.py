"""Maps applied part by part give what they give at once, whole or not at all, and go on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from shared_parts import N, assert_rows_close, files, table

import calibrant
from calibrant import Platt, Temperature
from calibrant.cli import run
from calibrant.scale import apply

FRAME = table()
CHANCES = FRAME.select(p="prob_cat", outcome=pl.col("label") == "cat", id="id")


def at_once(family: calibrant.Family, frame: pl.DataFrame, folder: Path) -> pl.DataFrame:
    """What reading, applying and writing the whole gives."""
    frame.write_parquet(folder / "whole.parquet")
    source = calibrant.read(folder / "whole.parquet")
    fitted = family.fit(source)
    fitted.save(folder / "map.safetensors")
    paths = [str(folder / name) for name in ("map.safetensors", "whole.parquet", "mended.parquet")]
    assert run(["apply", *paths[:2], "-o", paths[2], "--quiet"]) == 0
    return pl.read_parquet(folder / "mended.parquet")


@pytest.mark.parametrize(
    ("family", "frame"), [(Temperature(), FRAME), (Platt(), CHANCES)], ids=["vectors", "chances"]
)
def test_parts_are_what_the_whole_is(
    family: calibrant.Family, frame: pl.DataFrame, tmp_path: Path
) -> None:
    expected = at_once(family, frame, tmp_path)
    parts = tmp_path / "parts"
    parts.mkdir()
    files(parts, frame)
    fitted = calibrant.load(tmp_path / "map.safetensors")
    found = apply(fitted, parts, tmp_path / "out")
    assert (found.rows, found.already) == (N, 0)
    assert_rows_close(pl.read_parquet(tmp_path / "out"), expected)
    assert calibrant.read(tmp_path / "out").n == N


def test_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    paths = files(tmp_path, FRAME)
    fitted = Temperature().fit(calibrant.read(tmp_path))
    out = tmp_path / "out"
    apply(fitted, paths, out)
    first, *others = sorted(out.glob("*.parquet"))
    times = {path: path.stat().st_mtime_ns for path in others}
    whole = first.read_bytes()
    first.unlink()
    found = apply(fitted, paths, out)
    assert (found.rows, found.already) == (400, len(others))
    assert first.read_bytes() == whole
    assert {path: path.stat().st_mtime_ns for path in others} == times
    assert apply(fitted, paths, out).rows == 0


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    paths = files(tmp_path, FRAME)
    pred = calibrant.read(tmp_path)
    apply(Temperature().fit(pred), paths, tmp_path / "out")
    with pytest.raises(ValueError, match="another map or other rows were written here"):
        apply(Temperature().fit(pred[:100]), paths, tmp_path / "out")
    with pytest.raises(ValueError, match="another map or other rows were written here"):
        apply(Temperature().fit(pred), paths[:2], tmp_path / "out")
    with pytest.raises(ValueError, match="this is no empty folder"):
        apply(Temperature().fit(pred), paths, tmp_path)


def test_a_bad_part_is_named_or_left_out(tmp_path: Path) -> None:
    paths = files(tmp_path, FRAME)
    fitted = Temperature().fit(calibrant.read(tmp_path))
    bad = pl.read_parquet(paths[1]).with_columns(prob_cat=pl.col("prob_cat") * 3)
    bad.write_parquet(paths[1])
    with pytest.raises(ValueError, match=r"part-1\.parquet, row group 0: probs rows must sum"):
        apply(fitted, paths, tmp_path / "out")
    found = apply(fitted, paths, tmp_path / "out", skip_bad=True)
    assert found.skipped.parts == 1
    assert calibrant.read(tmp_path / "out").n == N - 1000


SLOWLY = """
import sys, time
import calibrant
from calibrant.scale import applying
one = applying.write_whole
def write(path, content):
    time.sleep(0.05)
    one(path, content)
applying.write_whole = write
fitted = calibrant.load(sys.argv[1])
calibrant.scale.apply(fitted, sys.argv[2], sys.argv[3])
"""


def test_killed_it_leaves_whole_parts_alone(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    paths = files(parts, FRAME, group=50)
    fitted = Temperature().fit(calibrant.read(parts))
    fitted.save(tmp_path / "map.safetensors")
    arguments = [tmp_path / "map.safetensors", parts, tmp_path / "out"]
    process = subprocess.Popen([sys.executable, "-c", SLOWLY, *map(str, arguments)])
    deadline = time.monotonic() + 60
    while len(list((tmp_path / "out").glob("*.parquet"))) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    written = list((tmp_path / "out").glob("*.parquet"))
    assert 3 <= len(written) < 60
    for path in written:
        assert pl.read_parquet(path).height == 50
    found = apply(fitted, paths, tmp_path / "out")
    assert found.already == len(written)
    assert sorted(pl.read_parquet(tmp_path / "out")["id"]) == list(range(N))
