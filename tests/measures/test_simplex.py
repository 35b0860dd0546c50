"""Triangles of the simplex against a search for the triangle that holds each vector."""

import numpy as np
import pytest

from calibrant import canonical, from_probs
from calibrant.measures.averages import Norm
from calibrant.measures.simplex import simplex_error, triangles


def _corners(per_side: int) -> list[np.ndarray]:
    """Every triangle by its three corners: those upright, and those upside down."""
    found = []
    for i in range(per_side):
        for j in range(per_side - i):
            m = per_side - 1 - i - j
            found.append(np.array([[i + 1, j, m], [i, j + 1, m], [i, j, m + 1]]) / per_side)
            if m > 0:
                found.append(
                    np.array([[i + 1, j + 1, m - 1], [i + 1, j, m], [i, j + 1, m]]) / per_side
                )
    return found


@pytest.mark.parametrize("per_side", [1, 2, 5, 8])
def test_against_a_search_among_all_triangles(per_side: int) -> None:
    corners = _corners(per_side)
    assert len(corners) == per_side**2
    p = np.random.default_rng(0).dirichlet([0.7, 0.7, 0.7], 500)
    inside = [(p @ np.linalg.inv(triangle) > -1e-12).all(1) for triangle in corners]
    searched = np.argmax(inside, axis=0)
    found = triangles(p, per_side)
    assert (
        len(set(zip(found.tolist(), searched.tolist(), strict=True)))
        == len(set(searched.tolist()))
        == len(set(found))
    )


@pytest.mark.parametrize("norm", [1, 2, "max"])
def test_the_error_against_a_loop_over_triangles(norm: Norm) -> None:
    random = np.random.default_rng(1)
    p, y, w = (
        random.dirichlet([1, 1, 1], 400),
        random.integers(0, 3, 400),
        random.integers(0, 3, 400),
    )
    place, gaps = triangles(p, 5), np.zeros((400, 3))
    for each in set(place[w > 0]):
        rows = (place == each) & (w > 0)
        gaps[rows] = np.abs(np.average(np.eye(3)[y[rows]], axis=0, weights=w[rows]) - p[rows])
    expected = (
        gaps.max() if norm == "max" else np.average((gaps**norm).sum(1), weights=w) ** (1 / norm)
    )
    found = simplex_error(from_probs(p, y, weights=w), norm=norm)
    assert found == pytest.approx(expected, rel=1e-12)
    assert simplex_error(canonical(from_probs(p, y, weights=w)), norm=norm) == found
    assert simplex_error(
        from_probs(np.repeat(p, w, axis=0), np.repeat(y, w)), norm=norm
    ) == pytest.approx(found)


def test_corners_and_edges_have_a_triangle() -> None:
    p = np.array(
        [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0], [0.2, 0.8, 0], [1 / 3, 1 / 3, 1 / 3]]
    )
    for per_side in (1, 2, 3, 5):
        found = triangles(p, per_side)
        assert ((found >= 0) & (found < 2 * per_side**2)).all()
    assert simplex_error(from_probs(p, [0, 1, 2, 0, 1, 2]), 50) < simplex_error(
        from_probs(p, [1, 2, 0, 0, 1, 2]), 50
    )
    assert simplex_error(from_probs([[0, 0, 1.0]], [2])) == 0


def test_other_input_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"triangles divide vectors of 3 classes, got 2; use kde_error\(canonical"
    ):
        simplex_error(from_probs([0.2, 0.7], [0, 1]))
    pred = from_probs([[0.2, 0.3, 0.5]], [0])
    with pytest.raises(ValueError, match="per_side must be at least 1, got 0"):
        simplex_error(pred, 0)
    with pytest.raises(ValueError, match=r"per_side must be of type int, got 2\.5"):
        simplex_error(pred, 2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a view is asked of Predictions"):
        simplex_error([1, 2])  # type: ignore[arg-type]
