"""Outcomes drawn from claims: as often as claimed, one a row, of data of the same kind."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from calibrant import (
    Predictions,
    View,
    binary,
    canonical,
    classwise,
    from_logits,
    from_probs,
    multilabel,
    one_class,
    top_label,
)
from calibrant.inputs.views import Canonical
from calibrant.measures.null_draws import drawn_values


def _pred(n: int = 300, k: int = 3) -> Predictions:
    random = np.random.default_rng(0)
    return from_probs(random.dirichlet(np.ones(k), n), random.integers(0, k, n))


def _drawn(x: Any, n_draws: int = 200) -> list[Any]:  # noqa: ANN401 - of any kind
    found: list[Any] = []

    def kept(drawn: object) -> float:
        found.append(drawn)
        return 0.0

    drawn_values(kept, x, n_draws, seed=0)
    return found


def test_outcomes_of_a_view_happen_as_often_as_claimed() -> None:
    view = binary([0.0, 0.1, 0.5, 0.9, 1.0] * 20, [1] * 100)
    rates: dict[float, list[float]] = {}
    for drawn in _drawn(view):
        assert sorted(drawn.p) == sorted(view.p)
        for p in np.unique(view.p):
            rates.setdefault(p, []).append(drawn.y[drawn.p == p].mean())
    for p, seen in rates.items():
        # Standard error of 4,000 outcomes.
        assert np.mean(seen) == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 4000) + 1e-12)


def test_outcomes_of_vectors_are_one_a_row_as_often_as_claimed() -> None:
    pred = from_logits(np.log([[0.6, 0.3, 0.1]] * 50 + [[0.2, 0.2, 0.6]] * 50), [0] * 100)
    total = np.zeros((2, 3))
    for drawn in _drawn(pred):
        assert (drawn.n, drawn.kind) == (100, "logits")
        for place, top in enumerate((0.6, 0.2)):
            is_of = np.isclose(drawn.probs[:, 0], top)
            total[place] += np.bincount(drawn.labels[is_of], minlength=3)
    assert total / 10_000 == pytest.approx(np.array([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6]]), abs=0.02)


@pytest.mark.parametrize(
    ("ask", "kind"), [(canonical, Canonical), (top_label, View), (lambda x: x, Predictions)]
)
def test_the_kind_is_kept(ask: Callable[[Predictions], Any], kind: type) -> None:
    assert all(isinstance(drawn, kind) for drawn in _drawn(ask(_pred()), 3))


def test_of_all_classes_one_happens_in_each_row() -> None:
    views = classwise(_pred())
    for drawn in _drawn(views, 5):
        assert isinstance(drawn, Sequence)
        happened = sum(float(view.y.sum()) for view in drawn)
        assert (len(drawn), happened) == (3, 300)


def test_labels_that_do_not_exclude_one_another_are_drawn_apart() -> None:
    random = np.random.default_rng(0)
    views = multilabel(random.random((400, 2)), random.integers(0, 2, (400, 2)))
    both = []
    for drawn in _drawn(views, 20):
        one, other = map(_by_claim, drawn)
        both.append(np.corrcoef(one, other)[0, 1])
    assert abs(np.mean(both)) < 0.1


def _by_claim(view: View) -> np.ndarray:
    return (view.y - view.p)[np.argsort(view.p)]


def test_weight_two_is_the_row_twice() -> None:
    pred = from_probs([[0.5, 0.5]] * 4, [0] * 4, weights=[2.0] * 4)
    shares = [drawn.weights[drawn.labels == 1].sum() for drawn in _drawn(pred, 400)]
    # Of 8 rows, not of 4 that count twice: the variance is 8/4, not 16/4.
    assert np.mean(shares) == pytest.approx(4, abs=0.3)
    assert np.var(shares) == pytest.approx(2, abs=0.5)
    view = one_class(pred, 1)
    of_view = [drawn.w[drawn.y].sum() for drawn in _drawn(view, 400)]
    assert np.var(of_view) == pytest.approx(2, abs=0.5)
    assert all(drawn.total == 8 for drawn in _drawn(view, 20))


def test_the_order_of_rows_and_their_outcomes_play_no_part() -> None:
    pred = _pred()
    mixed = pred[np.random.default_rng(1).permutation(pred.n)]

    def sums(x: Predictions) -> float:
        return float((x.labels * x.probs[:, 0]).sum())

    # Rows are sorted by claim first, so outcomes are drawn for the same claims.
    assert drawn_values(sums, pred, 5, seed=3) == pytest.approx(
        drawn_values(sums, mixed, 5, seed=3)
    )
    assert drawn_values(sums, pred, 5, seed=3) != drawn_values(sums, pred, 5, seed=4)
