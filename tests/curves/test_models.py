"""Several models or families side by side."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from shared_claims import claims
from shared_pictures import lay_out
from shared_views import predictions

from calibrant import (
    Binned,
    Isotonic,
    accuracy,
    calibration_error,
    canonical,
    classwise,
    classwise_ece,
    curves,
    ece,
    from_logits,
    from_probs,
    kde_error,
    ks_error,
    one_class,
    plots,
    sweep_ece,
    top_label,
    vector_error,
)


def test_before_and_after_and_maps_are_reliability_by_name() -> None:
    views = {"one": claims(200), "two": claims(200, lift=1)}
    found = curves.before_after(views)
    expected = {name: ece(view) for name, view in views.items()}
    assert _errors(found) == pytest.approx(expected, abs=1e-12)
    found = curves.maps(views["two"], [Isotonic(), Binned(4)])
    expected = {
        "Isotonic()": calibration_error(views["two"], Isotonic()),
        "Binned(n_bins=4)": ece(views["two"], 4),
    }
    assert _errors(found) == pytest.approx(expected, abs=1e-12)


def _errors(found: dict[str, curves.Curve]) -> dict[str, float]:
    return {name: curve.error for name, curve in found.items()}


def test_no_model_that_is_beaten_is_best() -> None:
    pred = predictions(400)
    flat = from_probs(np.full((400, 4), 0.25), pred.labels)
    softer = from_logits(pred.scores / 2, pred.labels)
    models = {"as it is": pred, "softer": softer, "flat": flat}
    found = curves.pareto(models, n_boot=100)
    for model, x in zip(found.models, models.values(), strict=True):
        assert model.accuracy.estimate == accuracy(x)
        assert model.error.estimate == ks_error(x)
    as_it_is, soft, even = found.models
    assert (as_it_is.best, soft.best) == (False, True)
    assert even.best == (even.error.estimate < soft.error.estimate)
    assert soft.accuracy.low < soft.accuracy.estimate < soft.accuracy.high


def test_errors_of_classes_and_of_whole_vectors_stand_beside_accuracy() -> None:
    pred = predictions(300)
    models = {"as it is": pred, "softer": from_logits(pred.scores / 2, pred.labels)}
    by_class = curves.pareto(models, ece, ask=classwise, n_boot=100)
    vectors = curves.pareto(models, partial(kde_error, bandwidth=0.1), ask=canonical, n_boot=100)
    bound = curves.pareto(models, vector_error, ask=canonical)
    named = curves.pareto(models, classwise_ece, n_boot=100)
    for place, x in enumerate(models.values()):
        found = [each.models[place] for each in (by_class, vectors, bound, named)]
        assert {model.accuracy.estimate for model in found} == {accuracy(x)}
        errors = [model.error for model in found]
        assert errors[0].estimate == errors[3].estimate == classwise_ece(x)
        assert errors[0].low < errors[0].high
        assert errors[1].estimate == kde_error(canonical(x), bandwidth=0.1)
        assert np.isnan([errors[1].low, errors[3].high]).all()
        bounded = errors[2]
        assert bounded.estimate == vector_error(x)
        assert bounded.low <= max(bounded.estimate, 0.0) < bounded.high
    lay_out(plots.pareto(vectors))


def test_a_view_that_is_one_question_of_several_has_no_accuracy() -> None:
    pred = predictions(100)
    for view in (one_class(pred, 1), top_label(pred)):
        with pytest.raises(ValueError, match=r"models\['cat'\] is a view: give the predictions"):
            curves.pareto({"cat": view})
    assert curves.pareto({"two": claims(100)}, n_boot=100).models[0].best


def test_evaluators_order_models_by_what_they_find() -> None:
    models = {"bad": claims(300, lift=2), "right": claims(300), "fair": claims(300, lift=0.7)}
    evaluators = {"ECE": ece, "sweep": sweep_ece, "backwards": lambda x: -ece(x)}
    found = curves.ordering(models, evaluators)
    assert found.order == [[1, 2, 0], [1, 2, 0], [0, 2, 1]]
    assert found.values[0].tolist() == [ece(view) for view in models.values()]


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: curves.before_after([claims(9)]), "by name"),  # type: ignore[arg-type]
        (lambda: curves.maps(claims(9), []), "at least one"),
        (lambda: curves.ordering({}), "by name"),
    ],
)
def test_what_is_wrong_is_said(act: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        act()
