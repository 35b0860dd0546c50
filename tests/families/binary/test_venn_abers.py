"""Venn-Abers against refitting for each claim."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from calibrant import VennAbers, View, binary
from calibrant.families.binary.venn_abers import Intervals


def _refit(p: np.ndarray, y: np.ndarray, w: np.ndarray, at: float, outcome: int) -> float:
    more_p, more_y, more_w = np.append(p, at), np.append(y, outcome), np.append(w, 1.0)
    return IsotonicRegression().fit(more_p, more_y, sample_weight=more_w).predict([at])[0]


def _rule(view: View) -> Intervals:
    rule = VennAbers().fit(view).rule
    assert isinstance(rule, Intervals)
    return rule


@pytest.mark.parametrize("n", [1, 2, 3, 10, 60])
@pytest.mark.parametrize("digits", [1, 9])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("power", [-1, 0, 1])
def test_against_refitting(n: int, digits: int, power: int, *, weighted: bool) -> None:
    random = np.random.default_rng(n)
    p = random.random(n).round(digits)
    y = random.random(n) < 1 / (1 + np.exp(-power * (8 * p - 4)))
    w = random.integers(1, 4, n) * random.random(n) if weighted else np.ones(n)
    at = np.unique(np.concatenate([p, [0.0, 1.0], random.random(20)]))
    view = View(at, np.zeros(len(at), bool))
    rule = _rule(binary(p, y, weights=w))
    p0, p1 = (np.array([_refit(p, y, w, s, outcome) for s in at]) for outcome in (0, 1))
    np.testing.assert_allclose(rule.interval(view), [p0, p1], atol=1e-12)
    np.testing.assert_allclose(rule(view), p1 / (1 - p0 + p1), atol=1e-12)


def test_a_weight_is_a_count() -> None:
    random = np.random.default_rng(0)
    p, w = random.random(200).round(2), random.integers(0, 4, 200)
    y = random.random(200) < p
    at = View(np.linspace(0, 1, 301), np.zeros(301, bool))
    repeated = _rule(binary(np.repeat(p, w), np.repeat(y, w)))
    np.testing.assert_allclose(
        _rule(binary(p, y, weights=w)).interval(at), repeated.interval(at), atol=1e-14
    )


def test_the_interval_holds_the_chance_rises_and_narrows() -> None:
    random = np.random.default_rng(1)
    width = []
    for n in (100, 10_000):
        p = random.random(n)
        view = binary(p, random.random(n) < p**2)
        rule = _rule(view)
        low, high = rule.interval(view)
        q = rule(view)
        assert ((low <= q) & (q <= high)).all()
        assert (np.diff(q[np.argsort(p)]) >= 0).all()
        width.append((high - low).mean())
    assert width[1] < width[0] / 4


def test_no_evidence_gives_one_half_between() -> None:
    fitted = VennAbers().fit(binary([0.0, 1.0], [0, 1]))
    np.testing.assert_allclose(fitted([0.0, 0.5, 1.0]), [1 / 3, 1 / 2, 2 / 3])


def test_either_end_may_be_the_map() -> None:
    random = np.random.default_rng(3)
    p = random.random(300).round(2)
    view = binary(p, random.random(300) < p**2)
    p0, p1 = _rule(view).interval(view)
    np.testing.assert_array_equal(VennAbers(gives="p0").fit(view)(view), p0)
    np.testing.assert_array_equal(VennAbers(gives="p1").fit(view)(view), p1)
    with pytest.raises(ValueError, match="gives must be 'merged'"):
        VennAbers(gives="low")  # type: ignore[arg-type]


def test_what_weighs_nothing_beside_the_rest_changes_nothing() -> None:
    p = np.array([0.1, 0.2, 0.4, 0.6, 0.7, 0.9])
    y = np.array([0, 1, 0, 1, 0, 1])
    w = np.array([1e12, 1e-9, 1e12, 1e-9, 1e12, 1e-9])
    found = VennAbers().fit(binary(p, y, weights=w))([0.1, 0.4, 0.7])
    heavy = VennAbers().fit(binary(p[::2], y[::2], weights=w[::2]))([0.1, 0.4, 0.7])
    np.testing.assert_allclose(found, heavy, atol=1e-9)
