"""Intervals cover the truth and keep the laws of weights and order."""

import sys
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom, norm
from shared_claims import claims
from shared_terminal import Terminal

from calibrant import (
    Platt,
    Predictions,
    View,
    accuracy,
    binary,
    brier,
    calibration_error,
    classwise,
    classwise_ece,
    ece,
    from_logits,
    from_probs,
    ks_error,
    mce,
    nll,
    observed_expected,
    one_class,
    slope_intercept,
    top_label,
    top_label_brier,
)
from calibrant.inference.intervals import interval
from calibrant.simulate import task


def _sharp(seed: int, n: int = 300, k: int = 4) -> Predictions:
    random = np.random.default_rng(seed)
    z = random.normal(0, 2, (n, k))
    return from_logits(z, (z / 2 + random.gumbel(size=z.shape)).argmax(1))


@pytest.mark.parametrize(("measure", "error"), [(ece, 0.02), (ece, 0.1), (ks_error, 0.1)])
def test_intervals_of_errors_cover_the_truth(
    measure: Callable[[View], float], error: float
) -> None:
    found = [
        interval(measure, task("square", error).sample(300, seed).view, n_boot=160)
        for seed in range(15)
    ]
    # Of 15 intervals that cover with probability 0.95, more than 3 miss once in 180 times.
    assert sum(not low <= error <= high for _, low, high in found) <= 3
    assert np.mean([high - low for _, low, high in found]) < 0.13
    assert error < 0.1 or np.mean([low for _, low, _ in found]) > 0.02


def test_right_claims_may_have_no_error_at_all() -> None:
    found = [
        interval(ece, task("square", 0.0).sample(300, seed).view, n_boot=160) for seed in range(12)
    ]
    assert sum(low == 0.0 for _, low, _ in found) >= 10
    # Chance alone shows this much, so the estimate says little.
    assert all(estimate > 0.02 for estimate, _, _ in found)


def test_the_estimate_is_the_measure_itself() -> None:
    view = claims(300, lift=0.5)
    for measure in (ece, ks_error, mce, brier, nll):
        assert interval(measure, view, n_boot=100).estimate == measure(view)


def test_one_claim_is_a_binomial_share() -> None:
    # The error is |share - 0.5|, so test inversion is that of a binomial share, less the guard
    # against random variation that narrows.
    n, k = 400, 260
    found = interval(ece, binary([0.5] * n, [1] * k + [0] * (n - k)), n_boot=4000)
    shares = np.linspace(0.5, 0.8, 3001)
    accepted = shares[(binom.cdf(k, n, shares) >= 0.025) & (binom.sf(k - 1, n, shares) >= 0.025)]
    assert found.low == pytest.approx(accepted[0] - 0.5, abs=0.012)
    assert found.high == pytest.approx(accepted[-1] - 0.5, abs=0.012)


def test_errors_of_the_smooth_map() -> None:
    view = task("square", 0.1).sample(500, 0).view
    estimate, low, high = interval(calibration_error, view, n_boot=100)
    assert estimate == calibration_error(view)
    assert 0.02 < low < 0.1 < high < 0.2
    estimate, low, high = interval(calibration_error, binary([0.3], [1]), n_boot=100)
    assert low == 0
    assert high == pytest.approx(0.7, abs=1e-3)


def test_scores_get_the_interval_of_a_mean() -> None:
    view = claims(2000)
    loss = (view.p - view.y) ** 2
    half = norm.ppf(0.975) * loss.std() / np.sqrt(view.n)
    found = interval(brier, view, n_boot=2000)
    assert found.low == pytest.approx(loss.mean() - half, abs=half / 8)
    assert found.high == pytest.approx(loss.mean() + half, abs=half / 8)


def test_what_has_a_sign_is_no_error() -> None:
    view = claims(2000, lift=0.4)
    found = interval(lambda x: slope_intercept(x).intercept, view, n_boot=200)
    assert found.low < found.estimate < found.high
    assert found.low < 0.4 < found.high
    below = interval(lambda x: -slope_intercept(x).intercept, view, n_boot=200)
    assert (below.low, below.high) == pytest.approx((-found.high, -found.low))


def test_wider_for_more_confidence_and_the_same_for_one_seed() -> None:
    view = claims(400, lift=1.0)
    for measure in (ece, observed_expected):
        narrow, wide = (interval(measure, view, level=level, n_boot=200) for level in (0.8, 0.99))
        assert wide.low < narrow.low < narrow.high < wide.high
        assert interval(measure, view, n_boot=200, seed=3) == interval(
            measure, view, n_boot=200, seed=3
        )
        assert interval(measure, view, n_boot=200, seed=3) != interval(
            measure, view, n_boot=200, seed=4
        )


def test_predictions_are_asked_their_top_label_where_a_measure_does() -> None:
    pred = _sharp(0)
    assert interval(ece, pred, n_boot=100) == interval(ece, top_label(pred), n_boot=100)
    loss = -np.log(pred.probs[np.arange(pred.n), pred.labels])
    half = norm.ppf(0.975) * loss.std() / np.sqrt(pred.n)
    low, high = interval(nll, pred, n_boot=1000)[1:]
    assert [low, high] == pytest.approx([loss.mean() - half, loss.mean() + half], abs=half / 4)
    assert interval(top_label_brier, pred, n_boot=100).estimate == top_label_brier(pred)
    assert (
        interval(accuracy, pred, n_boot=100).low
        < accuracy(pred)
        < interval(accuracy, pred, n_boot=100).high
    )


def test_errors_of_whole_vectors_are_refused_with_the_way_out() -> None:
    pred = _sharp(0)
    for measure in (classwise_ece, lambda x: ece(one_class(x, 3))):
        with pytest.raises(ValueError, match=r"interval\(ece, classwise\(pred\)\)"):
            interval(measure, pred)
    low, high = interval(ece, classwise(pred), n_boot=100)[1:]
    assert 0 < low < high < 0.2


@pytest.mark.parametrize("measure", [ece, brier, observed_expected])
def test_laws_of_order_and_weights(measure: Callable[[View], float]) -> None:
    random = np.random.default_rng(0)
    p = random.random(150).round(2)
    y, w = random.random(150) < p**2, random.integers(0, 4, 150)
    weighted, repeated = binary(p, y, weights=w), binary(np.repeat(p, w), np.repeat(y, w))
    mixed = random.permutation(150)
    shuffled = binary(p[mixed], y[mixed], weights=w[mixed])
    found = interval(measure, weighted, n_boot=400)
    assert interval(measure, shuffled, n_boot=400) == pytest.approx(found, abs=1e-12)
    again = interval(measure, repeated, n_boot=400)
    # Errors are drawn on pooled claims, where a weight and a repetition are one; for other measures
    # rows are drawn as they come.
    assert again == pytest.approx(found, abs=0.05 if measure is observed_expected else 1e-12)


def test_the_order_of_tied_rows_plays_no_part() -> None:
    random = np.random.default_rng(4)
    p = random.dirichlet(np.ones(4), 200).round(2)
    pred = from_probs(p / p.sum(1, keepdims=True), random.integers(0, 4, 200))
    mixed = pred[random.permutation(200)]
    for measure, ask in ((brier, lambda x: x), (ece, classwise)):
        found, again = (interval(measure, ask(x), n_boot=100) for x in (pred, mixed))
        assert found == pytest.approx(again, abs=1e-12)


def test_log_odds_beyond_rounding_are_kept() -> None:
    random = np.random.default_rng(0)
    z = random.normal(0, 30, 300)
    pred = from_logits(z, random.random(300) < 1 / (1 + np.exp(-z / 10)))
    view = one_class(pred, 1)
    low, high = interval(lambda x: calibration_error(x, Platt()), view, n_boot=100)[1:]
    assert 0 < low < high < 0.5
    assert interval(nll, view, n_boot=100).high > nll(view) > 1


@pytest.mark.parametrize(
    "view",
    [
        binary([0.3], [1]),
        binary([0.2, 0.9, 0.4], [0, 1, 1]),
        binary([0.7] * 9, [1, 0] * 4 + [1]),
        binary(np.linspace(0, 1, 40), [1] * 40),
        binary(np.linspace(0, 1, 40), [0] * 40),
        binary([0.0, 1.0] * 10, [0, 1] * 10),
        binary([0.0, 1.0] * 10, [1, 0] * 10),
        binary([1.0] * 5, [1] * 5),
    ],
    ids=[
        "one row",
        "three rows",
        "one claim",
        "all happen",
        "none happens",
        "sure and right",
        "sure and wrong",
        "1",
    ],
)
@pytest.mark.parametrize("measure", [ece, mce, ks_error])
def test_little_or_strange_data_give_wide_intervals(
    view: View, measure: Callable[[View], float]
) -> None:
    estimate, low, high = interval(measure, view, n_boot=200)
    assert 0 <= low <= high <= 1
    assert np.isfinite(estimate)
    if view.n < 10:
        assert high - low > 0.2


def test_what_means_nothing_is_refused() -> None:
    view = claims(50)
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        interval(ece, view, level=95)
    with pytest.raises(ValueError, match="n_boot must be a whole number"):
        interval(ece, view, n_boot=10)
    with pytest.raises(ValueError, match="one number, got LogisticLine"):
        interval(slope_intercept, view)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected Predictions, a View"):
        interval(ece, view.p)  # type: ignore[arg-type]


def test_a_measure_that_gives_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="measure must give a number, got nan"):
        interval(lambda _: float("nan"), claims(20), n_boot=100)


def test_progress_shows_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interval(ece, claims(50), n_boot=100)
    assert capsys.readouterr() == ("", "")

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    interval(ece, claims(50), n_boot=100)
    assert "drawing outcomes" in screen.getvalue()
