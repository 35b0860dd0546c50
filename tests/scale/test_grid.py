"""Cells hold what they say they hold, and means come back."""

import numpy as np
import pytest

from calibrant.families.binary.binning import width_bins, width_edges
from calibrant.scale.grid import COARSE, FINE, MEDIUM, PARTS, Grid, grid_of_classes

GRIDS = [FINE, MEDIUM, COARSE]


def claims(dtype: type[np.floating]) -> np.ndarray:
    rng = np.random.default_rng(0)
    spread = 1 / (1 + np.exp(-rng.normal(0, 15, 20_000)))
    edges = [j / n for n in (10, 15, 20, 50) for j in range(1, n)]
    return np.concatenate([spread, rng.random(20_000), edges]).astype(dtype)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_claim_comes_back_from_its_place(grid: Grid, dtype: type[np.floating]) -> None:
    p = claims(dtype)
    p = p[(p > 1e-30) & (p <= 0.5)]
    cell, part = grid.low(p)
    assert cell.min() >= 1
    assert cell.max() < grid.cells - 1
    back, rest = grid.claims(cell, part.astype(float))
    width = np.minimum(1 / grid.middle, p * 2.0**-grid.digits)
    off = np.abs(back - p.astype(float))
    assert (off <= 2 / PARTS * width + 1e-7 * np.where(p < grid.edge, p, 0) + 1e-16).all()
    assert np.allclose(rest, 1 - back)


@pytest.mark.parametrize("grid", GRIDS)
def test_chances_near_one_are_told_apart_by_their_rest(grid: Grid) -> None:
    rest = np.array([1e-3, 1e-9, 2e-9, 1e-17, 1e-30, 0.0, 1e-300])
    cell, part = grid.high(rest)
    p, back = grid.claims(cell, part.astype(float))
    assert len(set(cell.tolist())) == len(rest) - 1  # the last two are beyond the last cell
    assert np.allclose(back, np.maximum(rest, 2.0**-126), rtol=1e-6)
    assert (p <= 1).all()


@pytest.mark.parametrize("grid", GRIDS)
def test_cells_ascend_with_claims(grid: Grid) -> None:
    p = np.sort(claims(np.float64))
    low = np.sort(p[p <= 0.5])
    high = np.sort(1 - low[low < grid.edge])
    cells = np.concatenate([grid.low(low).cell, grid.high(1 - high).cell])
    assert (np.diff(cells) >= 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_bins", [10, 15, 20, 25, 30, 50])
def test_no_cell_is_cut_by_the_edges_of_bins(dtype: type[np.floating], n_bins: int) -> None:
    p = claims(dtype)
    p = p[(p > FINE.edge) & (p <= 1 - FINE.edge)]
    bins = width_bins(p, width_edges(n_bins))
    cell = FINE.low(p).cell
    first = np.full(FINE.cells, n_bins)
    last = np.zeros(FINE.cells, int)
    np.minimum.at(first, cell, bins)
    np.maximum.at(last, cell, bins)
    assert (last <= first)[np.unique(cell)].all()


def test_more_classes_have_coarser_grids_within_a_budget() -> None:
    assert [grid_of_classes(k) for k in (2, 10, 1000)] == GRIDS
    assert 1000 * COARSE.cells * 40 < 220e6
