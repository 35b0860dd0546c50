"""Vectors of three chances: triangles hold every row, and kernels are as by hand."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import dirichlet
from shared_views import predictions

from calibrant import canonical, curves, from_probs, kde_error
from calibrant.measures.simplex import simplex_error


def test_a_surface_is_the_mean_outcome_by_kernels() -> None:
    random = np.random.default_rng(2)
    p, w = random.dirichlet(np.ones(3), 60), random.integers(0, 3, 60)
    labels = random.integers(0, 2, 60)
    seen = curves.surface(from_probs(p, labels, weights=w), bandwidth=0.05, per_side=6)
    assert len(seen.gap) == 36
    np.testing.assert_allclose(seen.claim.sum(1), 1)
    kernels = w * [[dirichlet.pdf(x, row / 0.05 + 1) for row in p] for x in seen.claim]
    share = kernels @ np.eye(3)[labels] / kernels.sum(1, keepdims=True)
    np.testing.assert_allclose(seen.share, share, atol=1e-12)
    np.testing.assert_allclose(seen.gap, np.abs(share - seen.claim).sum(1), atol=1e-12)
    own = [dirichlet.pdf(x, x / 0.05 + 1) for x in seen.claim]
    np.testing.assert_allclose(seen.reached, kernels.sum(1) / own, rtol=1e-9)
    assert seen.error == kde_error(canonical(from_probs(p, labels, weights=w)), bandwidth=0.05)


def test_triangles_hold_every_row_and_their_gaps_are_the_simplex_error() -> None:
    random = np.random.default_rng(0)
    p = np.concatenate(
        [random.dirichlet([0.5] * 3, 400), np.eye(3), [[0.2, 0.4, 0.4], [0.6, 0.4, 0.0]]]
    )
    pred = from_probs(p, random.integers(0, 3, len(p)), weights=random.integers(0, 3, len(p)))
    seen = curves.simplex(pred, 4)
    assert seen.count.sum() == seen.total == pred.total
    assert seen.error == pytest.approx(simplex_error(pred, 4), abs=1e-12)
    assert np.average(seen.gap, weights=seen.count) == pytest.approx(seen.error, abs=1e-12)
    assert seen.corners.min() >= 0
    np.testing.assert_allclose(seen.corners.sum(2), 1)
    # A mean claim lies in its triangle, whose corners it is a mixture of.
    shares = np.linalg.solve(seen.corners.transpose(0, 2, 1), seen.mean_claim[:, :, None])
    assert shares.min() > -1e-9
    assert len(seen.points) == len(seen.labels) <= 1000


def test_rounding_takes_no_vector_out_of_the_triangle() -> None:
    p = np.array([[1e-9, 1 - 1e-9, 3e-17], [0.1, 0.9, 1e-17], [0.7, 0.3, 1e-16]] * 4)
    assert curves.simplex(from_probs(p, np.arange(12) % 3)).corners.min() >= 0


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: curves.simplex(predictions(9)), "three classes, got 4 classes"),
        (lambda: curves.surface(predictions(9)), "three classes, got 4 classes"),
    ],
)
def test_what_is_wrong_is_said(act: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        act()


def test_the_level_of_right_claims_stands_beside_both_errors() -> None:
    random = np.random.default_rng(0)
    p = random.dirichlet(np.ones(3), 400)
    labels = (p.cumsum(1) < random.random((400, 1))).sum(1)
    right, wrong = from_probs(p, labels), from_probs(p[:, ::-1], labels)
    for diagram in (curves.simplex, curves.surface):
        assert 0.5 < diagram(right).error / diagram(right).level < 1.5
        assert diagram(wrong).error > 2 * diagram(wrong).level > 0
