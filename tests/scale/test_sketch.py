"""A sketch adds up, and measures of it are those of the rows."""

from collections.abc import Callable

import numpy as np
import pytest
from shared_data import needs_real, real

import calibrant
from calibrant import (
    Isotonic,
    PiecewiseLinear,
    Predictions,
    View,
    binary,
    calibration_error,
    ece,
    from_logits,
    from_probs,
    kde_error,
    ks_error,
    one_class,
    samples,
    smece,
    top_label,
    within_top_r,
)
from calibrant.fitting.blocks import on_all_cores
from calibrant.inputs.views import Data
from calibrant.scale import Sketch, tally
from calibrant.scale.asking import Question

ALL: tuple[Question, ...] = ("top_label", "within_top_2", "classwise")


def network(
    n: int, k: int, seed: int = 0, kind: str = "probs", spread: float = 12.0
) -> Predictions:
    rng = np.random.default_rng(seed)
    z = rng.normal(0, 2, (n, k))
    y = rng.integers(0, k, n)
    z[np.arange(n), y] += spread * rng.choice([0, 0.3, 1, 2], n)
    if kind == "logits":
        return from_logits(z.astype(np.float32), y)
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    return from_probs(p.astype(np.float32), y)


def with_weights(pred: Predictions, seed: int = 1) -> Predictions:
    w = np.random.default_rng(seed).choice([0, 0.5, 1, 2.25], pred.n)
    return from_probs(pred.probs, pred.labels, weights=w)


def with_shares(pred: Predictions, seed: int = 1) -> Predictions:
    shares = np.random.default_rng(seed).dirichlet(np.ones(pred.k), pred.n)
    return from_probs(pred.probs, shares)


def ks_bound(view: View) -> float:
    """What claims of one cell may hide, as the guide has it."""
    p, w, happened = view.pool
    within = np.minimum(happened * (1 - p), (w - happened) * p)
    return float(within.max()) / view.total


def pairs(pred: Predictions) -> list[tuple[View, View]]:
    sketch = Sketch(views=ALL).update(pred)
    found = [
        (sketch.view(), top_label(pred)),
        (sketch.view("class_0"), one_class(pred, 0)),
        (sketch.classwise()[1], one_class(pred, 1)),
    ]
    if pred.k > 2:
        found.append((sketch.view("within_top_2"), within_top_r(pred, 2)))
    return found


CASES: dict[str, Callable[[], Predictions]] = {
    "probs": lambda: network(20_000, 10),
    "logits": lambda: network(20_000, 10, kind="logits"),
    "two classes": lambda: network(5_000, 2),
    "many classes": lambda: network(1_000, 120),
    "weights": lambda: with_weights(network(5_000, 4)),
    "shares": lambda: with_shares(network(5_000, 4, spread=1.0)),
    "sample": lambda: samples.load("c100-resnet18")[1],
}
MEASURES: dict[str, tuple[Callable[[View], float], float]] = {
    "ece": (ece, 1e-7),
    "ece of 20": (lambda view: ece(view, 20), 1e-7),
    "smece": (smece, 1e-5),
    "smooth": (calibration_error, 1e-4),
    "isotonic": (lambda view: calibration_error(view, Isotonic()), 1e-4),
    "kde": (lambda view: kde_error(view, bandwidth=0.01), 1e-4),
}


@pytest.mark.parametrize("case", CASES)
def test_measures_of_a_sketch_are_those_of_its_rows(case: str) -> None:
    pred = CASES[case]()
    for found, exact in pairs(pred):
        assert found.event == exact.event
        assert found.completes == exact.completes
        assert found.total == pytest.approx(exact.total, rel=1e-12)
        assert found.floor == pytest.approx(exact.floor, rel=1e-7)
        coarse = 5 if pred.k > 32 else 1
        for name, (measure, bound) in MEASURES.items():
            assert measure(found) == pytest.approx(measure(exact), abs=coarse * bound), name
        assert abs(ks_error(found) - ks_error(exact)) <= ks_bound(found) + 1e-9


def test_the_ks_error_of_each_sample_is_within_a_thousandth_of_a_point() -> None:
    for name in ("c10-resnet18", "c10-lenet5", "c100-resnet18"):
        _, test = samples.load(name)
        assert ks_error(Sketch().update(test).view()) == pytest.approx(ks_error(test), abs=1e-5)


@pytest.mark.parametrize("case", CASES)
def test_scores_are_exact(case: str) -> None:
    pred = CASES[case]()
    sketch = Sketch().update(pred)
    assert sketch.nll == pytest.approx(calibrant.nll(pred), rel=1e-12)
    assert sketch.brier == pytest.approx(calibrant.brier(pred), rel=1e-12)
    assert sketch.n == np.count_nonzero(
        pred.weights if pred.weights is not None else np.ones(pred.n)
    )


def same_integers(mine: Sketch, other: Sketch) -> None:
    for name, found in mine.totals.tallies.items():
        assert found.sums.dtype == np.int64
        assert np.array_equal(found.sums, other.totals.tallies[name].sums)
    assert mine.nll == pytest.approx(other.nll, rel=1e-12)
    assert np.array_equal(mine.sample().values, other.sample().values)


@pytest.mark.parametrize("kind", ["probs", "logits"])
def test_parts_and_their_order_change_no_bit_of_whole_numbers(kind: str) -> None:
    pred = network(3_000, 5, kind=kind)
    whole = Sketch().update(pred)
    order = np.random.default_rng(0).permutation(pred.n)
    parts = [Sketch().update(pred[rows]) for rows in np.array_split(order, 7)]
    forwards = backwards = Sketch()
    for part in parts:
        forwards = forwards.merge(part)
        backwards = part.merge(backwards)
    nested = (
        parts[0]
        .merge(parts[1])
        .merge(parts[2].merge(parts[3]))
        .merge(parts[4].merge(parts[5].merge(parts[6])))
    )
    for other in (forwards, backwards, nested):
        same_integers(whole, other)
    weighted = with_weights(pred)
    one = Sketch().update(weighted)
    two = Sketch().update(weighted[1000:]).merge(Sketch().update(weighted[:1000]))
    sums = one.totals.tallies["top_label"].sums
    assert np.allclose(sums, two.totals.tallies["top_label"].sums, rtol=1e-12, atol=0)


def test_rows_that_wait_to_be_counted_are_counted_whenever_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pred = network(3_000, 5)
    expected = Sketch().update(pred).totals.tallies["classwise"].sums
    monkeypatch.setattr(tally, "_MOST_WAITING", 700)
    sketch = Sketch()
    for start in range(0, pred.n, 500):
        sketch.update(pred[start : start + 500])
        assert sketch.view().total == start + 500
    assert np.array_equal(sketch.totals.tallies["classwise"].sums, expected)
    views = on_all_cores(sketch.view, [f"class_{k}" for k in range(5)])
    assert [view.total for view in views] == [pred.n] * 5


def test_a_weight_is_a_count_and_a_weight_of_zero_no_row() -> None:
    pred = network(500, 3)
    twice = from_probs(pred.probs, pred.labels, weights=np.full(500, 2.0))
    repeated = pred[np.tile(np.arange(500), 2)]
    mine = Sketch().update(twice).totals.tallies["classwise"].sums
    assert np.array_equal(mine, Sketch().update(repeated).totals.tallies["classwise"].sums)
    none = from_probs(pred.probs, pred.labels, weights=np.zeros(500) + (np.arange(500) == 3))
    assert Sketch().update(none).n == 1


def test_what_rounds_to_one_is_told_apart() -> None:
    rest = np.array([1e-9, 1e-12, 1e-20])
    z = np.stack([np.zeros(3), np.log(rest)], axis=1)
    view = Sketch().update(from_logits(z, [0, 0, 1])).view()
    assert np.allclose(np.sort(view.log_odds), -np.log(rest), rtol=1e-6)


def test_a_view_is_summed_up_too() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    view = binary(p, rng.random(4000) < p**2)
    logit = top_label(network(4000, 3, kind="logits"))
    shares = binary(p, p**2)
    for exact in (view, logit, shares):
        sketch = Sketch().update(exact[:1000]).update(exact[1000:])
        found = sketch.view()
        assert (found.event, found.completes) == (exact.event, exact.completes)
        assert ks_error(found) == pytest.approx(ks_error(exact), abs=1e-5)
        assert sketch.brier == pytest.approx(calibrant.brier(exact), rel=1e-12)
        slope = calibrant.slope_intercept(found).slope
        assert slope == pytest.approx(calibrant.slope_intercept(exact).slope, abs=1e-5)
    with pytest.raises(ValueError, match="keeps no whole rows"):
        Sketch().update(view).sample()


def test_a_sample_fits_families_of_whole_vectors() -> None:
    pred = network(30_000, 4, kind="logits")
    drawn = Sketch(sample=5000).update(pred).sample()
    assert drawn.n == 5000
    mine = calibrant.Temperature().fit(drawn).rule.temperature
    assert mine == pytest.approx(calibrant.Temperature().fit(pred).rule.temperature, rel=0.05)


def test_a_sketch_knows_what_it_has() -> None:
    empty = Sketch()
    assert repr(empty) == "Sketch(no rows)"
    with pytest.raises(ValueError, match="no rows yet"):
        empty.view()
    sketch = Sketch(views=("top_label",)).update(network(50, 3))
    assert repr(sketch) == "Sketch(50 rows of 3 classes, from probs)"
    for name in ("class_0", "top_3", "class_x"):
        with pytest.raises(ValueError, match="this sketch has the views top_label; got"):
            sketch.view(name)
    with pytest.raises(ValueError, match="class_0 to class_2"):
        Sketch().update(network(50, 3)).view("class_3")


def test_what_is_added_to_a_merged_sketch_is_not_added_to_its_parts() -> None:
    part, later = (Sketch(views=ALL).update(network(50, 3, seed)) for seed in (1, 2))
    content, both = part.to_bytes(), part.merge(later).to_bytes()
    empty = Sketch(views=ALL)
    for merged in (empty.merge(part), part.merge(empty)):
        assert merged.to_bytes() == content
        assert merged.update(network(50, 3, 2)).to_bytes() == both
        assert part.to_bytes() == content


def test_what_is_unlike_does_not_add_up() -> None:
    sketch = Sketch().update(network(50, 3))
    others: list[Data] = [network(50, 4), network(50, 3, kind="logits"), top_label(network(50, 3))]
    for other in others:
        with pytest.raises(ValueError, match="rows of one sketch must be alike"):
            sketch.update(other)
    with pytest.raises(ValueError, match="the same views, sample and seed"):
        sketch.merge(Sketch(seed=1).update(network(50, 3)))
    with pytest.raises(ValueError, match="a sketch is of Predictions or a View, got list"):
        sketch.update([0.1])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="labels"):
        Sketch().update(from_probs([[0.5, 0.5]]))
    with pytest.raises(ValueError, match="views must be some of"):
        Sketch(views=("top",))  # type: ignore[arg-type]
    nothing = from_probs([[0.5, 0.5], [0.2, 0.8]], [0, 1], weights=[0.0, 1.0])[:1]
    assert Sketch().update(nothing).n == 0


@needs_real
@pytest.mark.parametrize(
    "name",
    [
        "nncal_resnet110_c10",
        "cleanlab_20news",
        "zygmuntz_adult_rf",
        "netcal_wideresnet_16_4_cifar_100",
    ],
)
def test_measures_of_real_predictions(name: str) -> None:
    pred = real(name)
    assert isinstance(pred, Predictions)
    for found, exact in pairs(pred):
        for measure_name, (measure, bound) in MEASURES.items():
            assert measure(found) == pytest.approx(measure(exact), abs=bound), measure_name
        family = PiecewiseLinear(segments=3)
        mine = calibration_error(found, family)
        assert mine == pytest.approx(calibration_error(exact, family), abs=1e-3)
