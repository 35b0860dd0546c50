"""Rows in parts, as files and in memory, and what the same rows give read at once."""

from pathlib import Path

import numpy as np
import polars as pl

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
        frame[part * size : (part + 1) * size].write_parquet(path, row_group_size=group)
        paths.append(path)
    return paths


def assert_same(mine: Sketch, other: Sketch) -> None:
    """No bit of whole numbers differs, and floats hardly."""
    assert mine.n == other.n
    for name, tally in mine.totals.tallies.items():
        # The last cell is no question's.
        np.testing.assert_array_equal(tally.sums[:, :-1], other.totals.tallies[name].sums[:, :-1])
    for score, value in mine.totals.scores.items():
        np.testing.assert_allclose(value, other.totals.scores[score], rtol=1e-12)
    np.testing.assert_array_equal(mine.sample().values, other.sample().values)
