"""Simulated tasks have the truth they claim."""

import numpy as np
import pytest

from calibrant.simulate import ERRORS, SHAPES, Shape, task


@pytest.mark.parametrize("shape", list(SHAPES))
def test_a_task_has_its_error_and_its_outcomes_follow_the_truth(shape: Shape) -> None:
    for error in (0.0, 0.03, 0.1):
        view, truth = task(shape, error).sample(200_000, seed=1)
        assert np.abs(view.p - truth).mean() == pytest.approx(error, abs=1e-3)
        assert (view.y - truth).mean() == pytest.approx(0, abs=5e-3)
        assert (np.diff(view.p) >= 0).all()


def test_draws_are_the_same_for_every_shape() -> None:
    draws = [task(shape, 0.05).sample(100, seed=3) for shape in SHAPES]
    assert all((draw.view.y == draws[0].view.y).all() and (draw.truth == draws[0].truth).all() for draw in draws)


def test_shapes_keep_the_ends() -> None:
    for shape in SHAPES.values():
        assert shape(np.array([1e-12, 1 - 1e-12])) == pytest.approx([0, 1], abs=2e-5)
    assert len(ERRORS) == 21
