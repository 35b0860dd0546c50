"""The monitor against its definition row by row, its level, its power, its bytes and its parts."""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

import calibrant as c
from calibrant import View, binary, from_logits, from_probs
from calibrant.fitting.types import Array
from calibrant.monitoring import Monitor
from calibrant.monitoring.bets import Bets, features, fitted
from calibrant.monitoring.cells import centres, read_claims, tally


def stream(n: int, shift: float = 0.0, slope: float = 1.0, seed: int = 0) -> View:
    """Claims whose true log odds are slope times theirs, plus a shift."""
    random = np.random.default_rng(seed)
    z = random.normal(0, 2, n)
    return binary(expit(z), random.random(n) < expit(slope * z + shift))


def test_wealth_is_that_of_bets_made_row_by_row() -> None:
    view = stream(130, 0.4)
    monitor = Monitor()
    monitor.update(view)
    z = np.log(view.p) - np.log1p(-view.p)
    wealth = [[1 / 2 / 3] * 3]
    idle = 1 / 2
    past = [np.zeros((2, 161))]
    coefficients: Array = np.zeros((1, 3, 3))
    for row in range(130):
        x = features(z[row : row + 1])[:, 0]
        for start, own in enumerate(wealth):
            for model in range(3):
                q = expit(z[row] + coefficients[start, model] @ x)
                p = view.p[row]
                own[model] *= q / p if view.y[row] else (1 - q) / (1 - p)
        for seen in past:
            seen += tally(z[row : row + 1], view.y[row : row + 1], np.ones(1))
        if row + 1 in (50, 100):
            coefficients = fitted(np.array(past), centres(), coefficients)
            coefficients = np.concatenate([coefficients, np.zeros((1, 3, 3))])
            begun = len(wealth) + 1
            wealth.append([1 / (begun * (begun + 1)) / 3] * 3)
            idle *= (begun) / (begun + 1)
            past.append(np.zeros((2, 161)))
    assert monitor.evidence == pytest.approx(np.log(np.sum(wealth) + idle), abs=1e-9)


def test_batches_do_not_matter_nor_does_a_break() -> None:
    view = stream(5000, 0.3)
    whole = Monitor()
    whole.update(view)
    parts = Monitor()
    for start in range(0, 5000, 777):
        parts.update(view[start : start + 777])
        parts = Monitor.from_bytes(parts.to_bytes())
    assert parts.evidence == pytest.approx(whole.evidence, abs=1e-9)
    assert parts.highest == pytest.approx(whole.highest, abs=1e-9)
    assert (parts.alarm_at, parts.onset, parts.n) == (whole.alarm_at, whole.onset, 5000)


def test_its_level_in_a_hundred_streams() -> None:
    false = 0
    for seed in range(100):
        monitor = Monitor(alpha=0.2)
        monitor.update(stream(800, seed=seed))
        false += monitor.alarm
    assert false <= 0.2 * 100


@pytest.mark.parametrize(("shift", "slope"), [(0.5, 1.0), (-0.5, 1.0), (0.0, 0.6), (0.0, 1.6)])
def test_it_notices_a_change_and_says_since_when(shift: float, slope: float) -> None:
    monitor = Monitor()
    monitor.update(stream(8000, seed=1))
    assert not monitor.alarm
    assert monitor.onset is None
    monitor.update(stream(6000, shift, slope, seed=2))
    assert monitor.alarm
    assert monitor.alarm_at is not None
    assert 8000 < monitor.alarm_at < 12_000
    assert monitor.onset is not None
    assert abs(monitor.onset - 8000) <= 700
    assert monitor.p_value < 0.05
    assert "Refit" in str(monitor)


def test_a_map_that_mends_the_claims_is_watched() -> None:
    view = stream(6000, 0.5, seed=3)
    fitted_map = c.Platt().fit(stream(20_000, 0.5, seed=4))
    plain, mended = Monitor(), Monitor(map=fitted_map)
    plain.update(view)
    mended.update(view)
    assert plain.alarm
    assert not mended.alarm


def test_a_refit_mends_the_rows_since_the_onset() -> None:
    monitor = Monitor()
    monitor.update(stream(8000, seed=5))
    later = stream(8000, 0.8, seed=6)
    monitor.update(later)
    for family in (c.Smooth(), c.Platt()):
        fitted_map = monitor.refit(family)
        own = family.fit(later)
        p = np.array([0.2, 0.5, 0.8])
        np.testing.assert_allclose(fitted_map(p), own(p), atol=0.015)
    raw = Monitor(map=c.Platt().fit(stream(5000, seed=7)))
    raw.update(later)
    np.testing.assert_allclose(raw.refit()(p), own(p), atol=0.02)


def test_weights_are_counts_and_shares_win_less() -> None:
    view = stream(400, 0.5)
    twice = binary(np.repeat(view.p, 2), np.repeat(view.y, 2))
    weighted = binary(view.p, view.y, weights=np.full(400, 2.0))
    one, other = Monitor(), Monitor()
    one.update(twice)
    other.update(weighted)
    assert one.evidence == pytest.approx(other.evidence, abs=1e-9)
    assert other.total == 800
    shares = Monitor()
    shares.update(binary(view.p, expit(np.log(view.p / (1 - view.p)) + 0.5)))
    assert np.isfinite(shares.evidence)


def test_predictions_are_asked_their_top_label() -> None:
    random = np.random.default_rng(0)
    logits = random.normal(0, 2, (3000, 4))
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    labels = (np.cumsum(p, 1) < random.random((3000, 1))).sum(1)
    over = from_logits(3 * logits, labels)
    monitor = Monitor()
    monitor.update(over)
    assert monitor.alarm
    temperature = Monitor(map=c.Temperature().fit(over))
    temperature.update(over)
    assert not temperature.alarm
    with pytest.raises(ValueError, match="update the monitor with Predictions"):
        temperature.update(c.top_label(over))


def test_exact_claims_are_read_by_their_past() -> None:
    p = np.array([1.0, 0.0, 0.25, 1.0, 0.001, 0.0])
    z, nearest = read_claims(p, np.inf, 0)
    floors = [1 / 3, 1 / 4, 0.25, 1 - 0.125, 0.001, 0.0005]
    np.testing.assert_allclose(expit(z), [1 - floors[0], floors[1], 0.25, floors[3], 0.001, 0.0005])
    assert nearest == 0.001
    wrong = Monitor()
    wrong.update(binary(np.ones(200), np.arange(200) % 10 > 0))
    assert np.isfinite(wrong.evidence)
    extreme = Monitor()
    extreme.update(c.top_label(from_logits(np.tile([1e4, -1e4], (300, 1)), np.ones(300, int))))
    assert extreme.alarm


def test_parts_of_a_stream_add_up() -> None:
    parts = []
    for seed in range(3):
        part = Monitor()
        part.update(stream(3000, seed=seed))
        part.update(stream(700, 0.4, seed=seed + 10))
        parts.append(part)
    both = parts[0].merge(parts[1])
    assert both.evidence == pytest.approx(parts[0].evidence + parts[1].evidence)
    assert both.evidence == pytest.approx(parts[1].merge(parts[0]).evidence)
    assert both.n == 7400
    every = both.merge(parts[2])
    every.update(stream(3000, 0.4, seed=20))
    assert every.alarm
    assert every.onset is not None
    assert abs(every.onset - 9000) < 1200
    assert Monitor.from_bytes(every.to_bytes()).onset == every.onset
    empty = Monitor().merge(Monitor())
    assert not empty.alarm


def test_memory_is_bounded() -> None:
    monitor = Monitor()
    for seed in range(5):
        monitor.update(stream(40_000, seed=seed))
    assert len(monitor.to_bytes()) < 400_000


def test_retired_bets_leave_their_wealth() -> None:
    bets = Bets()
    for row in range(30):
        bets.begin(float(row * 100))
    assert bets.log_wealth == pytest.approx(0, abs=1e-12)
    assert len(bets.starts) == 6
    assert bets.starts[0] == 0
    assert bets.starts[-1] == 2900


def test_bytes_that_were_changed_are_refused(tmp_path: Path) -> None:
    monitor = Monitor()
    monitor.update(stream(200))
    content = monitor.to_bytes()
    for place in (5, 300, len(content) // 2, len(content) - 3):
        broken = bytearray(content)
        broken[place] ^= 1
        with pytest.raises(ValueError, match="not a monitor that calibrant wrote"):
            Monitor.from_bytes(bytes(broken))
    for cut in (b"", content[:-1], b"PK" * 100):
        with pytest.raises(ValueError, match="not a monitor"):
            Monitor.from_bytes(cut)
    with pytest.raises(ValueError, match="watched with no map"):
        Monitor.from_bytes(content, map=c.Platt().fit(stream(100)))
    del tmp_path


def test_what_it_refuses() -> None:
    with pytest.raises(ValueError, match="alpha must be a chance between 0 and 1, got 5"):
        Monitor(alpha=5)
    with pytest.raises(ValueError, match="watches a View or Predictions, not ndarray"):
        Monitor().update(np.ones(3))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nothing to fit on yet"):
        Monitor().refit()
    with pytest.raises(ValueError, match="the same map and the same alpha"):
        Monitor().merge(Monitor(alpha=0.01))
    with pytest.raises(ValueError, match="labels"):
        Monitor().update(from_probs([[0.5, 0.5]]))
    assert str(Monitor()) == "No rows yet."
