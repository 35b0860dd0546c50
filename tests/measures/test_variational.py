"""The vector error is a bound from below, in expectation, and so is its limit in most samples."""

from typing import Literal

import numpy as np
import pytest
from scipy.stats import t

from calibrant import (
    Identity,
    Predictions,
    Temperature,
    canonical,
    from_logits,
    from_probs,
    samples,
    top_label,
    variational_error,
    vector_error,
)
from calibrant.families.folds import held_out
from calibrant.measures.variational import row_terms

Norm = Literal[1, 2]


def _drawn(
    seed: int, n: int = 400, k: int = 4, sharpness: float = 2.0
) -> tuple[Predictions, float]:
    """Claims too extreme by this factor, and how far they are from the truth on average."""
    random = np.random.default_rng(seed)
    z = random.normal(0, 1.5, (n, k))
    truth = _softmax(z)
    labels = (z + random.gumbel(size=z.shape)).argmax(1)
    pred = from_logits(sharpness * z, labels)
    return pred, float(np.abs(truth - pred.probs).sum(1).mean())


def _softmax(z: np.ndarray) -> np.ndarray:
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def _terms(pred: Predictions, norm: Norm) -> list[tuple[float, float, float]]:
    """Row by row, by loops: value, variance where claims are right, and tilt."""
    found = []
    view = canonical(pred)
    for fitted, held in held_out(view, 5, 0):
        q = Temperature().fit(pred[fitted]).apply(pred[held]).probs
        for row, of_row in zip(held, q, strict=True):
            p = pred.probs[row]
            y = np.zeros(pred.k)
            y[pred.labels[row]] = 1
            gap = of_row - p
            s = np.sign(gap) if norm == 1 else 2 * gap
            value = s @ (y - p) - (0 if norm == 1 else gap @ gap)
            variance = sum(p[j] * (s[j] - s @ p) ** 2 for j in range(pred.k))
            found.append((value, variance, gap @ (p - 1 / pred.k)))
    return found


@pytest.mark.parametrize("norm", [1, 2])
def test_it_is_the_mean_of_what_rows_say_one_by_one(norm: Norm) -> None:
    pred, _ = _drawn(0)
    value, variance, tilt = np.array(_terms(pred, norm)).T
    mean = value.mean()
    spread = max(value.var(ddof=1), variance.mean())
    half = t.ppf(0.95, pred.n - 1) * np.sqrt((2 if norm == 1 else 1) * spread / pred.n)
    found = variational_error(pred, norm=norm, family="temperature")
    root = (lambda x: x) if norm == 1 else np.sqrt
    assert found.error == pytest.approx(root(mean))
    assert found.low == pytest.approx(root(mean - half))
    assert found.over == pytest.approx(value[tilt < 0].sum() / pred.n)
    assert found.under == pytest.approx(value[tilt > 0].sum() / pred.n)
    assert vector_error(pred, norm=norm, family=Temperature()) == found.error


def test_limits_lie_a_quantile_of_student_from_the_mean() -> None:
    terms = row_terms(_drawn(0)[0], family="temperature")
    (low, high), (lower, higher) = terms.ends(0.9), terms.ends(0.99)
    assert 0 < lower < low < terms.error < high < higher
    assert high - terms.error == pytest.approx(terms.error - low)
    ratio = t.ppf(0.99, 399) / t.ppf(0.9, 399)
    assert (higher - terms.error) / (high - terms.error) == pytest.approx(ratio)


def test_known_errors_are_found() -> None:
    for sharpness in (1.5, 0.6):
        pred, true = _drawn(1, n=4000, sharpness=sharpness)
        found = variational_error(pred)
        assert found.low < true
        assert found.error == pytest.approx(true, abs=0.02)
        assert (found.over > 0.1, found.under > 0.1) == (sharpness > 1, sharpness < 1)


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("sharpness", [1.0, 1.1])
def test_the_lower_limit_is_seldom_above_the_truth(norm: Norm, sharpness: float) -> None:
    above = 0
    values = []
    for seed in range(120):
        pred, true = _drawn(seed, n=150, k=3, sharpness=sharpness)
        if norm == 2:
            truth = _softmax(pred.values / sharpness)
            true = float(np.sqrt(((truth - pred.probs) ** 2).sum(1).mean()))
        terms = row_terms(pred, norm=norm, family="structured-matrix")
        above += terms.low > true
        values.append(terms.mean)
    # With a chance of 5% each, more than 12 of 120 are seen once in 100 times.
    assert above <= 12
    if norm == 1 and sharpness == 1:
        assert abs(np.mean(values)) < 3 * np.std(values) / np.sqrt(120)


def test_an_error_of_one_class_among_many_is_found_by_the_family_that_can_say_it() -> None:
    random = np.random.default_rng(0)
    z = random.normal(0, 1.5, (3000, 5))
    labels = (z + random.gumbel(size=z.shape)).argmax(1)
    z[:, 0] += 1
    pred = from_logits(z, labels)
    assert vector_error(pred) > 2 * vector_error(pred, family="temperature")


def test_soft_labels_are_votes_on_one_row() -> None:
    pred, _ = _drawn(2, n=300, k=3)
    hard = np.eye(3)[pred.labels]
    assert vector_error(from_logits(pred.values, hard)) == vector_error(pred)
    shares = 0.7 * hard + 0.1
    soft = from_logits(pred.values, shares)
    terms = row_terms(soft, family="temperature")
    q_terms = row_terms(soft, norm=2, family="temperature")
    by_hand = 0.0
    for fitted, held in held_out(canonical(soft), 5, 0):
        gap = Temperature().fit(soft[fitted]).apply(soft[held]).probs - soft[held].probs
        by_hand += (np.sign(gap) * (shares[held] - soft[held].probs)).sum()
    assert terms.mean == pytest.approx(by_hand / 300)
    assert q_terms.error > 0


def test_probabilities_and_logits_agree() -> None:
    pred, _ = _drawn(3)
    given = from_probs(pred.probs, pred.labels)
    logs = from_logits(np.log(pred.probs), pred.labels)
    assert vector_error(given) == pytest.approx(vector_error(logs))


def test_equal_claims_and_the_order_of_rows_change_nothing() -> None:
    random = np.random.default_rng(5)
    p = random.dirichlet(np.ones(3), 20)[random.integers(0, 20, 200)]
    pred = from_probs(p, random.integers(0, 3, 200))
    mixed = pred[random.permutation(200)]
    assert variational_error(mixed) == pytest.approx(variational_error(pred), abs=1e-12)


def test_a_weight_is_a_count_where_folds_are_the_same() -> None:
    pred, _ = _drawn(6, n=100, k=3)
    doubled = from_logits(pred.values, pred.labels, weights=np.full(100, 2.0))
    one, two = (row_terms(x, family=Temperature()) for x in (pred, doubled))
    assert two.mean == pytest.approx(one.mean)
    assert two.total == 200
    silent = from_logits(
        np.concatenate([pred.values, pred.values[::-1]]),
        np.concatenate([pred.labels, pred.labels]),
        weights=np.repeat([1.0, 0.0], 100),
    )
    assert variational_error(silent) == pytest.approx(variational_error(pred))


def test_claims_that_no_map_changes_have_no_error_and_no_width() -> None:
    pred, _ = _drawn(0)
    assert variational_error(pred, family=Identity()) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("probs", "labels"),
    [
        ([[0.2, 0.8]] * 2, [0, 1]),
        ([[0.2, 0.3, 0.5]] * 3, [0, 1, 2]),
        ([[0.2, 0.3, 0.5]] * 40, [2] * 40),
        ([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]] * 10, [2, 1] * 10),
        ([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]] * 10, [0, 0] * 10),
        (np.eye(3)[[0, 1, 2] * 8], [1, 2, 0] * 8),
    ],
    ids=["two rows", "three rows", "one class", "sure and right", "sure, wrong", "all wrong"],
)
@pytest.mark.parametrize("norm", [1, 2])
def test_little_or_strange_data_have_an_answer(
    probs: list[list[float]], labels: list[int], norm: Norm
) -> None:
    found = variational_error(from_probs(probs, labels), norm=norm)
    assert np.isfinite(found).all()
    assert 0 <= found.low <= max(found.error, 0)
    assert found.error <= 2


def test_a_thousand_classes() -> None:
    random = np.random.default_rng(0)
    z = random.normal(0, 3, (300, 1000))
    labels = (z + random.gumbel(size=z.shape)).argmax(1)
    found = variational_error(from_logits(2 * z, labels))
    assert 0 < found.low < found.error < 2


@pytest.mark.parametrize("norm", [1, 2])
def test_a_real_network_errs_less_once_its_temperature_is_mended(norm: Norm) -> None:
    fit_on, test = samples.load("c10-resnet18")
    mended = Temperature().fit(fit_on).apply(test)
    rows = slice(0, 3000)
    assert vector_error(mended[rows], norm=norm) < vector_error(test[rows], norm=norm) - 0.01


def test_what_cannot_be_asked_is_refused() -> None:
    pred, _ = _drawn(0, n=30)
    with pytest.raises(ValueError, match=r"use calibration_error\(view\)"):
        vector_error(top_label(pred))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="takes Predictions, got list"):
        vector_error([0.3, 0.7])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="norm"):
        vector_error(pred, norm=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 2, and 2 rows"):
        vector_error(pred[:1])
    with pytest.raises(ValueError, match="folds must be at least 3"):
        vector_error(pred, folds=2)
    assert np.isfinite(vector_error(pred, folds=2, family="temperature"))
