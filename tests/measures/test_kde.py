"""Kernel errors against dense references, identities they obey, and input that is hard."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit
from shared_kernels import left_out, log_density, pairs_left_out, two
from shared_terminal import Terminal

from calibrant import (
    Predictions,
    binary,
    brier,
    canonical,
    classwise,
    from_logits,
    from_probs,
    one_class,
    simulate,
    top_label,
)
from calibrant.fitting.bandwidths import BANDWIDTHS
from calibrant.measures.averages import Norm
from calibrant.measures.kde import kde_decompose, kde_error, kde_sharpness
from calibrant.measures.triweight import triweight_error

N = 24
claims = arrays(
    float,
    N,
    elements=st.sampled_from([0.0, 1e-30, 0.1, 0.2, 1 / 3, 0.5, 0.6, 0.75, 0.9, 1 - 1e-9, 1.0]),
)


def _predictions(n: int, k: int, seed: int = 0) -> Predictions:
    random = np.random.default_rng(seed)
    z = random.normal(0, 2, (n, k))
    return from_logits(z, random.integers(0, k, n))


def _dense(p: np.ndarray, y: np.ndarray, h: float, norm: Norm) -> float:
    gap = np.abs(left_out(p, y, h) - p)
    return float(gap.max()) if norm == "max" else float((gap**norm).sum(1).mean() ** (1 / norm))


@pytest.mark.parametrize("norm", [1, 2, "max"])
@pytest.mark.parametrize("h", [1e-5, 1e-3, 0.1, 1])
@pytest.mark.parametrize("n", [50, 700])
def test_one_chance_against_the_dense_formula(n: int, h: float, norm: Norm) -> None:
    random = np.random.default_rng(n)
    p = np.concatenate([random.beta(0.2, 0.2, n - 20), [0, 1] * 5, [0.25] * 10])
    y = random.random(n) < p**2
    view = binary(p, y)
    z = view.log_odds  # exact 0 and 1 as they are read
    p = expit(np.column_stack([-z, z]))
    gap = np.abs(left_out(p, y.astype(int), h) - p)[:, 1]
    expected = gap.max() if norm == "max" else (gap**norm).mean() ** (1 / norm)
    assert kde_error(view, bandwidth=h, norm=norm) == pytest.approx(expected, abs=5e-6)


@pytest.mark.parametrize("norm", [1, 2, "max"])
@pytest.mark.parametrize("k", [2, 3, 30])
def test_whole_vectors_against_the_dense_formula(k: int, norm: Norm) -> None:
    pred = _predictions(200, k)
    found = kde_error(canonical(pred), bandwidth=0.01, norm=norm)
    assert found == pytest.approx(_dense(pred.probs, pred.labels, 0.01, norm), rel=1e-9)


def test_without_a_bandwidth_the_likeliest_is_taken() -> None:
    pred = _predictions(150, 3)
    likelihood = [log_density(pred.probs, h).sum() for h in BANDWIDTHS]
    best = float(BANDWIDTHS[np.argmax(likelihood)])
    assert kde_error(canonical(pred)) == kde_error(canonical(pred), bandwidth=best)
    view = one_class(pred, 0)
    best = float(BANDWIDTHS[np.argmax([log_density(two(view.p), h).sum() for h in BANDWIDTHS])])
    assert kde_error(view) == kde_error(view, bandwidth=best)


def test_two_classes_as_a_vector_err_twice_as_one_chance_does() -> None:
    pred = _predictions(300, 2)
    both = kde_error(canonical(pred), bandwidth=0.01)
    assert both == pytest.approx(2 * kde_error(one_class(pred, 1), bandwidth=0.01), abs=1e-6)


def test_predictions_ask_the_top_label_and_views_are_averaged() -> None:
    pred = _predictions(300, 3)
    assert kde_error(pred) == kde_error(top_label(pred))
    each = [kde_error(view) for view in classwise(pred)]
    assert kde_error(classwise(pred)) == pytest.approx(np.mean(each))


def test_errors_find_the_truth() -> None:
    view, truth = simulate.task("square", 0.1).sample(20_000, seed=1)
    off = {1: np.abs(truth - view.p).mean(), 2: np.sqrt(((truth - view.p) ** 2).mean())}
    for norm in (1, 2):
        assert kde_error(view, norm=norm) == pytest.approx(off[norm], abs=0.01)
    # Squares are free of bias, and vary with the outcomes by about 2 sd(f y) / sqrt(n).
    assert kde_decompose(view).miscalibration == pytest.approx(off[2] ** 2, abs=0.004)
    assert kde_sharpness(view) == pytest.approx(truth.var(), abs=0.005)


def test_pairs_of_neighbours_against_exact_arithmetic() -> None:
    random = np.random.default_rng(0)
    p, y = random.random(40), random.random(40) < 0.5
    square = pairs_left_out(two(p), y.astype(int), 0.02)[:, 1].mean()
    expected = (p**2).mean() - 2 * (p * y).mean() + square
    found = kde_decompose(binary(p, y), bandwidth=0.02)
    assert found.miscalibration == pytest.approx(expected, abs=1e-9)
    assert found.discrimination == pytest.approx(square - y.mean() ** 2, abs=1e-9)
    assert kde_error(binary(p, y), bandwidth=0.02, norm=2, debias=True) == np.sqrt(
        max(0, found.miscalibration)
    )
    pred = _predictions(40, 3)
    square = pairs_left_out(pred.probs, pred.labels, 0.02).sum(1).mean()
    claimed = pred.probs[np.arange(40), pred.labels].mean()
    found = kde_decompose(canonical(pred), bandwidth=0.02)
    assert found.miscalibration == pytest.approx(
        (pred.probs**2).sum(1).mean() - 2 * claimed + square, abs=1e-9
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_the_parts_add_up_to_the_brier_score(*, weighted: bool) -> None:
    random = np.random.default_rng(3)
    w = random.integers(0, 4, 300) if weighted else None
    z, y = random.normal(0, 2, (300, 3)), random.integers(0, 2, 300)
    pred = from_logits(z, y, weights=w)  # the third class is never seen
    for x in (canonical(pred), one_class(pred, 1), top_label(pred)):
        parts = kde_decompose(x, bandwidth=0.05)
        total = parts.miscalibration - parts.discrimination + parts.uncertainty
        assert total == pytest.approx(brier(x), abs=1e-9)


def test_pairing_takes_the_bias_away() -> None:
    plain, paired = [], []
    for seed in range(40):
        random = np.random.default_rng(seed)
        p = random.random(400)
        view = binary(p, random.random(400) < p)
        plain.append(kde_error(view, bandwidth=0.01, norm=2) ** 2)
        paired.append(kde_decompose(view, bandwidth=0.01).miscalibration)
    assert np.mean(plain) > 5 * abs(np.mean(paired))


@given(
    p=claims,
    y=arrays(bool, N),
    w=arrays(np.int64, N, elements=st.integers(0, 3)),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=15)
def test_laws_of_order_and_counts(p: np.ndarray, y: np.ndarray, w: np.ndarray, seed: int) -> None:
    w[:2] = 2
    order = np.random.default_rng(seed).permutation(N)
    for measure in (
        kde_error,
        lambda view: kde_error(view, norm=2, debias=True, bandwidth="rule"),
        triweight_error,
    ):
        found = measure(binary(p, y, weights=w))
        assert np.isfinite(found)
        assert measure(binary(p[order], y[order], weights=w[order])) == found
        assert measure(binary(np.repeat(p, w), np.repeat(y, w))) == pytest.approx(found, abs=1e-9)


def test_laws_of_whole_vectors() -> None:
    random = np.random.default_rng(4)
    pred, w = _predictions(60, 4), random.integers(0, 3, 60)
    weighted = from_logits(pred.scores, pred.labels, weights=w)
    repeated = pred[np.repeat(np.arange(60), w)]
    order = random.permutation(60)
    for options in ({}, {"bandwidth": "rule"}, {"bandwidth": 0.01, "norm": 2, "debias": True}):
        found = kde_error(canonical(weighted), **options)
        assert kde_error(canonical(weighted[order]), **options) == pytest.approx(found, abs=1e-12)
        assert kde_error(canonical(repeated), **options) == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_rows_that_are_all_the_same(rows: int) -> None:
    view = binary([0.3] * rows, [1] * rows)
    assert kde_error(view) == pytest.approx(0.0 if rows == 1 else 0.7)
    pred = from_probs([[0.2, 0.3, 0.5]] * rows, [2] * rows)
    assert kde_error(canonical(pred)) == pytest.approx(0.0 if rows == 1 else 1.0)
    assert triweight_error(view) == pytest.approx(0.7, abs=1e-3)


def test_certain_vectors_and_a_class_never_seen() -> None:
    pred = from_probs(np.eye(4)[[0, 0, 1, 1, 2]], [0, 0, 1, 0, 0])
    for bandwidth in (None, "rule", 1e-5, 1):
        assert np.isfinite(kde_error(canonical(pred), bandwidth=bandwidth))
        assert np.isfinite(kde_error(canonical(pred), bandwidth=bandwidth, norm=2, debias=True))


def test_a_weight_below_one_is_still_a_row() -> None:
    random = np.random.default_rng(5)
    p, y = random.random(30), random.random(30) < 0.5
    assert kde_error(binary(p, y, weights=np.full(30, 1 / 30))) == pytest.approx(
        kde_error(binary(p, y)), rel=1e-9
    )
    pred = _predictions(30, 3)
    shared = from_logits(pred.scores, pred.labels, weights=np.full(30, 1 / 30))
    assert kde_error(canonical(shared)) == pytest.approx(kde_error(canonical(pred)), rel=1e-9)


@pytest.mark.parametrize(
    "options", [{"bandwidth": 0}, {"bandwidth": -1.0}, {"bandwidth": float("nan")}]
)
def test_a_width_must_be_above_zero(options: dict[str, float]) -> None:
    for x in (binary([0.2, 0.4], [0, 1]), canonical(_predictions(5, 3))):
        with pytest.raises(ValueError, match="bandwidth must be above 0"):
            kde_error(x, **options)  # type: ignore[arg-type]


def test_other_options_are_refused() -> None:
    view = binary([0.2, 0.4], [0, 1])
    with pytest.raises(ValueError, match="norm must be 1 or 2 or 'max', got 3"):
        kde_error(view, norm=3)  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match="knows what random variation adds to squares; use norm=2, got 1"
    ):
        kde_error(view, debias=True)
    with pytest.raises(
        ValueError,
        match="pairs of neighbours need at least 3 rows, got 2; use kde_error without debias",
    ):
        kde_error(view, norm=2, debias=True)
    with pytest.raises(ValueError, match="pairs of neighbours need at least 3 rows, got 2"):
        kde_sharpness(canonical(_predictions(2, 3)))
    with pytest.raises(ValueError, match="expected Predictions, a View or a sequence of Views"):
        kde_error([1, 2])  # type: ignore[list-item]


def test_long_work_shows_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    kde_error(canonical(_predictions(50, 3)))
    shown = screen.getvalue()
    assert "choosing the bandwidth" in shown
    assert "summing kernels" in shown
