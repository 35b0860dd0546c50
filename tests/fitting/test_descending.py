"""Columns by value against a stable sort, with ties, whichever way is taken."""

import numpy as np
import pytest

from calibrant.fitting.descending import descending, leading
from calibrant.fitting.types import Array


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("digits", [0, 1, 8])
def test_against_a_stable_sort(kind: type, digits: int) -> None:
    x: Array = np.random.default_rng(digits).normal(0, 2, (300, 12)).round(digits).astype(kind)
    expected = np.argsort(-x, axis=1, kind="stable")
    np.testing.assert_array_equal(descending(x), expected)
    for r in range(1, 13):
        np.testing.assert_array_equal(leading(x, r), expected[:, :r])
