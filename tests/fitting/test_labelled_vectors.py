"""Labelled vectors are sorted by class, and the same from logits as from probabilities."""

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from calibrant.fitting import labelled_vectors as module
from calibrant.fitting.beta_density import FLOOR
from calibrant.fitting.labelled_vectors import labelled_vectors

RANDOM = np.random.default_rng(0)
Z = RANDOM.normal(0, 3, (50, 4))
Y = RANDOM.integers(0, 4, 50)
W = RANDOM.integers(0, 3, 50).astype(float)


def test_rows_are_sorted_by_class_and_stay_together() -> None:
    rows = labelled_vectors(Z, Y, None, logits=True)
    order = np.argsort(Y, kind="stable")
    np.testing.assert_array_equal(rows.y, Y[order])
    np.testing.assert_allclose(rows.p, softmax(Z, axis=1)[order])
    np.testing.assert_allclose(rows.log_p, log_softmax(Z, axis=1)[order])
    assert (rows.n, rows.k, rows.total) == (50, 4, 50)
    assert rows.y[rows.starts].tolist() == [0, 1, 2, 3]


def test_rows_without_weight_are_left_out() -> None:
    weighted = labelled_vectors(Z, Y, W, logits=True)
    kept = W > 0
    plain = labelled_vectors(Z[kept], Y[kept], None, logits=True)
    np.testing.assert_array_equal(weighted.p, plain.p)
    assert weighted.w is not None
    assert weighted.total == W.sum() == weighted.w.sum()


def test_logits_and_probabilities_agree_down_to_the_floor() -> None:
    z = Z.copy()
    z[0] = [1e4, -1e4, 0, 0]
    p = softmax(z, axis=1)
    from_logits = labelled_vectors(z, Y, None, logits=True)
    from_probs = labelled_vectors(p, Y, None, logits=False)
    np.testing.assert_allclose(from_logits.p, from_probs.p, rtol=1e-12)
    np.testing.assert_allclose(from_logits.log_p, from_probs.log_p, rtol=1e-9)
    assert from_logits.log_p.min() == from_probs.log_p.min() == FLOOR


@pytest.mark.parametrize("cells", [1, 170, 1 << 22])
def test_blocks_cover_all_rows_once(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CELLS", cells)
    rows = labelled_vectors(Z, Y, None, logits=True)
    blocks = rows.blocks()
    seen = np.concatenate([np.arange(50)[block] for block in blocks])
    np.testing.assert_array_equal(seen, np.arange(50))
    assert rows.rows_at_once == max(1, cells // 50)
    assert max(block.stop - block.start for block in blocks) <= rows.rows_at_once


def test_one_row_or_all_of_less_is_taken() -> None:
    w = np.array([1.0, 3.0, 0.5])
    rows = labelled_vectors(Z[:3], np.arange(3), w, logits=True)
    np.testing.assert_allclose(np.exp(rows.log_left), [0, 2 / 3, 0])
    plain = labelled_vectors(Z[:3], np.arange(3), None, logits=True)
    np.testing.assert_array_equal(np.exp(plain.log_left), np.zeros(3))
