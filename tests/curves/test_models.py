"""Several models or families side by side."""

from collections.abc import Callable

import numpy as np
import pytest
from shared_claims import claims
from shared_views import predictions

from calibrant import (
    Binned,
    Isotonic,
    accuracy,
    calibration_error,
    curves,
    ece,
    from_logits,
    from_probs,
    ks_error,
    sweep_ece,
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
