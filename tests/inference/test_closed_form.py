"""Intervals by formula cover as often as they say, and a report has those of `interval`."""

from functools import partial

import numpy as np
import pytest
from shared_claims import claims

from calibrant import (
    Predictions,
    accuracy,
    binary,
    brier,
    classwise,
    from_probs,
    interval,
    nll,
    report,
    samples,
    top_label,
    top_label_brier,
)
from calibrant.inference.closed_form import closed_form, student, wilson
from calibrant.inference.measuring import Measure
from calibrant.inputs.views import Data
from calibrant.measures.scores import event_rate

RNG = np.random.default_rng(0)


def test_a_share_of_all_or_none_still_has_a_width() -> None:
    low, high = wilson(1.0, 10, 0.95)
    assert high == pytest.approx(1)
    # Wilson's lower end for 10 of 10: n / (n + z^2).
    assert low == pytest.approx(10 / (10 + 1.959964**2), abs=1e-6)
    assert wilson(0.0, 10, 0.95) == pytest.approx((0, 1 - low))


def test_a_share_lies_in_its_interval_19_times_in_20() -> None:
    inside = 0
    for _ in range(1000):
        low, high = wilson(RNG.binomial(80, 0.07) / 80, 80, 0.95)
        inside += low <= 0.07 <= high
    assert 0.92 < inside / 1000 < 0.98


def test_a_mean_lies_in_its_interval_19_times_in_20_even_of_few_rows() -> None:
    inside = 0
    for _ in range(2000):
        low, high = student(RNG.normal(3, 2, 6), None, 0.95)
        inside += low <= 3 <= high
    assert 0.935 < inside / 2000 < 0.965
    with pytest.raises(ValueError, match="a mean of 1 rows has no interval"):
        student(np.ones(1), None, 0.95)


def test_weights_are_counts() -> None:
    x, w = RNG.normal(size=40), RNG.integers(0, 4, 40)
    repeated = student(np.repeat(x, w), None, 0.95)
    assert student(x, w.astype(float), 0.95) == pytest.approx(repeated)


def _sixty() -> Predictions:
    p = np.tile([0.05, 0.95], (60, 1))
    return from_probs(p, [1] * 56 + [0] * 4)


def _same_ends(x: Data, named: dict[str, Measure]) -> None:
    rows = {row.name: row for row in report(x, intervals=True).rows}
    for name, measure in named.items():
        row = rows[name]
        assert (row.value, row.low, row.high) == interval(measure, x)


@pytest.fixture
def _only_closed_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the numbers of a report whose intervals are by draws."""
    monkeypatch.setattr("calibrant.reporting.measure_table.OF_CLAIMS", ())
    monkeypatch.setattr("calibrant.reporting.measure_table.OF_TOP_TWO", ())


OF_VECTORS: dict[str, Measure] = {"accuracy": accuracy, "NLL": nll, "Brier score": brier}
OF_VIEWS: dict[str, Measure] = {"NLL": nll, "Brier score": brier, "event rate": event_rate}


@pytest.mark.usefixtures("_only_closed_forms")
@pytest.mark.parametrize("name", samples.NAMES)
def test_a_report_and_interval_give_the_same_ends_of_samples(name: samples.Name) -> None:
    fit_on, test = samples.load(name)
    _same_ends(fit_on, OF_VECTORS)
    _same_ends(test, OF_VECTORS)
    _same_ends(top_label(test), OF_VIEWS)


@pytest.mark.usefixtures("_only_closed_forms")
def test_a_report_and_interval_give_the_same_ends_of_sixty_rows() -> None:
    _same_ends(_sixty(), OF_VECTORS)
    _same_ends(claims(60), OF_VIEWS)
    w = RNG.integers(0, 3, 60)
    _same_ends(from_probs(_sixty().probs, _sixty().labels, weights=w), OF_VECTORS)


def test_accuracy_of_sixty_rows_is_wilsons() -> None:
    found = interval(accuracy, _sixty())
    assert [found.low, found.high] == pytest.approx([0.841, 0.974], abs=5e-4)
    assert interval(accuracy, top_label(_sixty())) == found


def test_formulas_know_no_draws_but_the_level() -> None:
    view = claims(400)
    for measure in (accuracy, nll, brier):
        assert interval(measure, view, seed=1) == interval(measure, view, seed=2, n_boot=100)
        narrow, wide = interval(measure, view, level=0.8), interval(measure, view, level=0.99)
        assert wide.low < narrow.low < narrow.estimate < narrow.high < wide.high


def _called(measure: Measure, x: Data) -> float:
    """The same measure under another name, which no formula knows."""
    return measure(x)


def test_formulas_agree_with_the_bootstrap() -> None:
    pred = samples.load("c10-lenet5")[1][:1000]
    for measure in (accuracy, nll, brier, top_label_brier):
        by_formula = interval(measure, pred)
        by_draws = interval(partial(_called, measure), pred)
        width = by_formula.high - by_formula.low
        assert by_draws.estimate == by_formula.estimate
        assert by_draws.low == pytest.approx(by_formula.low, abs=width / 10)
        assert by_draws.high == pytest.approx(by_formula.high, abs=width / 10)


def test_other_measures_and_several_views_have_no_formula() -> None:
    views = classwise(_sixty())
    assert closed_form(nll, views, 0.95) is None
    assert closed_form(lambda x: nll(x), views[0], 0.95) is None
    assert interval(brier, views, n_boot=100).low < brier(views)


def test_one_row_has_no_interval_of_its_mean() -> None:
    with pytest.raises(ValueError, match="a mean of 1 rows has no interval; at least 2 are needed"):
        interval(nll, binary([0.3], [1]))
