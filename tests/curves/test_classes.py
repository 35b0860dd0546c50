"""Classes against the rest: the worst come first."""

from collections.abc import Callable

import numpy as np
import pytest
from shared_claims import claims
from shared_views import predictions

from calibrant import Binned, calibration_error, classwise, curves, ece, from_logits, one_class


def test_the_worst_classes_come_first_and_the_mean_is_over_all() -> None:
    pred = predictions()
    found = curves.classwise(pred, Binned(5), most=3)
    errors = [calibration_error(one_class(pred, k), Binned(5)) for k in range(4)]
    assert [curve.error for curve in found.curves] == pytest.approx(
        sorted(errors, reverse=True)[:3], abs=1e-12
    )
    assert found.names == tuple(str(k) for k in np.argsort(errors)[::-1][:3])
    assert found.k == 4
    assert found.error == pytest.approx(ece(classwise(pred), 5), abs=1e-12)


def test_a_thousand_classes_are_twelve_curves() -> None:
    random = np.random.default_rng(0)
    pred = from_logits(random.normal(0, 3, (200, 1000)), random.integers(0, 1000, 200))
    found = curves.classwise(pred)
    assert (len(found.curves), found.k) == (12, 1000)
    assert found.error == pytest.approx(ece(classwise(pred)), abs=1e-12)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: curves.classwise(claims(9)), "Predictions, got View"),  # type: ignore[arg-type]
        (lambda: curves.classwise(predictions(9), most=0), "most must be"),
    ],
)
def test_what_is_wrong_is_said(act: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        act()
