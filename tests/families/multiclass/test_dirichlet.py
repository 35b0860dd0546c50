"""Dirichlet calibration against a general optimiser, and where the truth is a Dirichlet map."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from scipy.stats import dirichlet

from calibrant import Dirichlet, Predictions, from_logits, from_probs, nll


def _task(n: int, seed: int) -> Predictions:
    """Claims drawn from a Dirichlet distribution a class: the true map is linear in their logarithms."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 3, n)
    p = np.stack(
        [random.dirichlet(alpha) for alpha in np.array([[4, 2, 1], [1, 3, 2], [2, 1, 5]])[labels]]
    )
    return from_probs(p, labels)


@pytest.mark.parametrize(
    "family",
    [
        Dirichlet(off_diagonal=0.5, intercept=2.0),
        Dirichlet(l2=0.1),
        Dirichlet(off_diagonal=0, intercept=0),
    ],
)
def test_against_a_general_optimiser(family: Dirichlet) -> None:
    pred = _task(500, seed=0)

    def loss(x: np.ndarray) -> float:
        matrix, shift = x.reshape(3, 4)[:, :3], x.reshape(3, 4)[:, 3]
        chances = log_softmax(np.log(pred.probs) @ matrix.T + shift, axis=1)[
            np.arange(500), pred.labels
        ]
        if family.l2 is not None:
            return float(-chances.mean() + family.l2 * (matrix**2).sum())
        assert not isinstance(family.off_diagonal, str)
        assert not isinstance(family.intercept, str)
        off = (matrix**2).sum() - (np.diag(matrix) ** 2).sum()
        return float(
            -chances.mean()
            + family.off_diagonal * off / 6
            + family.intercept * (shift**2).sum() / 3
        )

    best = minimize(loss, np.eye(3, 4).ravel(), method="BFGS", options={"gtol": 1e-9})
    rule = family.fit(pred).rule
    assert loss(np.column_stack([rule.matrix, rule.shift]).ravel()) == pytest.approx(
        best.fun, abs=1e-8
    )
    assert rule.certificate.slope <= rule.certificate.tolerance


def test_it_finds_a_truth_it_can_say() -> None:
    fitted = Dirichlet().fit(_task(4000, seed=1))
    test = _task(4000, seed=2)
    alpha = np.array([[4, 2, 1], [1, 3, 2], [2, 1, 5]])
    density = np.stack([dirichlet.pdf(test.probs.T, row) for row in alpha], axis=1)
    truth = density / density.sum(1, keepdims=True)
    assert abs(fitted(test) - truth).mean() < 0.02


def test_cross_validation_beats_no_penalty_and_a_crushing_one() -> None:
    random = np.random.default_rng(3)
    logits = random.normal(0, 2, (600, 12))
    labels = (logits / 2 + random.gumbel(size=logits.shape)).argmax(1)
    fit_on, test = (
        from_logits(logits[rows], labels[rows]) for rows in (slice(200), slice(200, None))
    )
    chosen, free = (
        nll(family.fit(fit_on).apply(test))
        for family in (Dirichlet(), Dirichlet(off_diagonal=0, intercept=0))
    )
    assert chosen < free - 0.1
    assert chosen < nll(test)


def test_logits_and_probabilities_are_one_to_it() -> None:
    random = np.random.default_rng(5)
    pred = from_logits(random.normal(0, 2, (300, 4)), random.integers(0, 4, 300))
    claimed = from_probs(pred.probs, pred.labels)
    family = Dirichlet(off_diagonal=0.1, intercept=0.1)
    np.testing.assert_allclose(family.fit(pred)(pred), family.fit(claimed)(claimed), atol=1e-7)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"l2": -1.0}, "l2"),
        ({"l2": 1.0, "intercept": 0.0}, "replaces"),
        ({"off_diagonal": "l2"}, "cv"),
    ],
)
def test_strengths_are_checked(bad: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Dirichlet(**bad)  # type: ignore[arg-type]
