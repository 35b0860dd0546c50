"""No figure outlives its test."""

from collections.abc import Iterator

import pytest
from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def no_figure_is_left_open() -> Iterator[None]:
    yield
    plt.close("all")
