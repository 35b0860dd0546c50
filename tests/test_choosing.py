"""Comparing and choosing families: against the scores, a loop over folds, and the laws."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import expit
from shared_terminal import Terminal

from calibrant import (
    EnsembleTemperature,
    Family,
    Identity,
    Isotonic,
    Map,
    OneVsRest,
    Platt,
    Predictions,
    Quadratic,
    Ranked,
    Smooth,
    Temperature,
    VectorScaling,
    View,
    accuracy,
    binary,
    brier,
    canonical,
    classwise_ece,
    compare,
    cross_validate,
    ece,
    from_logits,
    from_probs,
    ks_error,
    nll,
    select,
    top_label,
)
from calibrant.families.folds import held_out
from calibrant.families.names import family_of, name_of
from calibrant.inputs.views import Data
from calibrant.measures.scores import Score

Make = Callable[..., Any]


def _sharp(seed: int, n: int = 400, k: int = 4, weights: np.ndarray | None = None) -> Predictions:
    random = np.random.default_rng(seed)
    z = random.normal(0, 3, (n, k))
    return from_logits(z, (z / 2 + random.gumbel(size=z.shape)).argmax(1), weights=weights)


def _forecasts(seed: int, n: int = 500, weights: np.ndarray | None = None) -> View:
    random = np.random.default_rng(seed)
    z = random.normal(0, 3, n)
    return binary(expit(z), random.random(n) < expit(z / 2), weights=weights)


def test_rows_of_a_comparison_are_the_scores_themselves() -> None:
    fit_on, test = _sharp(0), _sharp(1)
    families = [Temperature(), OneVsRest(Isotonic()), Platt()]
    found = compare(fit_on, test, families)
    assert [row.name for row in found.rows] == ["as they are", *map(repr, families)]
    mended = [family.fit(fit_on).apply(test) for family in families]
    for row, pred in zip(found.rows, [test, *mended], strict=True):
        assert row.nll == nll(pred)
        assert row.brier == brier(pred)
        assert row.accuracy == accuracy(pred)
        assert row.ece == ece(pred)
        assert row.ks_error == ks_error(pred)
        assert row.classwise_ece == classwise_ece(pred)
        assert min(row.fit_seconds, row.apply_seconds) >= 0
    assert not found.failures


def test_one_chance_is_compared_too() -> None:
    fit_on, test = _forecasts(0), _forecasts(1)
    found = compare(fit_on, test, {"logistic": Platt()})
    mended = binary(Platt().fit(fit_on)(test), test.y)
    assert found.rows[0].nll == nll(test)
    assert found.rows[1].nll == pytest.approx(nll(mended))
    assert found.rows[1].ks_error == pytest.approx(ks_error(mended))
    assert found.rows[1].classwise_ece is None


def _mended(fitted: Map, rows: Data) -> Data:
    if isinstance(rows, View):
        return binary(fitted(rows), rows.y, weights=rows.w)
    mended: Predictions = fitted.apply(rows)
    return mended


@pytest.mark.parametrize("score", ["nll", "brier"])
@pytest.mark.parametrize("make", [_sharp, _forecasts])
def test_held_out_scores_against_a_loop_over_folds(make: Make, score: Score) -> None:
    x = make(2, 200, weights=np.random.default_rng(0).integers(0, 3, 200))
    families = {"as is": Identity(), "T": Temperature()}
    found = cross_validate(x, families, score=score, folds=4, seed=3)
    measure = nll if score == "nll" else brier
    parts = held_out(canonical(x) if isinstance(x, Predictions) else x, 4, 3)
    for row, family in zip(found.rows, families.values(), strict=True):
        held_rows = [x[held] for _, held in parts]
        maps = [family.fit(x[fitted]) for fitted, _ in parts]
        pairs = zip(maps, held_rows, strict=True)
        scores = [measure(_mended(fitted, rows)) for fitted, rows in pairs]
        totals = [rows.total for rows in held_rows]
        assert row.score == pytest.approx(np.average(scores, weights=totals), rel=1e-9)
    best = min(found.rows, key=lambda row: row.score)
    for row in found.rows:
        assert row.behind == pytest.approx(row.score - best.score)
    assert found.name == next(row.name for row in found.rows if row.behind <= row.behind_error)
    assert found.chosen == families[found.name]


def test_errors_are_those_of_paired_differences() -> None:
    x = _forecasts(3)
    found = cross_validate(x, {"as is": Identity(), "T": Temperature()})
    losses = np.empty((2, x.n))
    for fitted, held in held_out(x, 5, 0):
        for at, family in enumerate((Identity(), Temperature())):
            q = family.fit(x[fitted])(x[held])
            losses[at, held] = -np.log(np.where(x.y[held], q, 1 - q))
    gap = losses[0] - losses[1]
    assert found.rows[0].error == pytest.approx(losses[0].std(ddof=1) / np.sqrt(x.n))
    assert found.rows[0].behind_error == pytest.approx(gap.std(ddof=1) / np.sqrt(x.n))
    assert found.rows[1].behind == found.rows[1].behind_error == 0


def test_calibrated_claims_are_left_as_they_are() -> None:
    random = np.random.default_rng(0)
    z = random.normal(0, 2, (1000, 3))
    calibrated = from_logits(z, (z + random.gumbel(size=z.shape)).argmax(1))
    assert select(calibrated).family == Identity()
    # One chance gets Smooth, which by evidence does next to nothing.
    fitted = select(top_label(calibrated))
    assert fitted.family == Smooth()
    claims = top_label(calibrated)
    assert np.abs(fitted(claims) - claims.p).mean() < 0.02


def test_claims_of_exactly_0_are_never_left_as_they_are() -> None:
    random = np.random.default_rng(0)
    likely = random.dirichlet(np.ones(3), 300)
    labels = (likely.cumsum(axis=1) < random.random((300, 1))).sum(axis=1)
    assert select(from_probs(likely, labels)).family == Identity()
    # One 0 is right in all 300 rows, and may be wrong in the next.
    likely[0] = np.eye(3)[labels[0]]
    mended = select(from_probs(likely, labels))
    assert mended.family == Temperature()
    assert mended.apply(from_probs(likely, labels)).probs.min() > 0


def test_sharp_claims_get_a_temperature() -> None:
    pred, others = _sharp(0, 1000), _sharp(1, 20_000)
    one = select(pred, [Identity(), Temperature(), VectorScaling()])
    assert one.family == Temperature()
    assert one.rule.inverse == Temperature().fit(pred).rule.inverse
    # What weighs families loses next to nothing by not knowing which it is.
    assert nll(select(pred).apply(others)) < nll(one.apply(others)) + 0.002
    assert select(_forecasts(0), [Identity(), Temperature()]).family == Temperature()


def test_one_chance_is_mended_by_smooth() -> None:
    assert select(_forecasts(0)).family == Smooth()
    assert [row.name for row in cross_validate(_forecasts(0)).rows] == [repr(Smooth())]


def test_factors_and_mixing_of_classes_are_found() -> None:
    random = np.random.default_rng(0)
    z = random.normal(0, 1.5, (700, 4))
    scaled = z * [0.5, 1.0, 1.5, 2.0] + [0.5, 0.0, 0.0, -0.5]
    labels = (z + random.gumbel(size=z.shape)).argmax(1)
    fit_on, test = from_logits(scaled[:400], labels[:400]), from_logits(scaled[400:], labels[400:])
    pair = (Temperature(), VectorScaling())
    best = min(nll(family.fit(fit_on).apply(test)) for family in pair)
    assert nll(select(fit_on).apply(test)) < best + 0.01


def test_what_no_simple_family_mends_gets_a_rich_one() -> None:
    random = np.random.default_rng(0)
    z = random.normal(0, 3, 3000)
    bent = binary(expit(z), random.random(3000) < 0.5 + 0.4 * np.sin(2 * z))
    assert select(bent, [Identity(), Temperature(), Isotonic()]).family == Isotonic()


@pytest.mark.parametrize("make", [_sharp, _forecasts])
def test_row_order_is_irrelevant_and_a_row_without_weight_is_none(make: Make) -> None:
    x = make(5)
    order = np.random.default_rng(0).permutation(x.n)
    families = [Identity(), Temperature()]
    one = cross_validate(x, families)
    other = cross_validate(x[order], families)
    assert cross_validate(x, families) == one
    for row, same in zip(one.rows, other.rows, strict=True):
        assert row.score == pytest.approx(same.score, abs=1e-9)
        assert row.behind_error == pytest.approx(same.behind_error, abs=1e-9)
    w = np.ones(x.n)
    w[::3] = 0
    silent = cross_validate(make(5, weights=w), families)
    ones = cross_validate(make(5, weights=np.ones(x.n))[w > 0], families)
    assert [row.score for row in silent.rows] == pytest.approx([row.score for row in ones.rows])


def test_weights_are_counts_to_the_errors() -> None:
    # Folds know rows and not weights, but the identity is the same in each.
    w = np.random.default_rng(0).integers(1, 4, 300)
    plain, weighted = _forecasts(6, 300), _forecasts(6, 300, weights=w)
    row = cross_validate(weighted, [Identity()]).rows[0]
    same = cross_validate(plain[np.repeat(np.arange(300), w)], [Identity()]).rows[0]
    assert (row.score, row.error) == pytest.approx((same.score, same.error))


def test_a_family_that_fails_is_left_out_with_its_reason() -> None:
    found = cross_validate(_sharp(0), [Ranked(Isotonic(), ranks=7), Temperature()])
    assert found.chosen == Temperature()
    ((name, why),) = found.failures
    assert name == repr(Ranked(Isotonic(), ranks=7))
    assert why.startswith("ranks must be at most 3")
    with pytest.raises(ValueError, match=r"no family could be fitted: .*ranks must be at most 3"):
        select(_sharp(0), [Ranked(Isotonic(), ranks=7)])


@pytest.mark.parametrize(
    "x",
    [
        from_logits([[1e4, -1e4, 0.0]] * 6, [0, 1, 0, 0, 0, 2]),
        from_probs([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] * 3, [0, 2] * 3),
        from_logits([[2.0, 0.0], [0.0, 1.0], [3.0, 0.0]], [0, 0, 0]),
        from_logits(np.eye(10, 1000), np.arange(10)),
        binary([0.0, 1.0, 0.5, 1.0], [0, 1, 1, 0]),
    ],
    ids=["extreme", "exact 0 and 1", "one class", "k = 1000", "one chance"],
)
def test_extremes(x: Predictions | View) -> None:
    families: list[Family] = [Identity(), Temperature(), EnsembleTemperature(), Quadratic()]
    is_wide = isinstance(x, Predictions) and x.k == 1000
    mended = select(x, families[:3] if is_wide else families, folds=2).apply(x)
    q = mended.p if isinstance(mended, View) else mended.probs
    assert np.isfinite(q).all()


def test_what_means_nothing_is_refused() -> None:
    x = _sharp(0)
    with pytest.raises(ValueError, match="2 rows"):
        select(x[:1])
    with pytest.raises(ValueError, match="score must be 'nll' or 'brier'"):
        select(x, score="ece")  # type: ignore[arg-type]
    none: list[Any] = [[], {}, 7]
    for nothing in none:
        with pytest.raises(ValueError, match="at least one family"):
            compare(x, x, nothing)
    with pytest.raises(ValueError, match=r"a family, or its name .* write Temperature\(\)"):
        select(x, [Temperature])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="got Predictions and View"):
        compare(x, top_label(x), [Temperature()])
    with pytest.raises(ValueError, match="got ndarray"):
        select(x.probs)  # type: ignore[arg-type]


def test_progress_shows_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    select(_sharp(0), [Temperature()])
    assert capsys.readouterr() == ("", "")

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert select(_sharp(0), [Temperature()]).family == Temperature()
    assert "cross-validating" in screen.getvalue()


def test_families_may_be_named_and_select_is_one() -> None:
    x = _sharp(0)
    named = compare(x, x, ["isotonic", "temperature"])
    assert [row.name for row in named.rows] == ["as they are", "isotonic", "temperature"]
    given = compare(x, x, [Isotonic(), Temperature()])
    assert [row.nll for row in named.rows] == [row.nll for row in given.rows]
    chosen = select(x)
    assert type(family_of("select").fit(x).family) is type(chosen.family)
    by_name = compare(x, x, "select, isotonic")
    assert by_name.rows[1].nll == nll(chosen.apply(x))
    within = OneVsRest("select").fit(x)  # type: ignore[arg-type]
    assert name_of(within.family) == "one-vs-rest(select)"
    with pytest.raises(ValueError, match="select has no settings here"):
        family_of("select(folds=3)")
