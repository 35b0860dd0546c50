"""What `interval` and `compare_models` say of whole vectors, and what both refuse alike."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from calibrant import (
    Predictions,
    Temperature,
    accuracy,
    brier,
    canonical,
    classwise,
    classwise_ece,
    compare_models,
    ece,
    from_logits,
    interval,
    kde_error,
    mmce,
    nll,
    one_class,
    simplex_error,
    skce,
    smece,
    variational_error,
    vector_error,
)
from calibrant.inference.whole_vectors import is_vector_error, vector_terms


def _pred(seed: int = 0, n: int = 600, sharpness: float = 2.0) -> Predictions:
    random = np.random.default_rng(seed)
    z = random.normal(0, 1.5, (n, 3))
    return from_logits(sharpness * z, (z + random.gumbel(size=z.shape)).argmax(1))


def _mended(pred: Predictions) -> Predictions:
    return Temperature().fit(_pred(1)).apply(pred)


def test_the_interval_of_the_vector_error_is_that_of_its_bound() -> None:
    pred = _pred()
    found = interval(vector_error, pred)
    bound = variational_error(pred)
    assert (found.estimate, found.low) == (bound.error, bound.low)
    assert found.high - found.estimate == pytest.approx(found.estimate - found.low)
    assert interval(vector_error, canonical(pred)) == found
    wide = interval(vector_error, pred, level=0.99)
    assert 0 < wide.low < found.low < found.high < wide.high
    squared = interval(partial(vector_error, norm=2, family="temperature"), pred)
    other = variational_error(pred, norm=2, family="temperature")
    assert (squared.estimate, squared.low) == (other.error, other.low)


def test_it_needs_no_bootstrap() -> None:
    assert vector_terms(vector_error) is not None
    assert vector_terms(partial(vector_error, norm=2)) is not None
    assert vector_terms(partial(vector_error, _pred())) is None
    assert vector_terms(ece) is None


REFUSED: dict[str, Callable[[Predictions], float]] = {
    "canonical": lambda x: kde_error(canonical(x)),
    "rule": lambda x: kde_error(canonical(x), bandwidth="rule"),
    "pairs": lambda x: kde_error(canonical(x), norm=2, debias=True),
    "skce": lambda x: skce(canonical(x)),
    "simplex": simplex_error,
    "classwise": classwise_ece,
    "mean over classes": lambda x: smece(classwise(x)),
    "one class": lambda x: ece(one_class(x, 2)),
}


@pytest.mark.parametrize("measure", REFUSED.values(), ids=REFUSED)
def test_both_refuse_other_errors_of_whole_vectors(
    measure: Callable[[Predictions], float],
) -> None:
    pred = _pred(n=150)
    with pytest.raises(ValueError, match=r"interval can take vector_error, .* classwise\(pred\)"):
        interval(measure, pred)
    models = {"raw": pred, "mended": _mended(pred)}
    with pytest.raises(ValueError, match=r"compare_models can take vector_error, .*classwise"):
        compare_models(models, measure)


@pytest.mark.parametrize("measure", [kde_error, skce])
def test_a_canonical_view_is_refused_likewise(measure: Callable[[Any], float]) -> None:
    view = canonical(_pred(n=100))
    with pytest.raises(ValueError, match="can take vector_error"):
        interval(measure, view)
    with pytest.raises(ValueError, match="can take vector_error"):
        compare_models({"one": view, "other": canonical(_mended(view.pred))}, measure)


@pytest.mark.parametrize("measure", [nll, brier, accuracy])
def test_scores_are_no_errors(measure: Callable[[Any], float]) -> None:
    for pred in (_pred(), _mended(_pred())):
        assert not is_vector_error(measure, pred)


def test_scores_of_canonical_views_are_resampled() -> None:
    pred = _pred()
    of_view = interval(nll, canonical(pred), n_boot=400)
    of_pred = interval(nll, pred)
    assert of_view.estimate == of_pred.estimate
    half = (of_pred.high - of_pred.low) / 2
    assert of_view[1:] == pytest.approx(of_pred[1:], abs=half / 4)
    assert is_vector_error(mmce, pred)


def test_temperature_mends_the_vector_error() -> None:
    pred = _pred()
    models = {"raw": pred, "mended": _mended(pred)}
    for norm in (1, 2):
        measure = partial(vector_error, norm=norm, family="temperature")
        found = compare_models(models, measure, n_boot=200)
        raw, mended = found.rows
        assert found.paired
        assert [raw.value, mended.value] == [measure(x) for x in models.values()]
        assert mended.high < 0
        assert (raw.difference, raw.low, raw.high) == (0, 0, 0)
        as_views = {name: canonical(x) for name, x in models.items()}
        assert compare_models(as_views, measure, n_boot=200).rows == found.rows


def test_paired_ends_are_those_of_a_mean_of_differences() -> None:
    pred = _pred()
    models = {"raw": pred, "mended": _mended(pred)}
    measure = partial(vector_error, family="temperature")
    row = compare_models(models, measure, n_boot=2000).rows[1]
    terms_of = vector_terms(measure)
    assert terms_of is not None
    one, other = (terms_of(x).by_rows(600) for x in models.values())
    gap = other - one
    # Twice the variance, as signs follow noise that folds share.
    half = 1.96 * np.sqrt(2) * gap.std() / np.sqrt(600)
    assert row.difference == pytest.approx(gap.mean())
    assert [row.low, row.high] == pytest.approx(
        [gap.mean() - half, gap.mean() + half], abs=half / 5
    )
    apart = compare_models({"raw": pred, "part": _mended(pred)[100:]}, measure, n_boot=200)
    assert not apart.paired
    assert apart.rows[1].high - apart.rows[1].low > row.high - row.low


def test_models_that_err_alike_seldom_differ() -> None:
    false_alarms = 0
    measure = partial(vector_error, family="temperature")
    for seed in range(40):
        pred = _pred(seed, n=200, sharpness=1.0)
        noise = np.random.default_rng([seed, 1]).normal(0, 0.1, pred.values.shape)
        other = from_logits(pred.values + noise, pred.labels)
        found = compare_models({"one": pred, "other": other}, measure, n_boot=100)
        false_alarms += found.rows[1].differs
    assert false_alarms <= 5


def test_views_have_no_vector_error() -> None:
    view = one_class(_pred(n=50), 1)
    with pytest.raises(ValueError, match=r"use calibration_error\(view\)"):
        interval(vector_error, view)
    with pytest.raises(ValueError, match=r"use calibration_error\(view\)"):
        compare_models({"one": view, "other": view}, vector_error)
