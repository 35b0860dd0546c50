"""Errors against loops, folds, and the corrections against sampling."""

from typing import Literal

import numpy as np
import pytest

from calibrant import (
    Beta,
    Binned,
    Family,
    Isotonic,
    Smooth,
    Spline,
    Temperature,
    binary,
    calibration_error,
    canonical,
    classwise,
    classwise_ece,
    cross_fit,
    cv_ece,
    decompose,
    ece,
    from_logits,
    from_probs,
    ks_error,
    mce,
    one_class,
    simulate,
    sweep_ece,
    top_label,
)

R = np.random.default_rng(0)
P = R.beta(3, 1, 500)
Y = R.random(500) < P**1.5
VIEW = binary(P, Y)
PRED = from_logits(R.normal(0, 2, (400, 4)), R.integers(0, 4, 400))


def _bins(n_bins: int) -> list[tuple[int, float]]:
    """Rows and gap of each bin, bins (lo, hi]."""
    where = np.clip(np.ceil(P * n_bins) - 1, 0, None)
    return [
        ((where == k).sum(), abs(Y[where == k].mean() - P[where == k].mean()))
        for k in np.unique(where)
    ]


def test_binned_errors_against_a_loop() -> None:
    cells = _bins(15)
    assert ece(VIEW) == pytest.approx(sum(n * gap for n, gap in cells) / 500, abs=1e-14)
    assert ece(VIEW, norm=2) == pytest.approx(
        np.sqrt(sum(n * gap**2 for n, gap in cells) / 500), abs=1e-14
    )
    assert (
        mce(VIEW) == ece(VIEW, norm="max") == pytest.approx(max(gap for _, gap in cells), abs=1e-14)
    )


def test_presets_are_their_families() -> None:
    assert sweep_ece(VIEW) == calibration_error(VIEW, Binned(edges="mass", rule="sweep"))
    assert cv_ece(VIEW) == calibration_error(VIEW, Binned(edges="mass", rule="cv"))
    assert calibration_error(VIEW) == pytest.approx(np.abs(Smooth().fit(VIEW)(VIEW) - P).mean())


def test_several_views_are_averaged_and_predictions_ask_for_the_top_label() -> None:
    for measure in (ece, ks_error, calibration_error, mce, sweep_ece):
        assert measure(PRED) == measure(top_label(PRED))
        each = [measure(one_class(PRED, k)) for k in range(4)]
        assert measure(classwise(PRED)) == pytest.approx(np.mean(each))
    assert classwise_ece(PRED, 10, edges="mass") == ece(classwise(PRED), 10, edges="mass")


def test_folds_measure_with_maps_that_did_not_see_the_row() -> None:
    q = cross_fit(Isotonic(), VIEW, folds=5)
    assert calibration_error(VIEW, Isotonic(), folds=5) == pytest.approx(np.abs(q - P).mean())
    assert calibration_error(VIEW, Isotonic(), norm=2, folds=5) == pytest.approx(
        np.sqrt(((q - P) ** 2).mean())
    )


def test_whole_vectors_are_measured_over_all_classes() -> None:
    q = Temperature().fit(PRED)(PRED)
    gap = np.abs(q - PRED.probs)
    view = canonical(PRED)
    assert calibration_error(view, Temperature()) == pytest.approx(gap.sum(1).mean())
    assert calibration_error(view, Temperature(), norm=2) == pytest.approx(
        np.sqrt((gap**2).sum(1).mean())
    )
    assert calibration_error(view, Temperature(), norm="max") == pytest.approx(gap.max())


def test_a_root_is_taken_of_nothing_below_zero() -> None:
    p = np.repeat(np.arange(1, 20) / 20, 20)
    y = np.tile(np.arange(20), 19) < np.repeat(np.arange(1, 20), 20)
    assert ece(binary(p, y), 19, norm=2, debias=True) == 0


def test_bins_of_one_row_and_of_one_outcome_have_no_correction() -> None:
    view = binary([0.1, 0.9], [0, 0])
    assert ece(view, debias=True) == ece(view)
    assert ece(view, norm=2, debias=True) == ece(view, norm=2)


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("family", [Spline(), Isotonic(), Beta()], ids=repr)
def test_debiasing_takes_off_what_chance_alone_shows(family: Family, norm: Literal[1, 2]) -> None:
    plain, freed = [], []
    for seed in range(8):
        random = np.random.default_rng(seed)
        p = random.random(500)
        view = binary(p, random.random(500) < p)
        plain.append(calibration_error(view, family, norm=norm))
        freed.append(calibration_error(view, family, norm=norm, debias=True))
    assert np.mean(freed) < np.mean(plain) / 2
    p = np.linspace(0.3, 1, 20_000)
    wrong = binary(p, np.random.default_rng(0).random(20_000) < p - 0.2)
    for folds in (None, 5):
        error = calibration_error(wrong, family, norm=norm, folds=folds, debias=True)
        assert error == pytest.approx(0.2, abs=0.02)


def test_draws_take_more_off_bins_of_right_claims_than_the_formula() -> None:
    views = [simulate.task("square", 0.0).sample(500, seed=seed).view for seed in range(10)]
    plain, formula, draws = (
        np.mean([ece(view, debias=by) for view in views]) for by in (False, True, "draws")
    )
    assert draws < plain / 2 < formula < plain
    wrong = simulate.task("square", 0.1).sample(10_000, seed=0).view
    assert ece(wrong, debias="draws") == pytest.approx(0.1, abs=0.01)


def test_debiasing_does_not_depend_on_row_order() -> None:
    random = np.random.default_rng(3)
    pred = from_logits(random.normal(0, 2, (200, 3)), random.integers(0, 3, 200))
    order = random.permutation(200)
    for x in (top_label, canonical):
        found = [
            calibration_error(x(each), Temperature(), debias=True) for each in (pred, pred[order])
        ]
        assert found[0] == pytest.approx(found[1], abs=1e-9)
        assert 0 < found[0] < calibration_error(x(pred), Temperature())


def test_the_largest_gap_cannot_be_debiased() -> None:
    with pytest.raises(ValueError, match="use norm 1 or 2"):
        calibration_error(VIEW, Smooth(), norm="max", debias=True)


def test_arrays_are_refused_with_the_way_in() -> None:
    for x in (P, [], [P]):
        with pytest.raises(ValueError, match=r"make them with from_probs\(probs, labels\)"):
            ece(x)  # type: ignore[arg-type]


def test_exact_zeros_and_ones_fall_into_the_outer_bins() -> None:
    view = binary([0.0, 0.05, 1.0], [1, 0, 1])
    assert ece(view, 10) == pytest.approx((2 * (0.5 - 0.025) + 0) / 3)
    assert ece(from_probs([[0.0, 1.0], [1.0, 0.0]], [1, 0])) == 0


def test_words_and_numbers_that_mean_nothing_are_refused() -> None:
    for norm in (3, "l1", np.inf):
        with pytest.raises(ValueError, match=r"norm must be 1 or 2 or 'max', got"):
            calibration_error(VIEW, norm=norm)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a family, or its name"):
        calibration_error(VIEW, Isotonic)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"score must be 'brier' or 'log', got 'logloss'"):
        decompose(VIEW, score="logloss")  # type: ignore[arg-type]


def test_weights_that_sum_to_one_keep_their_bins() -> None:
    whole, scaled = (
        Binned(10, edges="mass").fit(binary(P, Y, weights=np.full(500, w))).rule
        for w in (1.0, 1 / 500)
    )
    assert (scaled.count > 0).sum() == 10
    np.testing.assert_allclose(500 * scaled.count, whole.count, atol=1.5)
