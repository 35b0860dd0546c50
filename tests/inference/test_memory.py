"""A memory finds once what is drawn twice, of few rows alone."""

from dataclasses import replace

import numpy as np
import pytest

from calibrant import View, binary
from calibrant.inference.memory import Memory


def asked(first: View, second: View) -> int:
    """How often something is found of two samples, one drawn after the other."""
    found: list[None] = []
    memory = Memory[None]()
    for view in (first, second, first):
        memory.of([view], lambda: found.append(None))
    return len(found)


def test_equal_draws_are_found_once() -> None:
    view = binary([0.2, 0.8], [0, 1], weights=[2, 1])
    memory = Memory[float]()
    assert memory.of([view], lambda: 0.5) == 0.5
    assert memory.of([replace(view, w=view.w)], lambda: 0.7) == 0.5
    assert asked(view, replace(view, w=np.array([2.0, 1.0]))) == 1


@pytest.mark.parametrize("y", [[1, 1], [0, 0]])
def test_other_outcomes_are_another_draw(y: list[int]) -> None:
    assert asked(binary([0.2, 0.8], [0, 1]), binary([0.2, 0.8], y)) == 2


def test_other_weights_are_another_draw() -> None:
    view = binary([0.2, 0.8], [0, 1])
    assert asked(view, replace(view, w=np.array([2.0, 0.0]))) == 2
    assert asked(view, replace(view, w=np.array([1.0, 1.0]))) == 1


def test_of_many_rows_nothing_is_kept() -> None:
    view = binary(np.linspace(0, 1, 50), np.arange(50) % 2)
    assert asked(view, view) == 3
