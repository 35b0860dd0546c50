"""Losses against their formulas, gradients against finite differences, and what is done with bad batches."""

import doctest
import subprocess
import sys
from collections.abc import Callable, Iterator
from math import exp, inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import betaln, expit, log_softmax, logsumexp, softmax

pytest.importorskip("torch", reason="torch is an extra")

import torch
from shared_torch import dense
from torch import Tensor

from calibrant import Predictions, binary, brier, canonical, classwise, from_logits, top_label
from calibrant.measures.kde import kde_decompose, kde_error
from calibrant.measures.mmce import mmce as calibrant_mmce
from calibrant.measures.mmce import weighted_mmce as calibrant_weighted_mmce
from calibrant.torch.kernels import Norm
from calibrant.torch.losses import (
    MMCE,
    ConfidenceGap,
    DualFocal,
    EntropyPenalty,
    Focal,
    Focal53,
    KDECalibration,
    KDEMeanSquared,
    LabelSmoothing,
    Loss,
    WeightedMMCE,
)
from calibrant.torch.losses.kde import Asks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Value = Callable[[Floats, Ints], float]

H = 0.02


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Batches are so small that a second thread would only be waited for."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def kernel_means(p: Floats, y: Floats, h: float = H) -> Floats:
    """Leave-one-out means by the Beta kernel, log(0) read as -87; a loop, so that it is plainly right."""
    with np.errstate(divide="ignore"):
        log_p, log_1p = np.maximum(np.log(p), -87), np.maximum(np.log1p(-p), -87)
    found = np.empty(len(p))
    for row in range(len(p)):
        a, b = p / h + 1, (1 - p) / h + 1
        exponents = (a - 1) * log_p[row] + (b - 1) * log_1p[row] - betaln(a, b)
        exponents[row] = -inf
        found[row] = np.exp(exponents - logsumexp(exponents)) @ y
    return found


def pair_means(p: Floats, y: Floats, h: float = H) -> float:
    """Eq. 14 of 001, by all pairs."""
    a, b = p / h + 1, (1 - p) / h + 1
    k = np.exp((a - 1) * np.log(p)[:, None] + (b - 1) * np.log1p(-p)[:, None] - betaln(a, b))
    np.fill_diagonal(k, 0)
    above = (k @ y) ** 2 - k**2 @ y
    return float((above / (k.sum(1) ** 2 - (k**2).sum(1))).mean())


def confidence(z: Floats, y: Ints) -> tuple[Floats, Floats]:
    return softmax(z, axis=1).max(1), (z.argmax(1) == y).astype(float)


def label_chance(z: Floats, y: Ints) -> Floats:
    return softmax(z, axis=1)[np.arange(len(y)), y]


def canonical_term(z: Floats, y: Ints, norm: Norm) -> float:
    return float((np.abs(dense(z, y, H) - softmax(z, axis=1)) ** norm).sum(1).mean())


def classwise_term(z: Floats, y: Ints, norm: Norm) -> float:
    p = softmax(z, axis=1)
    gaps = [kernel_means(p[:, k], (y == k).astype(float)) - p[:, k] for k in range(z.shape[1])]
    return float((np.abs(gaps) ** norm).mean())


def top_label_term(z: Floats, y: Ints, norm: Norm) -> float:
    r, right = confidence(z, y)
    return float((np.abs(kernel_means(r, right) - r) ** norm).mean())


def mmce(z: Floats, y: Ints) -> float:
    r, right = confidence(z, y)
    total = sum(
        (right[i] - r[i]) * (right[j] - r[j]) * exp(-abs(r[i] - r[j]) / 0.4)
        for i in range(len(y))
        for j in range(len(y))
    )
    return float(np.sqrt(total) / len(y))


def weighted_mmce(z: Floats, y: Ints) -> float:
    r, right = confidence(z, y)
    wrong, well = r[right == 0], r[right == 1]

    def together(a: Floats, b: Floats, value: Callable[[float, float], float]) -> float:
        terms = [value(s, t) * exp(-abs(s - t) / 0.4) for s in a for t in b]
        return sum(terms) / max(1, len(terms))

    both_wrong = together(wrong, wrong, lambda s, t: s * t)
    both_right = together(well, well, lambda s, t: (1 - s) * (1 - t))
    mixed = together(well, wrong, lambda s, t: (1 - s) * t)
    return float(np.sqrt(max(0.0, both_wrong + both_right - 2 * mixed)))


def dual_focal(z: Floats, y: Ints) -> float:
    total = 0.0
    for p, label in zip(softmax(z, axis=1), y, strict=True):
        below = p[p < p[label]]
        total -= (1 - p[label] + (below.max() if len(below) else 0)) ** 5 * np.log(p[label])
    return total / len(y)


def focal53(z: Floats, y: Ints) -> float:
    p = label_chance(z, y)
    return float(-((1 - p) ** np.where(p < 0.2, 5, 3) * np.log(p)).mean())


def squared_and_kernel(z: Floats, y: Ints) -> float:
    p = expit(z[:, 1] - z[:, 0])
    return float(((p - y) ** 2).mean() + 0.3 * pair_means(p, y.astype(float)))


def smoothed(z: Floats, y: Ints) -> float:
    target = 0.9 * np.eye(z.shape[1])[y] + 0.1 / z.shape[1]
    return float(-(target * log_softmax(z, axis=1)).sum(1).mean())


TERMS: dict[Asks, Callable[[Floats, Ints, Norm], float]] = {
    "canonical": canonical_term,
    "classwise": classwise_term,
    "top_label": top_label_term,
}


def at_norm(formula: Callable[[Floats, Ints, Norm], float], norm: Norm) -> Value:
    return lambda z, y: formula(z, y, norm)


NORMS: tuple[Norm, ...] = (1, 2)
# Each loss, its formula, and how many classes to try it on.
LOSSES: dict[str, tuple[Loss, Value, int]] = {
    f"{view}, norm {norm}": (
        KDECalibration(view, norm=norm, bandwidth=H),
        at_norm(formula, norm),
        4,
    )
    for view, formula in TERMS.items()
    for norm in NORMS
}
LOSSES |= {
    "KDE mean squared": (KDEMeanSquared(0.3, bandwidth=H), squared_and_kernel, 2),
    "MMCE": (MMCE(), mmce, 4),
    "weighted MMCE": (WeightedMMCE(), weighted_mmce, 4),
    "focal 0": (Focal(0), lambda z, y: float(-np.log(label_chance(z, y)).mean()), 4),
    "focal .5": (
        Focal(0.5),
        lambda z, y: float(-np.mean((1 - (p := label_chance(z, y))) ** 0.5 * np.log(p))),
        4,
    ),
    "focal 3": (
        Focal(),
        lambda z, y: float(-np.mean((1 - (p := label_chance(z, y))) ** 3 * np.log(p))),
        4,
    ),
    "focal 53": (Focal53(), focal53, 4),
    "dual focal": (DualFocal(), dual_focal, 4),
    "confidence gap": (
        ConfidenceGap(),
        lambda z, y: float(abs(np.subtract(*confidence(z, y)).mean())),
        4,
    ),
    "label smoothing": (LabelSmoothing(0.1), smoothed, 4),
    "entropy": (
        EntropyPenalty(),
        lambda z, _: float((softmax(z, axis=1) * log_softmax(z, axis=1)).sum(1).mean()),
        4,
    ),
}
each_loss = pytest.mark.parametrize("name", LOSSES)


def drawn(n: int, k: int, seed: int = 0) -> tuple[Floats, Ints]:
    random = np.random.default_rng([seed, n, k])
    return random.normal(0, 1.5, (n, k)), random.integers(0, k, n)


def slope(
    loss: Callable[[Tensor, Tensor], Tensor], logits: Tensor, labels: Tensor
) -> tuple[Tensor, Tensor]:
    logits = logits.detach().requires_grad_()
    value = loss(logits, labels)
    return value.detach(), torch.autograd.grad(value, logits)[0]


@each_loss
def test_the_value_is_that_of_the_formula(name: str) -> None:
    loss, formula, k = LOSSES[name]
    for seed in range(3):
        z, y = drawn(30, k, seed)
        # A row twice, and rows of one claim with other labels.
        z[5] = z[6] = z[7]
        y[5] = y[6]
        assert float(loss(torch.tensor(z), torch.tensor(y))) == pytest.approx(
            formula(z, y), rel=1e-9
        )


@each_loss
def test_classes_that_the_batch_lacks_and_labels_all_alike(name: str) -> None:
    loss, formula, k = LOSSES[name]
    z, _ = drawn(20, k)
    y = np.ones(20, np.int64)
    assert float(loss(torch.tensor(z), torch.tensor(y))) == pytest.approx(formula(z, y), rel=1e-9)


@each_loss
def test_gradients_are_those_of_finite_differences(name: str) -> None:
    loss, _, k = LOSSES[name]
    z, y = drawn(12, k)
    given = torch.tensor(z, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: loss(x, torch.tensor(y)), given)


@each_loss
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_saturated_logits_give_finite_values_and_slopes(name: str, dtype: torch.dtype) -> None:
    loss, _, k = LOSSES[name]
    labels = torch.arange(12) % k
    signs = 2.0 * torch.eye(k, dtype=dtype)[labels] - 1
    rows = torch.cat([1e4 * signs[:4], -1e4 * signs[4:8], 0 * signs[8:9], 30 * signs[9:]])
    for given in (rows, rows[:4], rows[4:8], rows[:1], rows[4:5], rows[:2]):
        value, gradient = slope(loss, given, labels[: len(given)])
        assert value.isfinite()
        assert gradient.isfinite().all()
        assert gradient.dtype == dtype


@each_loss
def test_half_precision_is_worked_on_in_float32_at_least(name: str) -> None:
    loss, formula, k = LOSSES[name]
    z, y = drawn(40, k)
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        given = torch.tensor(z, dtype=dtype)
        value = loss(given, torch.tensor(y))
        assert value.dtype == torch.float32
        assert float(value) == pytest.approx(formula(given.double().numpy(), y), rel=2e-5)


@each_loss
def test_autocast_changes_nothing(name: str) -> None:
    loss, _, k = LOSSES[name]
    z, y = drawn(16, k)
    given = torch.tensor(z, dtype=torch.float32), torch.tensor(y)
    plain = slope(loss, *given)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = slope(loss, *given)
    for one, other in zip(plain, mixed, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


# Dynamo makes an instance of the kernels' function, which torch itself warns of.
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@each_loss
def test_it_compiles_as_one_graph(name: str) -> None:
    loss, _, k = LOSSES[name]
    z, y = drawn(16, k)
    given = torch.tensor(z), torch.tensor(y)
    torch.compiler.reset()
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    for one, other in zip(slope(loss, *given), slope(compiled, *given), strict=True):
        torch.testing.assert_close(one, other)


@each_loss
def test_one_row_is_defined(name: str) -> None:
    loss, formula, k = LOSSES[name]
    z, y = drawn(1, k)
    value = float(loss(torch.tensor(z), torch.tensor(y)))
    if isinstance(loss, KDECalibration):
        assert value == 0
    elif isinstance(loss, KDEMeanSquared):
        assert value == pytest.approx(((expit(z[:, 1] - z[:, 0]) - y) ** 2).mean())
    else:
        assert value == pytest.approx(formula(z, y))


@each_loss
def test_log_odds_of_one_column_are_two_classes(name: str) -> None:
    loss, formula, _ = LOSSES[name]
    z, y = drawn(20, 2)
    odds = z[:, 1] - z[:, 0]
    pair = np.stack([np.zeros(20), odds], 1)
    assert float(loss(torch.tensor(odds), torch.tensor(y))) == pytest.approx(
        formula(pair, y), rel=1e-9
    )


@pytest.mark.parametrize(
    ("loss", "measure"), [(MMCE(), calibrant_mmce), (WeightedMMCE(), calibrant_weighted_mmce)]
)
def test_mmce_is_what_calibrant_measures(
    loss: Loss, measure: Callable[[Predictions], float]
) -> None:
    for k, seed in [(2, 0), (3, 1), (10, 2), (100, 3)]:
        z, y = drawn(300, k, seed)
        z[:20] *= 30
        assert float(loss(torch.tensor(z), torch.tensor(y))) == pytest.approx(
            measure(from_logits(z, y)), abs=1e-6
        )


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    ("view", "asked"),
    [("canonical", canonical), ("classwise", classwise), ("top_label", top_label)],
)
def test_kernel_terms_are_what_calibrant_measures(
    view: Asks, asked: Callable[[Predictions], Any], norm: Norm
) -> None:
    for k, h, scale in [(2, 0.1, 1.0), (3, 0.01, 5.0), (2, 0.01, 40.0), (10, 0.001, 1.0)]:
        z, y = drawn(300, k)
        z *= scale
        x = asked(from_logits(z, y))
        parts = x if isinstance(x, tuple) else (x,)
        expected = np.mean([kde_error(part, bandwidth=h, norm=norm) ** norm for part in parts])
        found = KDECalibration(view, norm=norm, bandwidth=h)(torch.tensor(z), torch.tensor(y))
        assert float(found) == pytest.approx(expected, abs=1e-6)


def test_the_squared_chance_is_that_of_the_kernel_decomposition() -> None:
    z, y = drawn(300, 2)
    x = binary(expit(z[:, 1] - z[:, 0]), y)
    chance = kde_decompose(x, bandwidth=H).discrimination + y.mean() ** 2
    found = KDEMeanSquared(0.3, bandwidth=H)(torch.tensor(z), torch.tensor(y))
    assert float(found) == pytest.approx(brier(x) + 0.3 * chance, abs=1e-6)


def test_complements_of_chances_that_round_to_one_are_exact() -> None:
    odds = np.array([45.0, 50.0, 46.0, 38.0, 1.0])
    y = np.array([1, 1, 0, 1, 0])
    log_p, log_1p = -np.logaddexp(0, -odds), -np.logaddexp(0, odds)
    a = np.exp(log_p) + 1
    b = np.exp(log_1p) + 1
    exponents = (a - 1) * log_p[:, None] + (b - 1) * log_1p[:, None] - betaln(a, b)
    np.fill_diagonal(exponents, -inf)
    means = np.exp(exponents - logsumexp(exponents, axis=1, keepdims=True)) @ y
    expected = np.abs(means - expit(odds)).mean()
    for term in (
        KDECalibration("classwise", bandwidth=1.0),
        KDECalibration("top_label", bandwidth=1.0),
    ):
        assert float(term(torch.tensor(odds), torch.tensor(y))) == pytest.approx(expected, rel=1e-9)


def test_pairs_of_rows_far_from_all_others_still_have_a_mean() -> None:
    odds, y = torch.tensor([-30.0, 0.0, 30.0], dtype=torch.float64), torch.tensor([1, 1, 0])
    # Each row has one pair of others, of equal weight whatever their distance: only that of the last is (1, 1).
    expected = float((odds.sigmoid() - y).square().mean()) + 0.5 / 3
    assert float(KDEMeanSquared(0.5, bandwidth=1e-4)(odds, y)) == pytest.approx(expected)


@pytest.mark.parametrize("view", TERMS)
def test_claims_too_sure_have_a_larger_term_that_pulls_them_back(view: Asks) -> None:
    random = torch.Generator().manual_seed(0)
    z = torch.randn(240, 3, generator=random)
    y = torch.multinomial(z.softmax(1), 1, generator=random)[:, 0]
    term = KDECalibration(view, norm=2, bandwidth=0.02)
    sharper = torch.tensor(4.0, requires_grad=True)
    value = term(sharper * z, y)
    assert term(z, y) < value / 2
    assert torch.autograd.grad(value, sharper)[0] > 0


@each_loss
def test_bad_batches_are_refused_by_name(name: str) -> None:
    loss, _, k = LOSSES[name]
    z, y = (torch.tensor(part) for part in drawn(8, k))
    for bad in (torch.nan, inf, -inf):
        with pytest.raises(
            ValueError,
            match=rf"logits must be finite: 2 of 8 rows are not \(rows 1, 6; got {bad}\)",
        ):
            loss(z.index_fill(0, torch.tensor([1, 6]), bad), y)
    for label in (-1, k):
        with pytest.raises(
            ValueError,
            match=rf"labels must be from 0 to {k - 1}: 1 of 8 rows are not \(rows 3; got {label}\)",
        ):
            loss(z, y.index_fill(0, torch.tensor([3]), label))


def test_shapes_and_types_that_are_no_batch_are_refused() -> None:
    loss = Focal()
    for logits, labels, words in [
        (torch.zeros(0, 3), torch.zeros(0, dtype=torch.int64), "at least one row"),
        (torch.zeros(3, 1), torch.zeros(3, dtype=torch.int64), "k of at least 2"),
        (torch.zeros(2, 3, 4), torch.zeros(2, dtype=torch.int64), r"must be \(n, k\)"),
        (torch.zeros(3, 2), torch.zeros(3), r"use labels.long\(\)"),
        (torch.zeros(3, 2), torch.zeros(4, dtype=torch.int64), "one for each row"),
        (
            torch.zeros(3, 2, dtype=torch.int64),
            torch.zeros(3, dtype=torch.int64),
            r"use logits.float\(\)",
        ),
    ]:
        with pytest.raises(ValueError, match=words):
            loss(logits, labels)
    with pytest.raises(ValueError, match="logits must be of type Tensor"):
        loss([[0.0, 1.0]], torch.zeros(1, dtype=torch.int64))
    assert float(loss(torch.zeros(2, 2), torch.tensor([True, False]))) > 0
    with pytest.raises(ValueError, match="two classes, got 3"):
        KDEMeanSquared()(torch.zeros(4, 3), torch.zeros(4, dtype=torch.int64))


def test_a_device_is_waited_for_on_the_first_call_and_then_seldom(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from calibrant.torch.losses import loss as home

    looks: list[int] = []
    monkeypatch.setattr(home, "refuse_bad_rows", lambda logits, _: looks.append(len(logits)))
    loss = EntropyPenalty()
    # The meta device works out shapes alone: enough to count looks as on any device but the CPU.
    given = torch.zeros(3, 2, device="meta"), torch.zeros(3, dtype=torch.int64, device="meta")
    for _ in range(130):
        loss(*given)
    assert len(looks) == 3


def test_settings_out_of_range_are_refused() -> None:
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: Focal(-1.0), "gamma must be 0 or a positive number, got -1"),
        (lambda: DualFocal(float("nan")), "gamma must be 0 or a positive number, got nan"),
        (lambda: LabelSmoothing(1.0), "smoothing must be at least 0 and below 1"),
        (lambda: KDEMeanSquared(1.0), "gamma must be at least 0 and below 1"),
        (
            lambda: KDECalibration(bandwidth=0),
            "bandwidth must be above 0, at least 1e-08, such as 0.01; got 0",
        ),
        (lambda: KDECalibration("top"), "view must be 'canonical' or 'classwise' or 'top_label'"),  # type: ignore[arg-type]
        (lambda: KDECalibration(norm=3), "norm must be 1 or 2"),  # type: ignore[arg-type]
    ]
    for make, words in wrong:
        with pytest.raises(ValueError, match=words):
            make()


def test_losses_print_their_settings() -> None:
    assert (
        repr(KDECalibration("top_label")) == "KDECalibration('top_label', norm=1, bandwidth=0.01)"
    )
    assert repr(KDEMeanSquared(0.5)) == "KDEMeanSquared(0.5, bandwidth=0.01)"
    assert repr(Focal(2)) == "Focal(gamma=2)"
    assert repr(DualFocal()) == "DualFocal(gamma=5)"
    assert repr(LabelSmoothing()) == "LabelSmoothing(smoothing=0.05)"


def test_an_absent_torch_says_how_to_get_it() -> None:
    program = "import sys; sys.modules['torch'] = None; import calibrant.torch.losses"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert 'pip install "calibrant[torch]"' in found.stderr.splitlines()[-1]


def test_the_how_to_page_does_what_it_says() -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "training.md"
    assert doctest.testfile(str(page), module_relative=False).failed == 0
