"""Blocks cover every row once, in order, whatever the width."""

import numpy as np
import pytest

from calibrant.fitting.blocks import MANY_CELLS, blocks_of, on_all_cores, row_blocks, working_type


@pytest.mark.parametrize("n", [0, 1, 1000, 10**6])
@pytest.mark.parametrize("width", [1, 10, 10**7])
def test_blocks_cover_all_rows_once(n: int, width: int) -> None:
    if n * width > 10**10:
        n = 1000
    seen = np.concatenate([np.arange(n)[rows] for rows in row_blocks(n, width)] or [np.arange(0)])
    np.testing.assert_array_equal(seen, np.arange(n))


def test_results_keep_their_order_and_errors_come_through() -> None:
    assert on_all_cores(lambda x: x * x, range(50)) == [x * x for x in range(50)]
    with pytest.raises(ZeroDivisionError):
        on_all_cores(lambda x: 1 // x, [1, 0, 2])


def test_a_block_has_no_more_rows_than_asked_for() -> None:
    assert blocks_of(5, 2) == [slice(0, 2), slice(2, 4), slice(4, 5)]
    assert blocks_of(0, 2) == []


def test_many_cells_keep_float32_and_few_do_not() -> None:
    many = np.broadcast_to(np.float32(0), MANY_CELLS + 1)
    assert working_type(many) == np.float32
    assert working_type(many[:-1]) == np.float64
    assert working_type(many.astype(np.float64)) == np.float64
    assert working_type(many.astype(np.float16)) == np.float32
