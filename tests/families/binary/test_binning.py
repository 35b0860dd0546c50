"""Edges of bins and sums within them, against array_split and loops over rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant import binary
from calibrant.families.binary.binning import (
    RunningSums,
    Sweep,
    mass_starts,
    running_sums,
    width_bins,
    width_edges,
)
from calibrant.families.rules import Edges


@given(st.integers(1, 60), st.data())
def test_a_claim_beside_an_edge_falls_on_its_side(n_bins: int, data: st.DataObject) -> None:
    edge = data.draw(st.sampled_from(np.linspace(0, 1, n_bins + 1).tolist()))
    beside = np.array([np.nextafter(edge, -1), edge, np.nextafter(edge, 2)]).clip(0, 1)
    inner = width_edges(n_bins)
    for p in (beside, beside.astype(np.float32)):
        expected = np.searchsorted(inner, p, side="left")
        np.testing.assert_array_equal(width_bins(p, inner), expected)


@pytest.mark.parametrize("rows", [1, 2, 7, 30, 100])
@pytest.mark.parametrize("n_bins", [1, 2, 7, 15, 40])
def test_bins_of_equal_mass_start_where_an_array_split_does(rows: int, n_bins: int) -> None:
    parts = np.array_split(np.arange(rows), n_bins)
    expected = [part[0] if len(part) else rows for part in parts]
    reached = np.arange(1.0, rows + 1)
    starts = mass_starts(reached, n_bins, np.arange(1, n_bins))
    assert starts.tolist() == expected[1:]


def test_weights_that_are_no_counts_are_cut_evenly() -> None:
    reached = np.array([0.25, 0.5, 0.75, 1.0])
    assert mass_starts(reached, 2, np.array([1])).tolist() == [2]
    assert mass_starts(reached, 4, np.array([1, 2, 3])).tolist() == [1, 2, 3]


def test_running_sums_begin_at_zero() -> None:
    assert running_sums(np.array([2.0, 0.5])).tolist() == [0.0, 2.0, 2.5]
    assert running_sums(np.array([])).tolist() == [0.0]


@pytest.mark.parametrize("edges", ["width", "mass"])
@pytest.mark.parametrize("slope", [0, 1])
def test_cells_against_loops_over_rows(edges: Edges, slope: int) -> None:
    random = np.random.default_rng(0)
    p = random.random(60).round(2)
    y = random.random(60) < p
    w = random.integers(1, 4, 60).astype(float)
    sums = RunningSums(binary(p, y, weights=w), slope)
    inner = sums.inner(5, edges)
    cells = sums.cells(inner, edges)
    where = np.searchsorted(inner, p, side="left" if edges == "width" else "right")
    for k in range(5):
        rows = where == k
        squares = w * (y - slope * p) ** 2
        expected = [x[rows].sum() for x in (w, w * y, w * p, squares)]
        np.testing.assert_allclose(cells[:, k], expected, atol=1e-12)


def test_a_sweep_over_rising_outcomes_ends_with_a_bin_a_claim() -> None:
    p = np.linspace(0, 1, 50)
    sums = RunningSums(binary(p, p > 0.4), 1)
    assert Sweep(sums, "mass").most_bins() == 50
