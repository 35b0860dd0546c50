"""Draws of data: pooled claims hold what rows hold, and draws have the chances supposed."""

import numpy as np
import pytest
from shared_claims import claims

import calibrant
from calibrant import binary, canonical, ece, from_probs
from calibrant.measures.draws import MOST_CELLS, cells, null_sampler, replicates, summarised


def test_cells_hold_what_rows_hold() -> None:
    view = binary([0.2, 0.9, 0.2, 0.5], [1, 1, 0, 0], weights=[1, 2, 3, 0])
    part = cells(view)
    assert (part.p.tolist(), part.w.tolist(), part.happened.tolist()) == (
        [0.2, 0.9],
        [4, 2],
        [1, 2],
    )
    assert ece(part.counted(part.happened)) == pytest.approx(ece(view))


def test_many_claims_are_taken_together_without_loss_of_weight() -> None:
    view = claims(5 * MOST_CELLS)
    part = cells(view)
    assert len(part.p) == MOST_CELLS
    assert part.w.sum() == view.n
    assert part.happened.sum() == view.y.sum()
    assert part.w @ part.p == pytest.approx(view.p.sum())


def test_draws_have_the_chances_they_are_drawn_from() -> None:
    random = np.random.default_rng(0)
    part = cells(binary([0.1, 0.7], [0, 1], weights=[3000, 5000]))
    drawn = part.drawn(np.array([0.3, 0.6]), random)
    assert drawn.w is not None
    assert drawn.total == 8000
    assert np.average(drawn.y[:2], weights=drawn.w[:2]) == pytest.approx(0.3, abs=0.04)
    assert np.average(drawn.y[2:], weights=drawn.w[2:]) == pytest.approx(0.6, abs=0.04)


def test_labels_are_drawn_from_whole_vectors() -> None:
    pred = from_probs(np.tile([0.2, 0.5, 0.3], (20_000, 1)), np.zeros(20_000, int))
    drawn = null_sampler(canonical(pred))(np.random.default_rng(0))
    np.testing.assert_allclose(
        np.bincount(drawn.y, minlength=3) / 20_000, [0.2, 0.5, 0.3], atol=0.015
    )


def test_each_item_has_a_stream_of_its_own() -> None:
    first = replicates(lambda _, random: random.random(), range(5), seed=1)
    assert first == replicates(lambda _, random: random.random(), range(5), seed=1)
    assert len(set(first)) == 5


def test_many_claims_are_summarised_and_measure_the_same() -> None:
    view, few = claims(50_000), claims(300)
    assert summarised(few) is few
    small = summarised(view)
    assert small.n <= 2048
    assert small.total == 50_000
    assert calibrant.ks_error(small) == pytest.approx(calibrant.ks_error(view), abs=2e-4)
    assert calibrant.slope_intercept(small) == pytest.approx(
        calibrant.slope_intercept(view), abs=2e-3
    )


@pytest.mark.parametrize("n", [900, 1023, 1500, 5001])
def test_mirrored_claims_are_pooled_as_mirrored(n: int) -> None:
    random = np.random.default_rng(n)
    p = random.permutation(np.arange(1, n + 1)) / 2**14
    y = random.random(n) < p
    ascending = cells(binary(p, y))
    mirrored = cells(binary(1 - p, ~y))
    assert len(ascending.w) == min(n, 1023)
    np.testing.assert_array_equal(mirrored.w[::-1], ascending.w)
    np.testing.assert_allclose(1 - mirrored.p[::-1], ascending.p, rtol=0, atol=1e-15)
    np.testing.assert_allclose(1 - mirrored.sort_key[::-1], ascending.sort_key, rtol=0, atol=1e-15)
