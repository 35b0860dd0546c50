"""Broken lines against lines that are known, and against shorter searches for them."""

import numpy as np

from calibrant.fitting.broken_lines import LossOfProblems, broken_lines
from calibrant.fitting.levenberg_marquardt import Losses
from calibrant.fitting.segments import line_values

POINTS = np.sort(np.random.default_rng(0).random(80))


def _squares(targets: np.ndarray) -> LossOfProblems:
    def losses(f: np.ndarray, of: np.ndarray) -> Losses:
        gap = f - targets[of]
        return (gap**2).sum(1), 2 * gap, np.full(f.shape, 2.0)

    return losses


def test_known_lines_are_found_again() -> None:
    knots = np.array([[0, 0.2, 0.6, 1], [0, 0.5, 0.55, 1]])
    heights = np.array([[0.1, 0.9, 0.2, 0.6], [0.3, 0.2, 0.9, 0.5]])
    x = np.linspace(0, 1, 200)
    start = np.tile([[0.0, 1.0], [0.0, 1.0]], (2, 1, 1))
    fits = broken_lines(
        _squares(line_values(x, knots, heights)),
        x,
        np.ones(200),
        start,
        most=3,
        bounds=(0, 1),
        tolerance=1e-14,
        shrink=True,
    )
    assert [fit.knots.shape for fit in fits] == [(2, 2), (2, 3), (2, 4)]
    assert (fits[0].loss > fits[1].loss).all()
    np.testing.assert_allclose(fits[2].knots, knots, atol=1e-4)
    np.testing.assert_allclose(fits[2].heights, heights, atol=1e-4)


def test_shrinking_finds_no_worse_lines() -> None:
    targets = np.random.default_rng(2).normal(size=(4, 80))
    start = np.tile([[0.0, 1.0], [0.0, 1.0]], (4, 1, 1))
    plain, shrunk = (
        broken_lines(
            _squares(targets),
            POINTS,
            np.ones(80),
            start,
            most=4,
            bounds=(-9, 9),
            tolerance=1e-9,
            shrink=shrink,
        )
        for shrink in (False, True)
    )
    assert len(plain) == len(shrunk) == 4
    gains = np.array([one.loss - other.loss for one, other in zip(plain, shrunk, strict=True)])
    assert (gains >= 0).all()
    assert gains.max() > 0.1


def test_heights_keep_their_bounds_at_the_constrained_optimum() -> None:
    x = np.linspace(0, 1, 50)
    targets = np.stack([2 * x - 0.5, 0.2 + 0.1 * x])
    start = np.tile([[0.0, 1.0], [0.0, 1.0]], (2, 1, 1))
    fits = broken_lines(
        _squares(targets),
        x,
        np.ones(50),
        start,
        most=1,
        bounds=(0, 1),
        tolerance=1e-12,
        shrink=True,
    )
    np.testing.assert_allclose(fits[0].heights, np.array([[0, 1], [0.2, 0.3]]), atol=1e-6)


def test_points_without_range_or_weight_do_no_harm() -> None:
    start = np.array([[[0.0, 1.0], [0.0, 1.0]]])
    for x in (np.array([0.3]), np.array([0.0, 1.0]), np.array([1.0])):
        fits = broken_lines(
            _squares(0 * x[None]),
            x,
            np.ones(len(x)),
            start,
            most=5,
            bounds=(0, 1),
            tolerance=1e-9,
            shrink=True,
        )
        assert (np.diff(fits[-1].knots) > 0).all()
        np.testing.assert_allclose(line_values(x, fits[-1].knots, fits[-1].heights), 0, atol=1e-3)
