"""Smooth finds the truth of simulated tasks, knows how surely, and bears few or certain rows."""

import numpy as np
import pytest
from scipy.special import expit, ndtr

from calibrant import (
    Family,
    Isotonic,
    Platt,
    Smooth,
    View,
    binary,
    calibration_error,
    from_logits,
    samples,
    top_label,
)
from calibrant.families.binary.penalised_splines import points
from calibrant.families.binary.shift import UncertainShift
from calibrant.families.binary.smooth import _quantiles, pooled_cells
from calibrant.simulate import SHAPES, Shape, realistic, task

VIEW_OF_ROUNDED = binary([0.0, 0.2, 0.7, 1.0, 1.0], [0, 1, 1, 1, 0])


def _rule(view: View) -> UncertainShift:
    rule = Smooth().fit(view).rule
    assert isinstance(rule, UncertainShift)
    return rule


def _sound(view: View) -> np.ndarray:
    """Calibrated chances, seen to lie in [0, 1] and within their band."""
    rule = _rule(view)
    q, (low, high) = rule(view), rule.band(view)
    assert ((low >= 0) & (low <= q) & (q <= high) & (high <= 1)).all()
    return q


def test_bands_hold_the_truth_about_as_often_as_they_say() -> None:
    held = []
    for shape in SHAPES:
        for error in (0.02, 0.05, 0.1):
            for seed in range(4):
                view, truth = task(shape, error).sample(1000, seed)
                low, high = _rule(view).band(view)
                held.append(((low <= truth) & (truth <= high)).mean())
    assert 0.85 < np.mean(held) < 0.99


def test_bands_hold_the_truth_of_a_network() -> None:
    claims = top_label(samples.load("c100-resnet18")[1])
    made = realistic(claims, Isotonic(centred=True).fit(claims))
    held = []
    for seed in range(8):
        view, truth = made.sample(1000, seed)
        low, high = _rule(view).band(view)
        held.append(((low <= truth) & (truth <= high)).mean())
    assert 0.85 < np.mean(held) < 0.99


def test_a_band_widens_with_its_level_and_narrows_with_rows() -> None:
    few, many = (task("square", 0.08).sample(n, 0).view for n in (300, 30_000))
    at = binary(np.linspace(0.05, 0.95, 19), np.zeros(19))
    half, most = (_rule(few).band(at, level=level) for level in (0.5, 0.95))
    assert (most[0] < half[0]).all()
    assert (half[1] < most[1]).all()
    narrow = _rule(many).band(at)
    assert (narrow[1] - narrow[0] < most[1] - most[0]).all()


# Two of five seeds, every fifth error, and a test of 10^4: a part of Table F20 of Kängsepp et al. 2022.
@pytest.mark.parametrize(
    ("shape", "family", "most"),
    [
        ("square", Isotonic(), 0.6),
        ("sqrt", Isotonic(), 0.6),
        ("beta1", Isotonic(), 0.6),
        ("beta2", Isotonic(), 0.6),
        ("stairs", Isotonic(), 1.0),
        ("stairs", Platt(), 0.5),
    ],
)
def test_maps_are_nearer_to_the_truth(shape: Shape, family: Family, most: float) -> None:
    ours, theirs = [], []
    for error in (0.0, 0.025, 0.05, 0.075, 0.1):
        test, truth = task(shape, error).sample(10_000, seed=100)
        for n, seed in ((1000, 0), (1000, 1), (3000, 0), (3000, 1)):
            view = task(shape, error).sample(n, seed).view
            ours.append(np.abs(Smooth().fit(view)(test) - truth).mean())
            theirs.append(np.abs(family.fit(view)(test) - truth).mean())
    assert np.mean(ours) < most * np.mean(theirs)


@pytest.mark.parametrize("scale", [1, 1000, 10**6])
def test_calibrated_claims_are_left_as_they_are(scale: int) -> None:
    p = np.linspace(0.01, 0.99, 99)
    shares = scale * np.stack([p, 1 - p], axis=1).ravel()
    view = binary(np.repeat(p, 2), np.tile([True, False], 99), weights=shares)
    np.testing.assert_allclose(Smooth().fit(view)(p), p, atol=1e-12)
    assert calibration_error(view) == pytest.approx(0, abs=1e-12)


def test_the_error_of_a_calibrated_model_vanishes() -> None:
    errors = [
        np.mean([calibration_error(task("square", 0.0).sample(n, s).view) for s in range(5)])
        for n in (100, 10**4)
    ]
    assert errors[1] < 0.3 * errors[0]
    assert errors[1] < 0.003


@pytest.mark.parametrize("p", [0.0, 1e-12, 0.3, 0.5, 1.0])
def test_one_row_moves_its_claim_towards_the_outcome(p: float) -> None:
    for y in (False, True):
        view = binary([p], [y])
        (q,) = _sound(view)
        # Exact 0 and 1 are read as rounded; of log odds beyond 30 no more is told.
        p = np.clip(p, view.floor, 1 - view.floor) if p in (0.0, 1.0) else p
        assert q >= p - 1e-12 if y else q <= p + 1e-12
        assert abs(q - p) < 0.95


@pytest.mark.parametrize("w", [1e9, 1e15])
@pytest.mark.parametrize(("p", "y"), [(0.2, 1.0), (0.5, 0.0), (1e-9, 1.0), (1.0, 1e-12)])
def test_one_row_of_much_weight_tells_its_own_chance(p: float, y: float, w: float) -> None:
    q = _sound(binary([p], [y], weights=[w]))
    np.testing.assert_allclose(q, y, atol=1e-6)


@pytest.mark.parametrize("view", [binary([0.1, 0.4, 0.4, 0.9], [0, 1, 0, 1]), VIEW_OF_ROUNDED])
def test_a_curve_without_its_band_is_the_same_curve(view: View) -> None:
    fitted = Smooth().fit_curve(view)
    np.testing.assert_array_equal(fitted(view), Smooth().fit(view)(view))
    assert fitted.rule.band(view) is None


@pytest.mark.parametrize("n", [10, 1000, 10**5])
def test_one_claim_nears_its_share_of_events(n: int) -> None:
    view = binary([0.8] * 2, [True, False], weights=[0.3 * n, 0.7 * n])
    q = _sound(view)
    assert q[0] == q[1]
    assert 0.3 - 1e-3 <= q[0] < 0.8
    assert q[0] == pytest.approx(0.3, abs=2 / np.sqrt(n))


@pytest.mark.parametrize("outcome", [False, True])
def test_outcomes_all_alike(outcome: bool) -> None:
    p = np.linspace(0.05, 0.95, 40)
    towards = [
        np.abs(_sound(binary(np.tile(p, times), np.full(40 * times, outcome))) - outcome).mean()
        for times in (1, 5, 50)
    ]
    assert np.abs(p - outcome).mean() > towards[0] > towards[1] > towards[2] > 0


def test_separable_claims() -> None:
    p = np.linspace(0.3, 0.7, 200)
    for y in (p > 0.5, p < 0.5):
        assert np.abs(_sound(binary(p, y)) - y).mean() < 0.1


def test_certain_claims_that_fail_are_heard() -> None:
    # Enough rows that one temperature, which .25 and .75 would fit, does not do.
    p = np.repeat([0.0, 1.0], 500)
    y = np.concatenate([np.arange(500) < 100, np.arange(500) < 350])
    q = _sound(binary(p, y))
    np.testing.assert_allclose(q, np.repeat([0.2, 0.7], 500), atol=0.02)
    backwards = _sound(binary(p, 1 - p))
    assert backwards[0] > 0.95
    assert backwards[-1] < 0.05


@pytest.mark.parametrize("p", [0.0, 1e-6, 0.01])
@pytest.mark.parametrize("rows", [1, 100, 10**5])
def test_many_claims_that_are_all_backwards(p: float, rows: int) -> None:
    q = _sound(binary([p, 1 - p], [True, False], weights=[rows, rows]))
    assert q[0] > p
    assert q[0] == pytest.approx(1, abs=0.5 / rows**0.5)
    assert q[1] == pytest.approx(0, abs=0.5 / rows**0.5)


def test_claims_beyond_all_doubt_share_one_shift() -> None:
    z = np.array([-1e4, -31.0, 31.0, 1e4] * 25)
    view = from_logits(z, np.arange(100) % 5 == 0)
    q = Smooth().fit(view).apply(view).probs[:4, 1]
    assert q[0] == q[1]
    assert q[2] == q[3]
    np.testing.assert_allclose(q, 0.2, atol=0.06)


@pytest.mark.parametrize("shape", list(SHAPES))
def test_claims_shared_between_points_agree_with_claims_as_they_are(shape: Shape) -> None:
    most = len(points())
    view = task(shape, 0.08).sample(most, 0).view
    assert len(pooled_cells(view.odds_pool).p) == most
    # Claims of next to no weight: all they do is make the distinct ones too many.
    added = task(shape, 0.08).sample(500, 1).view
    weights = np.concatenate([np.ones(most), np.full(500, 1e-9)])
    more = binary(
        np.concatenate([view.p, added.p]), np.concatenate([view.y, added.y]), weights=weights
    )
    assert len(pooled_cells(more.odds_pool).p) < most
    rule, (low, high) = _rule(view), _rule(view).band(view)
    apart = np.abs(_rule(more)(view) - rule(view))
    assert apart.max() < 5e-3
    # Next to what is not known anyway, it is nothing.
    assert (apart < 0.05 * (high - low)).all()


def test_sharing_keeps_the_weight_the_events_and_the_mean_log_odds() -> None:
    random = np.random.default_rng(0)
    z = np.sort(random.normal(scale=4, size=5000))
    view = binary(expit(z), random.random(5000) < 0.3, weights=random.integers(1, 5, 5000))
    before, after = view.odds_pool, pooled_cells(view.odds_pool)
    assert len(after.p) < len(before.p)
    assert after.w.sum() == pytest.approx(before.w.sum())
    assert after.happened.sum() == pytest.approx(before.happened.sum())
    assert (after.happened <= after.w + 1e-9).all()
    assert after.p @ after.w == pytest.approx(before.p @ before.w)
    assert after.p @ after.happened == pytest.approx(before.p @ before.happened)


def test_a_small_move_of_a_claim_moves_the_map_little() -> None:
    view = task("beta1", 0.06).sample(1000, 0).view
    at = np.linspace(0.01, 0.99, 99)
    moved = binary(np.clip(view.p + 1e-7, 0, 1), view.y)
    np.testing.assert_allclose(Smooth().fit(moved)(at), Smooth().fit(view)(at), atol=1e-5)


def test_events_and_their_absence_are_treated_alike() -> None:
    view = task("beta2", 0.07).sample(1000, 2).view
    q, rest = Smooth().fit(view)(view), Smooth().fit(binary(1 - view.p, ~view.y))(1 - view.p)
    np.testing.assert_allclose(rest, 1 - q, atol=1e-6)


def test_quantiles_of_a_mixture_are_those_of_many_draws() -> None:
    random = np.random.default_rng(0)
    share = np.array([0.7, 0.2, 0.1])
    mean = np.array([[0.0], [1.0], [-2.0]])
    sd = np.array([[0.3], [0.0], [1.0]])
    which = random.choice(3, 400_000, p=share)
    draws = mean[which, 0] + sd[which, 0] * random.normal(size=len(which))
    found = _quantiles(share, mean, sd)[:, 0]
    expected = np.quantile(draws, ndtr(np.arange(-3.0, 4.0)))
    np.testing.assert_allclose(found, expected, atol=0.05)
    np.testing.assert_allclose(found[1:-1], expected[1:-1], atol=0.01)


def test_what_exact_claims_mean_is_their_own() -> None:
    """Claims in tenths: those shown as 0 come true one time in fifty, the others as claimed."""
    tenths = np.arange(11) / 10
    truth = np.where(tenths == 0, 0.02, np.where(tenths == 1, 0.98, tenths))
    p = np.repeat(tenths, 2)
    w = 500 * np.stack([truth, 1 - truth], axis=1).ravel()
    view = binary(p, np.tile([True, False], 11), weights=w)
    q = _sound(view)[::2]
    np.testing.assert_allclose(q[1:-1], tenths[1:-1], atol=0.01)
    np.testing.assert_allclose(q[[0, -1]], [0.02, 0.98], atol=0.005)


def test_four_claims_of_one_that_came_true_are_not_certain() -> None:
    view = binary([1.0] * 4, [True] * 4)
    rule = _rule(view)
    (low, *_), (high, *_) = rule.band(view)
    assert rule(view)[0] < 0.95
    assert low < 0.6
    assert high > 0.99
