"""Pieces with free knots against dense searches, their folds by hand, and bad input."""

from itertools import combinations

import numpy as np
import pytest

from calibrant import PiecewisePolynomial, View, binary, from_probs, simulate
from calibrant.families.folds import held_out
from calibrant.fitting.free_knots import Degree

each_degree = pytest.mark.parametrize("degree", [1, 2])


def _squared_error(q: np.ndarray, view: View) -> float:
    return float(((q - view.y) ** 2).sum())


def _best_of_all_knots(view: View, degree: Degree, segments: int) -> float:
    """Least squared error of a dense regression on every choice of knots among the claims."""
    x = np.unique(view.p)
    found = []
    for inner in combinations(x[1:-1], segments - 1):
        past = [np.maximum(view.p - knot, 0) for knot in (x[0], *inner)]
        columns = [part**power for part in past for power in range(1, degree + 1)]
        design = np.column_stack([np.ones(view.n), *columns])
        best, *_ = np.linalg.lstsq(design, view.y.astype(float), rcond=None)
        found.append(_squared_error(design @ best, view))
    return min(found)


@each_degree
@pytest.mark.parametrize("segments", [1, 2, 3])
def test_the_best_knots_are_found(degree: Degree, segments: int) -> None:
    random = np.random.default_rng(segments)
    p = random.integers(1, 30, 500) / 30
    # Far enough from 0 and 1 that no chance is clipped.
    truth = 0.3 + 0.4 * abs(np.sin(4 * p))
    view = binary(p, random.random(500) < truth)
    fitted = PiecewisePolynomial(degree=degree, segments=segments).fit(view)
    best = _best_of_all_knots(view, degree, segments)
    assert _squared_error(fitted(view), view) == pytest.approx(best, abs=1e-6)


def test_a_parabola_with_a_kink_is_found_again() -> None:
    p = np.linspace(0, 1, 201)
    truth = np.where(p < 0.5, 0.9 - 2 * p**2, 0.4 + 0.6 * (p - 0.5))
    fitted = PiecewisePolynomial(degree=2, segments=2).fit(binary(p, truth))
    np.testing.assert_allclose(fitted.rule.knots, [0, 0.5, 1], atol=1e-9)
    np.testing.assert_allclose(fitted.rule.curvatures, [2, 0], atol=1e-4)
    np.testing.assert_allclose(fitted(p), truth, atol=1e-6)


@each_degree
def test_folds_choose_the_segments_and_all_rows_are_fitted(degree: Degree) -> None:
    # Outcomes as near to a kinked truth as whole rows can be, so that every fold sees one clear dip.
    p = np.repeat(np.linspace(0.02, 0.98, 40), 20)
    truth = np.interp(p, [0, 0.5, 1], [0.1, 0.9, 0.2])
    view = binary(p, np.tile(np.arange(20), 40) < np.round(20 * truth))
    errors = []
    for segments in (1, 2, 3, 4, 5):
        family = PiecewisePolynomial(degree=degree, segments=segments)
        of_folds = []
        for fitted, held in held_out(view, 10, seed=0):
            rest = view[held]
            q = family.fit(view[fitted])(rest)
            of_folds.append(_squared_error(q, rest) / rest.n)
        errors.append(np.mean(of_folds))
    best = 1 + int(np.argmax(np.array(errors) <= 1.001 * min(errors)))
    assert best > 1
    chosen = PiecewisePolynomial(degree=degree).fit(view)
    whole = PiecewisePolynomial(degree=degree, segments=best).fit(view)
    np.testing.assert_allclose(chosen.rule.knots, whole.rule.knots)
    np.testing.assert_allclose(chosen(view), whole(view))


def test_it_finds_the_truth_of_stairs() -> None:
    view, truth = simulate.task("stairs", 0.1).sample(3000, seed=1)
    q = PiecewisePolynomial().fit(view)(view)
    assert np.abs(q - truth).mean() < 0.025
    assert np.abs(view.p - truth).mean() > 0.09


@each_degree
@pytest.mark.parametrize("segments", ["cv", 3])
@pytest.mark.parametrize(
    ("p", "y"),
    [
        ([0.3], [1]),
        ([0.3] * 5, [1, 0, 0, 0, 0]),
        ([0.1, 0.4, 0.8], [0] * 3),
        ([0, 1, 0, 1], [0, 1, 1, 0]),
        ([0.0] * 3 + [1.0] * 4, [1] * 3 + [0] * 4),
        ([0.2, 0.2 - 1e-12, 0.2 + 1e-12, 0.9], [0, 1, 0, 1]),
        (np.linspace(0.01, 0.99, 250), np.linspace(0.01, 0.99, 250) > 0.5),
        (np.append(1 - np.geomspace(1e-12, 0.5, 300), 1e-30), np.arange(301) % 7 > 0),
    ],
    ids=[
        "one row",
        "one claim",
        "one outcome",
        "exact 0 and 1",
        "certain and wrong",
        "claims that are nearly one",
        "separable",
        "piled up at 1",
    ],
)
def test_extremes(degree: Degree, segments: int, p: list[float], y: list[int]) -> None:
    fitted = PiecewisePolynomial(degree=degree, segments=segments).fit(binary(p, y))
    q = fitted(np.linspace(0, 1, 101))
    assert ((q >= 0) & (q <= 1)).all()
    if len(np.unique(p)) == 1:
        np.testing.assert_allclose(fitted(p), np.mean(y), atol=1e-6)


def test_a_class_may_be_absent() -> None:
    probs = np.random.default_rng(0).dirichlet([1, 1, 1], 40)
    fitted = PiecewisePolynomial().fit(from_probs(probs, np.arange(40) % 2))
    np.testing.assert_allclose(fitted(probs).sum(1), 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"segments": 0}, "segments must be at least 1, or 'cv'; got 0"),
        ({"degree": 3}, "degree must be 1 or 2, got 3"),
        ({"slack": -1}, "slack must be at least 0"),
    ],
)
def test_other_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PiecewisePolynomial(**options)  # type: ignore[arg-type]
