"""Every default is in one table, and is seen in the signatures that use it."""

from collections.abc import Callable
from inspect import signature

import numpy as np
import pytest

from calibrant import (
    Family,
    Identity,
    Predictions,
    Smooth,
    Temperature,
    View,
    binary,
    calibration_error,
    curves,
    decompose,
    from_logits,
)
from calibrant.families.defaults import (
    BINNED_CURVE_FAMILY,
    CUMULATIVE_FAMILY,
    CURVE_FAMILY,
    DECOMPOSITION_FAMILY,
    ERROR_FAMILY,
    compared_families,
    fitted_family,
    selection_candidates,
)
from calibrant.inputs.views import Data


def _vectors(k: int) -> Predictions:
    random = np.random.default_rng(0)
    z = random.normal(0, 3, (60, k))
    return from_logits(z, (z / 2 + random.gumbel(size=z.shape)).argmax(1))


def _chances() -> View:
    random = np.random.default_rng(0)
    p = random.random(60)
    return binary(p, random.random(60) < p)


@pytest.mark.parametrize(
    ("function", "family"),
    [
        (calibration_error, ERROR_FAMILY),
        (decompose, DECOMPOSITION_FAMILY),
        (curves.reliability, CURVE_FAMILY),
        (curves.tilted_roof, BINNED_CURVE_FAMILY),
        (curves.classwise, BINNED_CURVE_FAMILY),
        (curves.before_after, BINNED_CURVE_FAMILY),
        (curves.cumulative, CUMULATIVE_FAMILY),
    ],
)
def test_signatures_show_their_default(function: Callable[..., object], family: Family) -> None:
    default = signature(function).parameters["family"].default
    assert default is family
    assert repr(family) in str(signature(function))


@pytest.mark.parametrize("x", [_chances(), _vectors(2), _vectors(4)], ids=["view", "two", "four"])
def test_candidates_begin_with_the_simplest_and_all_of_them_fit(x: Data) -> None:
    assert selection_candidates(x)[0] == (Smooth() if isinstance(x, View) else Identity())
    assert compared_families(x)[0] == Temperature()
    every = {fitted_family(x), *selection_candidates(x), *compared_families(x)}
    for family in every:
        assert family.fit(x).total == x.total
