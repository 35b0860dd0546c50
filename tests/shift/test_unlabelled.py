"""What is expected without labels, against what is seen once there are some."""

import numpy as np
import pytest
from scipy.special import expit

import calibrant as c
from calibrant import Platt, View, binary
from calibrant.measures.scores import event_rate
from calibrant.shift import estimate_without_labels


def shifted(seed: int, n: int, centre: float) -> View:
    """Claims twice too sure, from another part of the same curve."""
    random = np.random.default_rng(seed)
    z = random.normal(centre, 1, n)
    return binary(expit(2 * z), random.random(n) < expit(z))


def test_intervals_hold_what_is_seen_later() -> None:
    held = []
    for seed in range(60):
        here, there = shifted(seed, 1000, 0.5), shifted(seed + 500, 800, 1.0)
        found = estimate_without_labels(here, there)
        seen = event_rate(there), c.brier(there), c.nll(there)
        each = zip(found[:3], seen, strict=True)
        held.append([interval.low <= value <= interval.high for interval, value in each])
    assert (np.mean(held, axis=0) > 0.86).all()


def test_labels_of_the_new_rows_are_not_looked_at() -> None:
    here, there = shifted(0, 500, 0.5), shifted(1, 500, 1.0)
    other = binary(there.p, ~there.y)
    assert estimate_without_labels(here, there) == estimate_without_labels(here, other)
    assert estimate_without_labels(here, there, Platt()).accuracy.low > 0.5


def test_predictions_without_labels_and_weights() -> None:
    pred = c.from_probs([[0.8, 0.2], [0.3, 0.7]] * 50, [0, 1, 1, 1] * 25)
    new = c.from_probs([[0.8, 0.2], [0.4, 0.6]] * 20)
    found = estimate_without_labels(pred, new)
    assert 0.6 < found.accuracy.estimate < 0.9
    view = binary([0.8] * 10, [0] * 10)
    here = c.top_label(pred)
    twice = binary([0.8] * 20, [0] * 20)
    double = binary([0.8] * 10, [0] * 10, weights=[2] * 10)
    assert estimate_without_labels(here, twice).accuracy == pytest.approx(
        estimate_without_labels(here, double).accuracy, abs=1e-12
    )
    assert (
        estimate_without_labels(here, view).accuracy.low
        < estimate_without_labels(here, twice).accuracy.low
    )
