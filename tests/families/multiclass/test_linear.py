"""Vector and matrix scaling against a general optimiser, one another, and data that break fits."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from shared_data import needs_zoo, zoo

from calibrant import (
    MatrixScaling,
    Predictions,
    Temperature,
    VectorScaling,
    from_logits,
    nll,
    samples,
)
from calibrant.families.multiclass.linear import MatrixAndShift
from calibrant.fitting import blocks


def _task(n: int, k: int, seed: int, kind: type = np.float64) -> Predictions:
    random = np.random.default_rng(seed)
    truth = random.normal(0, 1.5, (n, k))
    labels = (truth + random.gumbel(size=truth.shape)).argmax(1)
    logits = 1.7 * truth * random.uniform(0.7, 1.3, k) + random.normal(0, 0.5, k)
    return from_logits(logits.astype(kind), labels, weights=random.integers(0, 3, n))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("k", [2, 5])
def test_vector_scaling_against_a_general_optimiser(k: int, kind: type) -> None:
    pred = _task(800, k, seed=k, kind=kind)
    z = pred.scores.astype(float)

    def loss(x: np.ndarray) -> float:
        chances = log_softmax(z * x[:k] + x[k:], axis=1)[np.arange(800), pred.labels]
        return float(-np.average(chances, weights=pred.weights))

    best = minimize(
        loss, np.append(np.ones(k), np.zeros(k)), method="BFGS", options={"gtol": 1e-9}
    ).fun
    fitted = VectorScaling().fit(pred)
    assert nll(fitted.apply(pred)) == pytest.approx(best, abs=1e-7)
    assert fitted.rule.certificate.slope <= fitted.rule.certificate.tolerance


@pytest.mark.parametrize(("off_diagonal", "intercept"), [(0, 0), (0.3, 0), (2.0, 0.5)])
def test_matrix_scaling_against_a_general_optimiser(off_diagonal: float, intercept: float) -> None:
    pred = _task(800, 3, seed=1)

    def table(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x.reshape(3, 4)[:, :3], x.reshape(3, 4)[:, 3]

    def loss(x: np.ndarray) -> float:
        matrix, shift = table(x)
        chances = log_softmax(pred.scores @ matrix.T + shift, axis=1)[np.arange(800), pred.labels]
        off = (matrix**2).sum() - (np.diag(matrix) ** 2).sum()
        return float(
            -np.average(chances, weights=pred.weights)
            + off_diagonal * off / 6
            + intercept * (shift**2).sum() / 3
        )

    best = minimize(loss, np.eye(3, 4).ravel(), method="BFGS", options={"gtol": 1e-9})
    rule = MatrixScaling(off_diagonal=off_diagonal, intercept=intercept).fit(pred).rule
    found = np.column_stack([rule.matrix, rule.shift]).ravel()
    assert loss(found) == pytest.approx(best.fun, abs=1e-9)
    if off_diagonal:  # else a constant may be added to each column
        np.testing.assert_allclose(rule.matrix, table(best.x)[0], atol=1e-4)


def _each_richer_fits_its_rows_better(pred: Predictions) -> None:
    fits = [family.fit(pred) for family in (MatrixScaling(), VectorScaling(), Temperature())]
    matrix, vector, temperature = (nll(fitted.apply(pred)) for fitted in fits)
    assert matrix <= vector + 1e-9
    assert vector <= temperature + 1e-9
    assert temperature <= nll(pred) + 1e-9
    for fitted in fits:
        assert fitted.rule.certificate.slope <= fitted.rule.certificate.tolerance


@pytest.mark.parametrize("name", ["c10-lenet5", "c10-resnet18"])
def test_each_richer_family_fits_its_rows_better(name: samples.Name) -> None:
    _each_richer_fits_its_rows_better(samples.load(name)[0])


@needs_zoo
def test_each_richer_family_fits_its_rows_better_on_the_zoo() -> None:
    _each_richer_fits_its_rows_better(zoo("c10-wrn28x10", "val"))


def test_separable_rows_are_told_apart_as_a_general_optimiser_does() -> None:
    random = np.random.default_rng(0)
    logits, labels = random.normal(0, 2, (200, 20)), random.integers(0, 20, 200)
    _each_richer_fits_its_rows_better(from_logits(logits, labels))
    pred = from_logits(logits[:25], labels[:25])
    _each_richer_fits_its_rows_better(pred)
    assert nll(MatrixScaling().fit(pred).apply(pred)) < 1e-12


@pytest.mark.parametrize(("k", "rows"), [(30, 400), (50, 1000)])
def test_rows_that_are_just_separable_are_told_apart(k: int, rows: int) -> None:
    random = np.random.default_rng(0)
    z = random.normal(0, 4, (rows, k))
    labels = (z / 2 + random.gumbel(size=z.shape)).argmax(1)
    pred = from_logits(z, labels)
    assert nll(MatrixScaling().fit(pred).apply(pred)) < 1e-11


@pytest.mark.parametrize("rows", [419, 421])
def test_no_penalty_comes_in_where_entries_outnumber_rows(rows: int) -> None:
    random = np.random.default_rng(1)
    k = 20
    z = random.normal(0, 2, (rows, k))
    labels = (z / 4 + random.gumbel(size=z.shape)).argmax(1)
    pred = from_logits(z, labels)

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        table = x.reshape(k, k + 1)
        logs = log_softmax(z @ table[:, :k].T + table[:, k], axis=1)
        residual = np.exp(logs) - np.eye(k)[labels]
        slope = np.column_stack([residual.T @ z, residual.sum(0)])
        return -logs[np.arange(rows), labels].mean(), slope.ravel() / rows

    best = minimize(
        loss, np.eye(k, k + 1).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 3000}
    )
    found = nll(MatrixScaling().fit(pred).apply(pred))
    assert found <= best.fun + 1e-9
    assert found == pytest.approx(best.fun, abs=1e-4)


def _masked(fill: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logits whose last class is masked in every other row, labels, and which rows those are."""
    random = np.random.default_rng(0)
    z = random.normal(0, 2, (300, 4))
    hidden = np.arange(300) % 2 == 0
    z[hidden, 3] = -np.inf
    labels = (z + random.gumbel(size=z.shape)).argmax(1)
    z[hidden, 3] = fill / 1.5
    return 1.5 * z, labels, hidden


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("fill", [-1e9, -3.4e38])
@pytest.mark.parametrize("strength", [0.0, 1.0])
def test_a_masked_class_does_not_hide_what_is_left_to_gain(
    strength: float, fill: float, kind: type
) -> None:
    z, labels, hidden = _masked(fill)
    z = z.astype(kind)
    # To the other classes the mask is a column of 0 and 1 whose weights, so small, cost nothing.
    shown = np.where(hidden[:, None] & (np.arange(4) == 3), 0, z).astype(float)
    out = np.where(hidden, -np.inf, 0)

    def loss(x: np.ndarray) -> float:
        table = np.zeros((4, 5))
        table[:3, [0, 1, 2, 4]] = x[:12].reshape(3, 4)
        table[3] = x[12:17]
        logits = shown @ table[:, :4].T + table[:, 4]
        logits[:, :3] += np.outer(hidden, x[17:20])
        logits[:, 3] += out
        logs = log_softmax(logits, axis=1)[np.arange(300), labels]
        off = (table[:, :4] ** 2).sum() - (np.diag(table) ** 2).sum()
        return float(-logs.mean() + strength * off / 12 + strength * (table[:, 4] ** 2).sum() / 4)

    start = np.zeros(20)
    start[[0, 5, 10, 15]] = 1
    best = minimize(loss, start, method="BFGS", options={"gtol": 1e-9})
    pred = from_logits(z, labels)
    rule = MatrixScaling(off_diagonal=strength, intercept=strength).fit(pred).rule
    found = nll(_applied(rule, pred))
    off = (rule.matrix**2).sum() - (np.diag(rule.matrix) ** 2).sum()
    found += strength * (off / 12 + (rule.shift**2).sum() / 4)
    assert found == pytest.approx(best.fun, abs=1e-6)


def _applied(rule: MatrixAndShift, pred: Predictions) -> Predictions:
    """What a rule gives in float64, whatever the type of its claims."""
    logits = pred.scores.astype(float) @ rule.matrix.astype(float).T + rule.shift
    return from_logits(logits, pred.labels)


def test_float32_of_many_rows_reaches_the_optimum_of_float64(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pred = _task(3000, 6, seed=9, kind=np.float32)
    slow = [family.fit(pred) for family in (VectorScaling(), MatrixScaling())]
    monkeypatch.setattr(blocks, "MANY_CELLS", 1)
    for fitted in slow:
        again = fitted.family.fit(pred)
        assert nll(again.apply(pred)) == pytest.approx(nll(fitted.apply(pred)), abs=1e-8)


@pytest.mark.parametrize(
    "family", [VectorScaling(), MatrixScaling(), MatrixScaling(off_diagonal=1.0, intercept=1.0)]
)
@pytest.mark.parametrize(
    "pred",
    [
        from_logits(np.eye(4)[[0, 1, 2, 0, 1]] * 3, [0, 1, 2, 0, 1]),
        from_logits(np.random.default_rng(0).normal(size=(6, 30)), range(6)),
        from_logits(np.zeros((9, 3)), [0, 0, 0, 0, 1, 1, 1, 2, 2]),
        from_logits([[5.0, 1.0, 0.0]], [1]),
    ],
    ids=["separable, a class absent", "fewer rows than classes", "constant scores", "one row"],
)
def test_data_that_break_fits(family: VectorScaling | MatrixScaling, pred: Predictions) -> None:
    mended = family.fit(pred).apply(pred)
    assert np.isfinite(mended.scores).all()
    assert nll(mended) <= nll(pred) + 1e-9


def test_constant_scores_give_the_shares_of_classes() -> None:
    pred = from_logits(np.zeros((9, 3)), [0, 0, 0, 0, 1, 1, 1, 2, 2])
    for family in (VectorScaling(), MatrixScaling()):
        np.testing.assert_allclose(
            family.fit(pred).apply(pred).probs[0], [4 / 9, 3 / 9, 2 / 9], atol=1e-5
        )


@pytest.mark.parametrize(
    "bad", [{"off_diagonal": -1.0}, {"intercept": np.inf}, {"off_diagonal": "best"}]
)
def test_strengths_are_checked(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        MatrixScaling(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("logits", "labels", "w"),
    [
        ([[-1e9, 1, -1e9, 1, 1e4], [0, 1, 1e-30, 0, 1]], [3, 3], [1.4e-9, 3.5e9]),
        ([[0, -1e4, 1e4, 1e-30, 1], [1e-30, -1e4, 1, 1, -1e9]], [1, 1], [8.6e12, 267.6]),
    ],
)
def test_no_step_overflows(logits: list[list[float]], labels: list[int], w: list[float]) -> None:
    pred = from_logits(np.array(logits, np.float32), labels, weights=w)
    try:
        q = MatrixScaling(off_diagonal=1.0, intercept=1.0).fit(pred).apply(pred).probs
    except ValueError as error:
        assert "did not converge" in str(error)  # noqa: PT017 - one of two right answers
    else:
        np.testing.assert_allclose(q.sum(1), 1, atol=1e-6)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_certificates_are_tight(kind: type) -> None:
    random = np.random.default_rng(8)
    logits = random.normal(0, 2, (300, 4))
    labels = (logits / 2 + random.gumbel(size=logits.shape)).argmax(1)
    fitted = VectorScaling().fit(from_logits(logits.astype(kind), labels))
    assert fitted.rule.certificate.slope <= fitted.rule.certificate.tolerance <= 1e-7
