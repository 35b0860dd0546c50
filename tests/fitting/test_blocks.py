"""Blocks cover every row once, in order, whatever the width."""

import numpy as np
import pytest

from calibrant.fitting.blocks import on_all_cores, row_blocks


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
