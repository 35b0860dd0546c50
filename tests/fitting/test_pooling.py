"""Pooling against counting, with ties, weights and both float types."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from calibrant import binary
from calibrant.fitting.pooling import Pool, nearly_equal, pool, run_starts, runs


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, -0.0, 0.1, 0.5, 1.0, 1e-300]), st.booleans()), min_size=1
    )
)
def test_pooling_counts_equal_claims_together(rows: list[tuple[float, bool]]) -> None:
    p, y = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    for view in (binary(p, y), binary(p, y, weights=np.ones(len(p)))):
        for claim, w, happened in zip(*view.pool, strict=True):
            assert (w, happened) == ((p == claim).sum(), y[p == claim].sum())
        assert view.pool.w.sum() == len(p)
        assert (np.diff(view.pool.p) > 0).all()


def test_a_claim_of_no_weight_is_not_pooled() -> None:
    assert binary([0.2, 0.4, 0.4], [1, 1, 0], weights=[0, 1, 3]).pool.p.tolist() == [0.4]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_sorting_by_bits_is_sorting_by_value(kind: type) -> None:
    random = np.random.default_rng(0)
    p: NDArray[Any] = random.random(1000).astype(kind)
    y = random.random(1000) < 0.5
    found = pool(p, y, None)
    np.testing.assert_array_equal(found.p, np.unique(p).astype(np.float64))
    np.testing.assert_array_equal(found.happened, [y[p == claim].sum() for claim in np.unique(p)])


def test_runs_add_up_what_belongs_together() -> None:
    found = runs(np.array([0.1, 0.1, 0.4]), [np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 1.0])])
    assert [each.tolist() for each in found] == [[0.1, 0.4], [3.0, 3.0], [2.0, 1.0]]


def test_runs_start_where_values_change() -> None:
    assert run_starts(np.array([0.1, 0.1, 0.4, 0.1])).tolist() == [0, 2, 3]
    assert run_starts(np.array(["a"])).tolist() == [0]


def test_claims_that_rounding_parts_are_one() -> None:
    near = 0.3 * (1 + 1e-9)
    parted = Pool(np.array([0.0, 0.3, near, 0.4]), np.array([1.0, 2, 2, 1]), np.arange(4.0))
    assert nearly_equal(parted, np.float64) is parted
    p, w, happened = nearly_equal(parted, np.float32)
    np.testing.assert_allclose(p, [0, (0.3 + near) / 2, 0.4], rtol=1e-15)
    assert w.tolist() == [1, 4, 1]
    assert happened.tolist() == [0, 3, 3]


def test_a_long_chain_of_near_claims_is_not_one() -> None:
    p = 0.5 * (1 + 1e-7) ** np.arange(10_000)
    found = nearly_equal(Pool(p, np.ones(10_000), np.zeros(10_000)), np.float32)
    assert len(found.p) > 1000
    assert np.diff(found.p).max() < 2e-6
    assert found.w.sum() == 10_000
