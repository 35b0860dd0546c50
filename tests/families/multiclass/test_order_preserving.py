"""Order-preserving maps against a dense general optimiser; order, ties, the temperature's loss; laws and extremes."""

from itertools import pairwise
from typing import get_args

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from shared_data import needs_real, real

from calibrant import Predictions, Temperature, from_logits, from_probs, nll, samples
from calibrant.families.multiclass.order_preserving import Kind, OrderPreserving

KINDS: tuple[Kind, ...] = get_args(Kind)
each_kind = pytest.mark.parametrize("kind", KINDS)
BENDS = [0, 0.5, 1, 2, 4, 7, 12, np.inf]
SURENESS = [-1.5, -0.5, 0.5, 1.5, 3, 5, 8]


def _task(n: int, k: int, seed: int = 0, weights: object = None) -> Predictions:
    """Claims whose error no temperature mends: too sure in the tail, and by class."""
    random = np.random.default_rng(seed)
    truth = random.normal(0, 2, (n, k)).round(2)
    labels = (truth + random.gumbel(size=truth.shape)).argmax(1)
    logits = 1.5 * truth + 0.3 * truth**3 / 4 + random.normal(0, 0.7, k).round(1)
    return from_logits(logits, labels, weights=weights)  # type: ignore[arg-type]


def _features(pred: Predictions, inverse: float, kind: Kind) -> np.ndarray:
    """Written out cell by cell, (n, k, coefficients)."""
    depths = -log_softmax(inverse * pred.scores.astype(float), axis=1)
    cells = []
    for row in depths:
        p = np.exp(-row)
        sureness = -np.log(max(p @ row, np.exp(-8)))
        say = (
            []
            if kind == "diagonal"
            else [np.interp(sureness, SURENESS, peak) for peak in np.eye(7)]
        )
        say += list(p) if kind == "preserving" else []
        for depth in row:
            steps = [min(max(depth - low, 0), high - low) for low, high in pairwise(BENDS)]
            cells.append(steps + [share * depth for share in say])
    return np.reshape(cells, (pred.n, pred.k, -1))


def _prior(kind: Kind, k: int) -> tuple[np.ndarray, float]:
    size = {"diagonal": 7, "invariant": 14, "preserving": 14 + k}[kind]
    precision = np.zeros((size, size))
    for first, alone, neighbours in [(0, 1, 4), (7, 4, 16)][: 1 + (kind != "diagonal")]:
        for i in range(first, first + 7):
            precision[i, i] += alone
            if i > first:
                precision[i - 1 : i + 1, i - 1 : i + 1] += neighbours * np.array([[1, -1], [-1, 1]])
    precision[np.arange(14, size), np.arange(14, size)] = 4
    return precision, 1 / {"diagonal": 1, "invariant": 2, "preserving": 3}[kind]


@pytest.mark.parametrize("k", [2, 4])
@each_kind
def test_coefficients_against_a_general_optimiser(kind: Kind, k: int) -> None:
    w = np.random.default_rng(1).integers(0, 3, 300).astype(float)
    pred = _task(300, k, weights=w)
    inverse = Temperature().fit(pred).rule.inverse
    features, (precision, centre) = _features(pred, inverse, kind), _prior(kind, k)
    right = features[np.arange(300), pred.labels]

    def derivatives(x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        logs = log_softmax(-features @ x, axis=1)
        p = w[:, None] * np.exp(logs)
        mean = np.einsum("nk,nkm->nm", np.exp(logs), features)
        curvature = np.einsum("nk,nkl,nkm->lm", p, features, features) - np.einsum(
            "n,nl,nm->lm", w, mean, mean
        )
        return -float(w @ logs[np.arange(300), pred.labels]), w @ (right - mean), curvature

    found, evidence = [], []
    for strength in (256, 32, 4, 0.5):

        def loss(x: np.ndarray, strength: float = strength) -> tuple[float, np.ndarray]:
            pull = strength * precision @ (x - centre)
            value, gradient, _ = derivatives(x)
            return value + float((x - centre) @ pull) / 2, gradient + pull

        start = np.full(len(precision), centre)
        options = {"ftol": 1e-15, "gtol": 1e-8, "maxiter": 5000, "maxcor": 40}
        best = minimize(
            loss,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[(1e-3, None)] * len(start),
            options=options,
        )
        hessian = derivatives(best.x)[2] + strength * precision
        found.append(best.x)
        evidence.append(
            (np.linalg.slogdet(strength * precision)[1] - np.linalg.slogdet(hessian)[1]) / 2
            - best.fun
        )
    weight = np.exp(np.array(evidence) - max(evidence))
    expected = weight @ np.array(found) / weight.sum()
    rule = OrderPreserving(kind=kind).fit(pred).rule
    assert rule.inverse == inverse
    coefficients = np.concatenate([rule.slopes, rule.by_sureness, rule.by_class_factor])
    np.testing.assert_allclose(coefficients, expected, atol=2e-4)
    assert rule.certificate.slope <= rule.certificate.tolerance
    q = OrderPreserving(kind=kind).fit(pred)(pred)
    np.testing.assert_allclose(np.log(q), log_softmax(-features @ expected, axis=1), atol=2e-3)


@each_kind
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", [(400, 2), (200, 7), (20, 50), (1, 3)])
def test_the_loss_on_fitting_rows_is_at_most_the_temperatures(
    kind: Kind, shape: tuple[int, int], seed: int
) -> None:
    pred = _task(*shape, seed=seed)
    fitted = OrderPreserving(kind=kind).fit(pred)
    assert nll(fitted.apply(pred)) <= nll(Temperature().fit(pred).apply(pred)) + 1e-9
    assert fitted.rule.certificate.slope <= fitted.rule.certificate.tolerance


@each_kind
@pytest.mark.parametrize("name", samples.NAMES)
def test_other_rows_are_mended_better_than_by_a_temperature(kind: Kind, name: samples.Name) -> None:
    fit_on, test = samples.load(name)
    fitted, tempered = (
        family.fit(fit_on) for family in (OrderPreserving(kind=kind), Temperature())
    )
    assert nll(fitted.apply(fit_on)) < nll(tempered.apply(fit_on))
    assert nll(fitted.apply(test)) < nll(tempered.apply(test)) - {"c10-lenet5": 1e-4}.get(
        name, 0.005
    )


@needs_real
@each_kind
def test_on_the_logits_of_others(kind: Kind) -> None:
    fit_on, test = (real("nncal_resnet110_c10", split) for split in ("val", "test"))
    assert isinstance(fit_on, Predictions)
    assert isinstance(test, Predictions)
    fitted, tempered = (
        family.fit(fit_on).apply(test) for family in (OrderPreserving(kind=kind), Temperature())
    )
    assert nll(fitted) < nll(tempered) - 0.0015


@each_kind
@pytest.mark.parametrize("width", [np.float32, np.float64])
def test_no_rank_changes_and_ties_stay(kind: Kind, width: type) -> None:
    random = np.random.default_rng(3)
    fitted = OrderPreserving(kind=kind).fit(_task(500, 6))
    # A coarse grid makes ties; the scales put classes far apart and nearly together.
    z: np.ndarray = (
        random.normal(0, 3, (2000, 6)).round(1) * 10.0 ** random.integers(-9, 4, (2000, 1))
    ).astype(width)
    mended = fitted.apply(from_logits(z, np.zeros(2000, int))).values
    order = np.argsort(-z, axis=1, kind="stable")
    before, after = (np.diff(np.take_along_axis(x, order, 1), axis=1) for x in (z, mended))
    assert (after <= 0).all()
    assert (after[before == 0] == 0).all()
    np.testing.assert_array_equal(
        (mended == mended.max(1, keepdims=True)), z == z.max(1, keepdims=True)
    )
    far = np.abs(before) > 1e-5 * np.abs(z).max(1, keepdims=True) + 1e-5
    assert far.mean() > 0.3
    assert (after[far] < 0).all()


@each_kind
def test_order_is_kept_where_the_best_temperature_is_infinite(kind: Kind) -> None:
    pred = from_logits([[0.0, 3.0, 1.0], [3.0, 0.0, 1.0]], [0, 1])
    assert Temperature().fit(pred).rule.inverse == 0
    mended = OrderPreserving(kind=kind).fit(pred).apply(pred)
    assert mended.values.argmax(1).tolist() == [1, 0]
    assert nll(mended) <= np.log(3) + 1e-9


@each_kind
def test_names_of_classes_matter_to_preserving_alone(kind: Kind) -> None:
    pred = _task(400, 5)
    random = np.random.default_rng(0)
    shuffled = np.argsort(random.random(pred.scores.shape), axis=1)
    q = OrderPreserving(kind=kind).fit(pred)(pred)
    labels = (shuffled == pred.labels[:, None]).argmax(1)
    other = from_logits(np.take_along_axis(pred.scores, shuffled, 1), labels)
    same = np.allclose(
        OrderPreserving(kind=kind).fit(other)(other), np.take_along_axis(q, shuffled, 1), atol=1e-6
    )
    assert same == (kind != "preserving")


@each_kind
def test_only_gaps_count(kind: Kind) -> None:
    pred = _task(300, 4)
    q = OrderPreserving(kind=kind).fit(pred)(pred)
    shifted = from_logits(3 * pred.scores + np.arange(300)[:, None], pred.labels)
    np.testing.assert_allclose(OrderPreserving(kind=kind).fit(shifted)(shifted), q, atol=1e-6)
    claimed = from_probs(pred.probs, pred.labels)
    np.testing.assert_allclose(OrderPreserving(kind=kind).fit(claimed)(claimed), q, atol=1e-5)


@each_kind
@pytest.mark.parametrize("k", [2, 5, 60])
def test_laws_of_weights_order_and_float_type(kind: Kind, k: int) -> None:
    pred = _task(120, k, seed=4)
    random = np.random.default_rng(0)
    w, order = random.integers(0, 3, pred.n), random.permutation(pred.n)
    fit = OrderPreserving(kind=kind).fit
    q = fit(pred)(pred)
    np.testing.assert_allclose(fit(pred[order])(pred), q, atol=1e-9)
    weighted = fit(from_logits(pred.scores, pred.labels, weights=w))
    np.testing.assert_allclose(
        weighted(pred), fit(pred[np.repeat(np.arange(pred.n), w)])(pred), atol=1e-6
    )
    narrow, wide = (
        from_logits(pred.scores.astype(np.float32).astype(x), pred.labels)
        for x in (np.float32, float)
    )
    np.testing.assert_allclose(fit(narrow)(narrow), fit(wide)(wide), atol=1e-5)
    np.testing.assert_allclose(q.sum(1), 1, atol=1e-12)


@each_kind
def test_many_cells_are_fitted_in_float32_to_the_same_map(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    pred = _task(500, 20)
    pred = from_logits(pred.scores.astype(np.float32), pred.labels)
    few = OrderPreserving(kind=kind).fit(pred)
    monkeypatch.setattr("calibrant.fitting.blocks.MANY_CELLS", 0)
    many = OrderPreserving(kind=kind).fit(pred)
    np.testing.assert_allclose(many(pred), few(pred), atol=1e-5)


@each_kind
def test_calibrated_claims_stay_as_they_are(kind: Kind) -> None:
    random = np.random.default_rng(0)
    z = random.normal(0, 2, (20_000, 5))
    pred = from_logits(z, (z + random.gumbel(size=z.shape)).argmax(1))
    np.testing.assert_allclose(OrderPreserving(kind=kind).fit(pred)(pred), pred.probs, atol=0.02)


@each_kind
@pytest.mark.parametrize(
    "pred",
    [
        from_logits(
            [[1e4, -1e4, 0.0], [0.0, 1e4, -1e4], [-1e4, 0.0, 1e4], [0.0, 1.0, 2.0]], [0, 0, 2, 1]
        ),
        from_logits([[1e4, -1e4, 0.0]] * 3, [1, 1, 1]),
        from_probs([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0, 0, 2]),
        from_probs([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [1, 2]),
        from_logits([[1.0, 2.0, 3.0]], [0]),
        from_logits([[0.3, 0.1]], [0]),
        from_logits([[0.5] * 4] * 6, [0, 1, 2, 3, 3, 3]),
        from_logits([[2.0, 0.0], [0.0, 1.0], [3.0, 0.0]], [0, 1, 0]),
        from_logits(np.eye(4, dtype=np.float16) * 1e-3, [0, 1, 2, 3]),
        from_logits(np.random.default_rng(0).normal(0, 2, (60, 1000)), np.arange(60)),
    ],
    ids=[
        "far",
        "far and wrong",
        "0 and 1",
        "wrong",
        "one row",
        "right",
        "equal",
        "separable",
        "half",
        "1000 classes",
    ],
)
def test_extremes(pred: Predictions, kind: Kind) -> None:
    fitted = OrderPreserving(kind=kind).fit(pred)
    q = fitted(pred)
    assert (q >= 0).all()
    np.testing.assert_allclose(q.sum(1), 1, atol=1e-6)
    np.testing.assert_array_equal(fitted.apply(pred).values.argmax(1), pred.values.argmax(1))
    assert nll(fitted.apply(pred)) <= nll(Temperature().fit(pred).apply(pred)) + 1e-9


def test_another_kind_is_refused() -> None:
    with pytest.raises(
        ValueError, match="kind must be 'invariant' or 'preserving' or 'diagonal', got 'order'"
    ):
        OrderPreserving(kind="order")  # type: ignore[arg-type]
