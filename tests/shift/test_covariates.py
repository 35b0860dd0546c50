"""Importance weights against true density ratios, and measures under them."""

import numpy as np
import pytest

import calibrant as c
from calibrant import binary
from calibrant.shift import effective_rows, importance_weights, reweighted


def test_against_the_ratio_of_two_normal_densities() -> None:
    random = np.random.default_rng(0)
    here, there = random.normal(0, 1, 20_000), random.normal(0.5, 0.8, 20_000)
    found = importance_weights(here, there)
    true = np.exp(here**2 / 2 - (here - 0.5) ** 2 / (2 * 0.64)) / 0.8
    assert abs(found.mean() - 1) < 1e-12
    usual = np.abs(here) < 2
    assert np.abs(np.log(found / true))[usual].max() < 0.15


def test_an_error_speaks_of_the_other_population() -> None:
    random = np.random.default_rng(1)
    x = random.random(40_000)
    p = np.full(len(x), 0.5) + 0.2 * random.random(len(x))
    y = random.random(len(x)) < p - 0.3 * x  # the older the row, the more too high
    view = binary(p, y)
    new = random.beta(4, 1, 5000)
    shifted = reweighted(view, x, new)
    assert abs(c.ece(shifted) - 0.3 * 0.8) < 0.02
    assert abs(shifted.total - view.total) < 1e-6
    assert 1000 < effective_rows(shifted) < 40_000
    assert effective_rows(view) == view.n


def test_names_numbers_and_predictions() -> None:
    sites = np.array(["a"] * 300 + ["b"] * 100 + ["rare"], dtype=object)
    ages = np.arange(401) / 100
    here = np.stack([sites, ages], axis=1)
    there = np.stack([np.array(["b"] * 401, dtype=object), ages], axis=1)
    w = importance_weights(here, there)
    assert w[350] > 10 * w[250]
    pred = c.from_probs(np.tile([0.3, 0.7], (401, 1)), np.arange(401) % 2)
    assert reweighted(pred, here, there).total == pytest.approx(401)


def test_what_they_refuse() -> None:
    view = binary([0.2, 0.3], [0, 1])
    with pytest.raises(ValueError, match="here must have a row for each of the 2 rows"):
        reweighted(view, [1.0, 2.0, 3.0], [1.0])
    with pytest.raises(ValueError, match="must have the same columns, got 1 and 2"):
        importance_weights([1.0, 2.0], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="must be finite numbers or names"):
        importance_weights([1.0, np.nan], [1.0])
    with pytest.raises(ValueError, match=r"\(n,\) or \(n, columns\)"):
        importance_weights(np.zeros((1, 1, 1)), [1.0])
    with pytest.raises(ValueError, match="rows are needed both here and there"):
        importance_weights([1.0], [])


def test_whole_vectors_are_reweighted_as_their_predictions_are() -> None:
    pred = c.from_probs([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]], [0, 1, 1])
    found = reweighted(c.canonical(pred), ["a", "b", "b"], ["a", "a", "b"])
    expected = reweighted(pred, ["a", "b", "b"], ["a", "a", "b"])
    np.testing.assert_array_equal(found.w, expected.weights)
