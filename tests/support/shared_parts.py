"""Rows in parts, as files and in memory, and what the same rows give read at once."""

from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from calibrant.scale import Sketch

N = 3000
NAMES = ("cat", "dog", "emu")


def table(n: int = N, seed: int = 0) -> pl.DataFrame:
    """Claims of three classes with labels by name, weights, and a site of two."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    z = rng.normal(size=(n, 3))
    z[np.arange(n), y] += 2
    p = np.exp(2 * z)
    p /= p.sum(1, keepdims=True)
    chances = {f"prob_{name}": p[:, j].astype(np.float32) for j, name in enumerate(NAMES)}
    site = np.where(rng.random(n) < 0.3, "north", "south")
    return pl.DataFrame(chances | {"label": np.array(NAMES)[y], "site": site, "id": np.arange(n)})


def files(folder: Path, frame: pl.DataFrame, parts: int = 3, group: int = 400) -> list[Path]:
    """A table as files of several row groups each."""
    size = -(-frame.height // parts)
    paths = []
    for part in range(parts):
        path = folder / f"part-{part}.parquet"
        write_groups(frame[part * size : (part + 1) * size], path, group)
        paths.append(path)
    return paths


def write_groups(frame: pl.DataFrame, path: Path, group: int = 400) -> None:
    """A table as a file of row groups of so many rows, where versions of polars make some of their own."""
    pq.write_table(frame.to_arrow(), path, row_group_size=group)


def assert_rows_close(mine: pl.DataFrame, other: pl.DataFrame) -> None:
    """The same columns and rows, in any order, floats to 1e-6."""
    assert mine.columns == other.columns
    mine, other = mine.sort("id"), other.sort("id")
    for name in mine.columns:
        if mine[name].dtype.is_float():
            np.testing.assert_allclose(mine[name], other[name], rtol=1e-5, atol=1e-6)
        else:
            assert mine[name].to_list() == other[name].to_list()


def assert_same(mine: Sketch, other: Sketch) -> None:
    """No bit of whole numbers differs, and floats hardly."""
    assert mine.n == other.n
    for name, tally in mine.totals.tallies.items():
        # The last cell is no question's.
        np.testing.assert_array_equal(tally.sums[:, :-1], other.totals.tallies[name].sums[:, :-1])
    for score, value in mine.totals.scores.items():
        np.testing.assert_allclose(value, other.totals.scores[score], rtol=1e-12)
    np.testing.assert_array_equal(mine.sample().values, other.sample().values)
