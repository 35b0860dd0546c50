"""Prior shift against Bayes' rule by hand, and priors found again in resampled rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, logit

import calibrant as c
from calibrant import Predictions, View, binary, from_probs
from calibrant.shift import PriorShift, estimate_prior


def sampled(seed: int, n: int, shares: tuple[float, ...]) -> Predictions:
    """Three classes that are normal in two dimensions, as they seem where all are as frequent."""
    random = np.random.default_rng(seed)
    labels = random.choice(3, n, p=shares)
    centres = np.array([[0, 0], [2, 0], [0, 2.0]])
    x = centres[labels] + random.normal(0, 1, (n, 2))
    logs = -((x[:, None] - centres) ** 2).sum(2) / 2
    p = np.exp(logs - logs.max(1, keepdims=True))
    return from_probs(p / p.sum(1, keepdims=True), labels)


EVEN = (1 / 3, 1 / 3, 1 / 3)
SKEWED = (0.7, 0.1, 0.2)


def test_a_known_prior_is_bayes_rule() -> None:
    here, there = sampled(0, 3000, EVEN), sampled(1, 100, SKEWED)
    before = np.bincount(here.labels) / here.n
    by_hand = there.probs * SKEWED / before
    by_hand /= by_hand.sum(1, keepdims=True)
    found = PriorShift(SKEWED).fit(here)
    np.testing.assert_allclose(found.apply(there).probs, by_hand, atol=1e-12)
    as_array: Any = np.array(SKEWED)
    assert PriorShift(as_array) == PriorShift(SKEWED)


def test_of_one_chance_and_of_two_classes() -> None:
    p = np.linspace(0.05, 0.95, 10)
    view = binary(p, np.arange(10) % 2)
    by_hand = expit(logit(p) + logit(0.1))
    np.testing.assert_allclose(PriorShift(0.1).fit(view)(view), by_hand, atol=1e-12)
    pair = from_probs(p, np.arange(10) % 2)
    np.testing.assert_allclose(
        PriorShift(0.1).fit(pair).apply(pair).probs[:, 1], by_hand, atol=1e-9
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_prior_is_found_again_and_the_log_loss_falls(seed: int) -> None:
    here, there = sampled(seed, 3000, EVEN), sampled(seed + 100, 3000, SKEWED)
    found = estimate_prior(here, there, level=0.999)
    assert found.classes == (0, 1, 2)
    assert (found.low < SKEWED).all()
    assert (found.high > SKEWED).all()
    unlabelled = from_probs(there.probs)
    fitted = PriorShift("estimate").fit(here, unlabelled)
    assert fitted.family == PriorShift("estimate")
    assert c.nll(fitted.apply(there)) < c.nll(there) - 0.1


def test_intervals_hold_19_times_in_20() -> None:
    inside = []
    for seed in range(300):
        here, there = sampled(seed, 400, EVEN), sampled(seed + 1000, 400, SKEWED)
        found = estimate_prior(here, there)
        inside.append((found.low <= SKEWED) & (found.high >= SKEWED))
    # Three standard errors below .95 for each class.
    assert (np.mean(inside, axis=0) > 0.912).all()


def test_it_is_saved_and_told(tmp_path: Path) -> None:
    here = sampled(0, 300, EVEN)
    view: View = c.one_class(here, 1)
    for fitted, x in (
        (PriorShift("estimate").fit(here, here), here.probs),
        (PriorShift(0.2).fit(view), view.p),
    ):
        fitted.save(tmp_path / "map")
        again = c.load(tmp_path / "map")
        np.testing.assert_array_equal(again(x), fitted(x))
        assert list(again.rule.facts())
    assert "exp" in PriorShift(0.2).fit(view).to_sql("p").lower()


def test_by_name() -> None:
    from calibrant.families.names import family_of, name_of

    assert family_of("prior-shift(target=0.2)") == PriorShift(0.2)
    assert family_of(name_of(PriorShift((0.2, 0.8)))) == PriorShift((0.2, 0.8))


def test_what_it_refuses() -> None:
    here = sampled(0, 50, EVEN)
    with pytest.raises(ValueError, match="without labels: give them too"):
        PriorShift("estimate").fit(here)
    with pytest.raises(ValueError, match="target must be a share between 0 and 1"):
        PriorShift((0.5, 0.6))
    with pytest.raises(ValueError, match="a share for each of the 3 classes"):
        PriorShift((0.5, 0.5)).fit(here)
    with pytest.raises(ValueError, match="class 'event' has none"):
        PriorShift(0.5).fit(binary([0.2, 0.4], [0, 0]))
    with pytest.raises(ValueError, match="must be asked as the labelled ones are, View"):
        PriorShift("estimate").fit(binary([0.2, 0.4], [0, 1]), here)
    with pytest.raises(ValueError, match="level must be"):
        estimate_prior(here, here, level=95)
