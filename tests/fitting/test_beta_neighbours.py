"""Neighbours of claims against all keys: those left away do not matter."""

import numpy as np
import pytest

from calibrant.fitting import beta_neighbours
from calibrant.fitting.beta_density import key_table, log_chances
from calibrant.fitting.beta_neighbours import BetaNeighbours, OutcomeCounts
from calibrant.fitting.class_softmax import class_shares

ODDS = np.sort(np.random.default_rng(0).normal(0, 3, 150))
EVENTS = np.random.default_rng(1).integers(0, 3, 150).astype(float)
OTHERS = np.random.default_rng(2).integers(0, 3, 150) + 1.0
COUNTS = OutcomeCounts(EVENTS, OTHERS)
NONE = np.zeros(150)


def _shares(new: np.ndarray, h: float, left_out: OutcomeCounts | None) -> np.ndarray:
    rows = np.arange(len(new))
    share = np.full(len(new), np.nan)
    for block in BetaNeighbours(ODDS, h).blocks(new, rows, COUNTS, left_out):
        _, shares = class_shares(block.logits, block.starts)
        share[block.rows] = shares[:, 0]
    return share


def _dense(new: np.ndarray, h: float, left_out: OutcomeCounts | None) -> np.ndarray:
    logs = log_chances(new) @ key_table(ODDS, h)
    events, others = (np.tile(count, (len(new), 1)) for count in COUNTS)
    if left_out is not None:
        np.fill_diagonal(events, EVENTS - left_out.events)
        np.fill_diagonal(others, OTHERS - left_out.others)
    # In units of the largest kernel that counts.
    logs = np.where(events + others > 0, logs, -np.inf)
    kernels = np.exp(logs - logs.max(1, keepdims=True))
    happened = (kernels * events).sum(1)
    return happened / (happened + (kernels * others).sum(1))


@pytest.mark.parametrize("h", [1e-5, 1e-3, 0.1])
def test_shares_about_new_claims(h: float) -> None:
    new = np.linspace(-9, 9, 77)
    np.testing.assert_allclose(_shares(new, h, None), _dense(new, h, None), atol=1e-12)


@pytest.mark.parametrize("h", [1e-5, 1e-3, 0.1])
def test_shares_about_claims_left_out(h: float) -> None:
    out = OutcomeCounts(NONE, np.ones(150))
    np.testing.assert_allclose(_shares(ODDS, h, out), _dense(ODDS, h, out), atol=1e-12)


def test_blocks_cover_the_rows_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beta_neighbours, "_ROWS_AT_ONCE", 7)
    monkeypatch.setattr(beta_neighbours, "_CELLS_AT_ONCE", 300)
    rows = np.arange(3, 150, 2)
    found = list(BetaNeighbours(ODDS, 1e-3).blocks(ODDS, rows, COUNTS, None))
    np.testing.assert_array_equal(np.concatenate([block.rows for block in found]), rows)
    assert max(len(block.rows) for block in found) <= 7
    for block in found:
        assert block.counts.shape == block.logits.shape
        assert block.starts.tolist() == [0, block.counts.shape[1] // 2]


def test_no_rows_no_blocks() -> None:
    rows = np.zeros(0, np.intp)
    assert list(BetaNeighbours(ODDS, 0.1).blocks(ODDS, rows, COUNTS, None)) == []


def test_what_is_left_out_is_counted_together() -> None:
    np.testing.assert_array_equal(COUNTS.total, EVENTS + OTHERS)
