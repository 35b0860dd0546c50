"""Intervals of paired differences against the formula, their coverage, and what is said of a term."""

import json

import numpy as np
import pytest
from scipy import stats

import calibrant as c
from calibrant import choose_strength
from calibrant.fitting.types import Ints

N, K = 3000, 4
LABELS = np.random.default_rng(9).integers(0, K, N)


def _run(
    seed: int, *, skill: float = 1.0, scale: float = 1.0, labels: Ints = LABELS
) -> c.Predictions:
    """A network whose claims are right at scale 1, and better informed the more skill it has."""
    random = np.random.default_rng(seed)
    noise = random.normal(size=(len(labels), K))
    signal = (skill + 0.01 * random.normal()) * np.eye(K)[labels]
    return c.from_logits(scale * skill * (noise + signal), labels)


def test_one_run_is_compared_row_by_row() -> None:
    plain, other = _run(0), _run(1)
    found = choose_strength({0: plain, 0.5: other}).rows[1]
    difference = -plain.log_probs[np.arange(N), LABELS] + other.log_probs[np.arange(N), LABELS]
    expected = stats.ttest_1samp(difference, 0).confidence_interval(0.95)
    assert (found.gain.low, found.gain.high) == pytest.approx(tuple(expected), abs=1e-9)
    assert found.gain.estimate == pytest.approx(c.nll(plain) - c.nll(other), abs=1e-12)
    assert found.accuracy == c.accuracy(other)


def test_seeds_count_where_rows_vary_little() -> None:
    # Every row of a seed gains the same.
    seeds = [0.0, 0.1, 0.3, 0.2]
    p = 0.5 * np.exp(-np.array(seeds))
    labels = np.zeros(50, int)
    plain = c.from_probs(np.full((50, 2), 0.5), labels)
    runs = [c.from_probs(np.tile([each, 1 - each], (50, 1)), labels) for each in p]
    found = choose_strength({0: [plain] * 4, 1: runs}).rows[1].gain
    expected = stats.ttest_1samp(-np.array(seeds), 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-6)


def test_intervals_hold_together() -> None:
    plain = _run(0)
    alone = choose_strength({0: plain, 1: _run(1)}, level=0.975).rows[1]
    both = choose_strength({0: plain, 1: _run(1), 2: _run(2)}).rows[1]
    assert both.gain == pytest.approx(alone.gain, abs=1e-12)


def test_they_cover_what_seeds_and_rows_would_give() -> None:
    covered = []
    for trial in range(60):
        labels = np.random.default_rng(1000 + trial).integers(0, K, 200)
        first, second = (
            [_run(10_000 * trial + 100 * place + seed, labels=labels) for seed in range(4)]
            for place in (0, 1)
        )
        gain = choose_strength({0: first, 1: second}).rows[1].tempered_gain
        covered.append(gain.low <= 0 <= gain.high)
    assert np.mean(covered) >= 0.9


def test_a_term_that_does_what_a_temperature_does_is_worth_nothing() -> None:
    plain = [_run(seed, scale=3) for seed in range(3)]
    softer = [_run(seed, scale=1) for seed in range(3)]
    found = choose_strength({0: plain, 0.1: softer})
    assert found.best == 0
    assert "no strength is shown to be worth anything" in found.finding
    assert "Before it, 0.1 gains" in found.finding
    assert found.rows[1].tempered_gain.estimate == pytest.approx(0, abs=1e-6)


def test_a_term_that_informs_is_chosen() -> None:
    plain = [_run(seed) for seed in range(3)]
    better = [_run(seed, skill=1.4) for seed in range(3)]
    worse = [_run(seed, skill=0.7) for seed in range(3)]
    found = choose_strength({1: worse, 0: plain, 0.1: better})
    assert [row.strength for row in found.rows] == [0, 0.1, 1]
    assert found.best == 0.1
    assert found.finding.startswith("Strength 0.1 gains 0.")
    assert found.finding in str(found)
    assert json.loads(json.dumps(found.to_dict()))["best"] == 0.1


def test_one_run_each_is_said() -> None:
    assert "One run each" in str(choose_strength({0: _run(0), 1: _run(1)}))
    assert "One run each" not in str(choose_strength({0: [_run(0)] * 2, 1: [_run(1)] * 2}))


def test_weights_are_counts() -> None:
    plain, other = _run(0)[:500], _run(1)[:500]
    w = np.arange(500) % 3
    rows = np.repeat(np.arange(500), w)
    weighted = [
        c.from_logits(pred.scores, pred.labels, weights=w.astype(float)) for pred in (plain, other)
    ]
    repeated = choose_strength({0: plain[rows], 1: other[rows]}).rows[1]
    found = choose_strength({0: weighted[0], 1: weighted[1]}).rows[1]
    assert found.tempered_gain == pytest.approx(repeated.tempered_gain, abs=1e-6)


@pytest.mark.parametrize(
    ("runs", "rule"),
    [
        ({0.1: _run(0), 0.2: _run(1)}, r"strength 0 and at least one other; got \[0.1, 0.2\]"),
        ({0: _run(0)}, r"at least one other; got \[0\]"),
        ([_run(0), _run(1)], "got list"),
        ({0: _run(0), 1: [_run(1), _run(2)]}, r"runs\[1\] must have a run for each of the 1 seeds"),
        ({0: _run(0), 1: []}, r"runs\[1\] must be Predictions, one a seed, got none"),
        ({0: _run(0), 1: [0.5]}, "one a seed, got float: make them with from_probs"),
        ({0: _run(0), 1: _run(1)[::-1]}, r"runs\[1\] must be of the same validation rows"),
        ({0: _run(0)[:1], 1: _run(1)[:1]}, "at least 2, got 1"),
    ],
)
def test_bad_runs_are_refused(runs: dict[float, c.Predictions], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        choose_strength(runs)


def test_a_bad_level_is_refused() -> None:
    with pytest.raises(ValueError, match="level must lie between 0 and 1, got 95"):
        choose_strength({0: _run(0), 1: _run(1)}, level=95)
