"""Sums over keys in log space against plain ones."""

import numpy as np
import pytest

from calibrant.fitting.class_softmax import class_shares, pair_shares

STARTS = np.array([0, 3, 4])
CLASS = np.array([0, 0, 0, 1, 2, 2])


def test_shares_against_plain_sums() -> None:
    weights = np.random.default_rng(0).random((5, 6))
    log_sum, share = class_shares(np.log(weights), STARTS)
    np.testing.assert_allclose(log_sum, np.log(weights.sum(1)))
    expected = weights @ (CLASS[:, None] == np.arange(3)) / weights.sum(1, keepdims=True)
    np.testing.assert_allclose(share, expected)


@pytest.mark.parametrize("shift", [-1e5, 0, 1e5])
def test_no_exponent_is_too_large(shift: float) -> None:
    weights = np.random.default_rng(1).random((5, 6))
    expected = (
        class_shares(np.log(weights), STARTS)[1],
        pair_shares(np.log(weights), np.ones((5, 6)), STARTS),
    )
    np.testing.assert_allclose(
        class_shares(np.log(weights) + shift, STARTS)[1], expected[0], rtol=1e-9
    )
    np.testing.assert_allclose(
        pair_shares(np.log(weights) + shift, np.ones((5, 6)), STARTS), expected[1], rtol=1e-9
    )


@pytest.mark.parametrize("counted", [False, True])
def test_pairs_against_a_loop(*, counted: bool) -> None:
    random = np.random.default_rng(2)
    kernel, count = random.random(6), random.integers(1, 4, 6) if counted else np.ones(6, int)
    rows, of_row = np.repeat(kernel, count), np.repeat(CLASS, count)
    total, within = 0.0, np.zeros(3)
    for i in range(len(rows)):
        for j in range(len(rows)):
            if i != j:
                total += rows[i] * rows[j]
                within[of_row[i]] += rows[i] * rows[j] * (of_row[i] == of_row[j])
    found = pair_shares(np.log(kernel * count)[None], (1 / count)[None], STARTS)
    np.testing.assert_allclose(found[0], within / total)


def test_pairs_far_below_the_largest_key() -> None:
    # Beside the first key the others vanish in floating point, yet every pair has one of them.
    logits = np.array([[0.0, -2000.0, -np.inf, -2000.0 + np.log(2), -np.inf, -np.inf]])
    np.testing.assert_allclose(pair_shares(logits, np.ones((1, 6)), STARTS), [[1 / 3, 0, 0]])


def test_a_key_of_two_rows_is_a_pair() -> None:
    logits = np.array([[np.log(2), -2000.0, -np.inf, -np.inf, -np.inf, -np.inf]])
    np.testing.assert_allclose(
        pair_shares(logits, np.array([[0.5, 1, 1, 1, 1, 1]]), STARTS), [[1, 0, 0]]
    )
