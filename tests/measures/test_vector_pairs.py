"""Signs flipped at random: the test of whole vectors against models that are right."""

import numpy as np
import pytest

from calibrant import Predictions, canonical, from_probs, skce
from calibrant.measures.vector_pairs import sign_flips


def _drawn(n: int, k: int, seed: int, power: float = 1.0) -> Predictions:
    """Vectors that are right, or by a power too bold."""
    random = np.random.default_rng(seed)
    p = random.dirichlet(np.full(k, 0.5), n)
    labels = (p.cumsum(1) < random.random((n, 1))).sum(1).clip(0, k - 1)
    return from_probs(p**power / (p**power).sum(1, keepdims=True), labels)


def test_signs_give_the_error_and_copies_flip_apart() -> None:
    pred = _drawn(60, 3, seed=2, power=2.0)
    seen, flipped = sign_flips(canonical(pred), 500, seed=0)
    assert seen == pytest.approx(skce(canonical(pred)), abs=1e-14)
    assert flipped.mean() == pytest.approx(0, abs=4 * flipped.std() / np.sqrt(500))
    shuffled = sign_flips(canonical(pred[np.random.default_rng(0).permutation(60)]), 500, seed=0)[1]
    np.testing.assert_allclose(shuffled, flipped, atol=1e-14)
    w = np.full(60, 3)
    weighted = sign_flips(canonical(from_probs(pred.probs, pred.labels, weights=w)), 2000, seed=0)[
        1
    ]
    repeated = sign_flips(canonical(pred[np.repeat(np.arange(60), w)]), 2000, seed=1)[1]
    assert weighted.std() == pytest.approx(repeated.std(), rel=0.1)
    assert (sign_flips(canonical(pred[:1]), 100, seed=0)[1] == 0).all()


def test_signs_reject_as_often_as_said_and_find_what_is_too_bold() -> None:
    def p_value(seed: int, n: int, power: float) -> float:
        seen, flipped = sign_flips(canonical(_drawn(n, 4, seed, power)), 99, seed)
        return float((1 + (flipped >= seen).sum()) / 100)

    right = np.array([p_value(seed, 150, 1.0) for seed in range(400)])
    # Four standard errors of a share of 400.
    for level in (0.05, 0.2, 0.5):
        assert (right <= level).mean() == pytest.approx(
            level, abs=4 * np.sqrt(level * (1 - level) / 400)
        )
    assert np.mean([p_value(seed, 250, 2.0) <= 0.05 for seed in range(50)]) > 0.9
