"""Scores before and after by cross-validation: against a loop over folds, and a bootstrap."""

import numpy as np
import pytest

from calibrant import (
    Binned,
    Family,
    Identity,
    Isotonic,
    Platt,
    Predictions,
    Temperature,
    View,
    binary,
    brier,
    canonical,
    ece,
    from_logits,
    from_probs,
    nll,
)
from calibrant.before_after import BeforeAfter, Change, before_after
from calibrant.choosing import quick_rows
from calibrant.families.folds import cross_fit, drawn_rows
from calibrant.inputs.views import Data


def _vectors(n: int = 900, *, weights: np.ndarray | None = None) -> Predictions:
    random = np.random.default_rng(0)
    z = random.normal(0, 3, (n, 4))
    return from_logits(z, (z / 2 + random.gumbel(size=z.shape)).argmax(1), weights=weights)


def _chances(n: int = 900) -> View:
    random = np.random.default_rng(1)
    p = random.random(n).round(2)
    return binary(p, random.random(n) < p**2, weights=random.integers(0, 3, n))


def _by_score(found: BeforeAfter) -> dict[str, Change]:
    return {change.score: change for change in found.changes}


@pytest.mark.parametrize("weights", [None, np.random.default_rng(2).integers(0, 3, 900)])
def test_of_vectors_against_cross_fitted_vectors(weights: np.ndarray | None) -> None:
    pred = _vectors(weights=weights)
    q = cross_fit(Temperature(), canonical(pred), folds=5)
    mended = from_probs(q, pred.labels, weights=weights)
    found = _by_score(before_after(Temperature(), pred))
    for score, measure in (("NLL", nll), ("Brier score", brier), ("ECE", ece)):
        assert found[score].before == pytest.approx(measure(pred), rel=1e-9)
        assert found[score].after == pytest.approx(measure(mended), rel=1e-9)


@pytest.mark.parametrize("family", [Platt(), Isotonic(), Binned(9, slope=0)], ids=repr)
def test_of_chances_against_cross_fitted_chances(family: Family) -> None:
    view = _chances()
    q = cross_fit(family, view, folds=5)
    mended = binary(q, view.y, weights=view.w)
    found = _by_score(before_after(family, view))
    for score, measure in (("Brier score", brier), ("ECE", ece)):
        assert found[score].before == pytest.approx(measure(view), rel=1e-9)
        assert found[score].after == pytest.approx(measure(mended), rel=1e-9)


@pytest.mark.parametrize("x", [_vectors(), _chances()], ids=["vectors", "chances"])
def test_the_identity_changes_nothing(x: Data) -> None:
    family = Identity()
    found = before_after(family, x)
    assert found.worse == ()
    for change in found.changes:
        assert change.after == pytest.approx(change.before, rel=1e-12)


def test_the_error_of_a_change_is_that_of_resampled_rows() -> None:
    random = np.random.default_rng(3)
    p = random.random(2000)
    y = random.random(2000) < np.clip(p + 0.2 * np.sin(6 * p), 0, 1)
    view = binary(p, y)
    q = cross_fit(Platt(), view, folds=5)
    gains = []
    for _ in range(400):
        rows = random.integers(0, 2000, 2000)
        gains.append(ece(binary(q[rows], y[rows])) - ece(binary(p[rows], y[rows])))
    found = _by_score(before_after(Platt(), view))["ECE"]
    assert found.error == pytest.approx(np.std(gains), rel=0.2)


def test_order_is_irrelevant_also_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    pred = _vectors()
    order = np.random.default_rng(4).permutation(pred.n)
    first = before_after(Temperature(), pred)
    second = before_after(Temperature(), pred[order])
    for one, other in zip(first.changes, second.changes, strict=True):
        assert one.after == pytest.approx(other.after, rel=1e-9)
    monkeypatch.setattr("calibrant.choosing.MOST_QUICK_CELLS", 1200)
    monkeypatch.setattr("calibrant.choosing.LEAST_QUICK_ROWS", 10)
    drawn, other_drawn = quick_rows(pred), quick_rows(pred[order])
    assert isinstance(drawn, Predictions)
    assert isinstance(other_drawn, Predictions)
    np.testing.assert_array_equal(drawn.scores, other_drawn.scores)
    assert drawn.n == before_after(Temperature(), pred).rows == 300
    assert len(np.unique(drawn_rows(canonical(pred), 300, seed=0))) == 300


def test_worse_is_beyond_two_standard_errors() -> None:
    assert Change("ECE", 0.01, 0.02, 0.0049).is_worse
    assert not Change("ECE", 0.01, 0.02, 0.0051).is_worse
    assert not Change("ECE", 0.02, 0.01, 0.001).is_worse
    assert not Change("NLL", 0.5, 0.5 + 1e-7, 0.0).is_worse
    assert Change("NLL", 0.5, np.inf, np.nan).is_worse
