"""Every line of the map from paper to call runs."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt

import calibrant

PAGE = Path(__file__).parents[1] / "docs" / "papers.md"
START = re.compile(r"```python\n(.*?)```", re.DOTALL)
ROWS = 300


def _lines() -> list[str]:
    """The code of the second column of all tables."""
    if not PAGE.exists():
        return []
    rows = [line.split(" | ") for line in PAGE.read_text("utf-8").splitlines() if "|" in line]
    cells = (cells[1].strip() for cells in rows if len(cells) > 1)
    return list(dict.fromkeys(cell[1:-1] for cell in cells if cell.startswith("`")))


@pytest.fixture(scope="module")
def names() -> Iterator[dict[str, Any]]:
    """What the page starts with, of fewer rows."""
    found = START.search(PAGE.read_text("utf-8"))
    assert found is not None
    whole = calibrant.samples.load
    few = pytest.MonkeyPatch()
    few.setattr(calibrant.samples, "load", lambda name: tuple(part[:ROWS] for part in whole(name)))
    space: dict[str, Any] = {}
    exec(found[1], space)
    yield space
    few.undo()


@pytest.mark.parametrize("line", _lines())
def test_a_line_of_the_map_runs(line: str, names: dict[str, Any]) -> None:
    found = eval(line, names)
    plt.close("all")
    if isinstance(found, float | tuple | np.ndarray):
        assert np.isfinite(found).all()
    assert found is not None


def test_the_page_has_lines() -> None:
    if PAGE.exists():
        assert len(_lines()) > 30
