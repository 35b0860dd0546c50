"""Maps as modules: torch gives what the map gives, for every family, in float64 and in float32."""

from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is an extra")

import torch
from shared_data import needs_real
from shared_exports import (
    DOUBLE,
    OF_REAL_VECTORS,
    ROUNDED,
    SINGLE,
    UNDECLARED_VECTORS,
    WHOLE_VECTORS,
    HalfTemper,
    awkward_claims,
    awkward_vectors,
    chance_map,
    maps_of_extremes,
    nearly_one,
    ranks_of,
    real_chance_map,
    real_vector_map,
    real_vectors,
    real_view,
    sends_to_nothing,
    some_claims,
    vector_map,
    vectors,
    votes,
)
from shared_families import CHANCE_FAMILIES
from torch import Tensor

import calibrant as c
from calibrant import Family, Map, Predictions, binary, from_logits
from calibrant.fitting.types import Array
from calibrant.inputs.predictions import Kind
from calibrant.torch.modules import to_module

ONE_CHANCE = [*CHANCE_FAMILIES, c.Kernel(1e-4)]
TOLERANCE = {torch.float64: DOUBLE, torch.float32: SINGLE}


def _assert_close(found: Tensor, expected: Array, tolerance: float) -> None:
    np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=tolerance)


def _assert_same_chances(fitted: Map, *given: Array) -> None:
    """From the same claims the module makes what the map makes, in both types."""
    module = to_module(fitted, input="probs")
    for dtype, tolerance in TOLERANCE.items():
        for x in given:
            p = torch.from_numpy(x).to(dtype)
            q = module(p)
            assert q.dtype == dtype
            expected = np.clip(fitted(p.double().numpy()), 0, 1)
            _assert_close(q, expected, tolerance)


def _assert_same_vectors(fitted: Map, *given: Predictions, kind: Kind | None = None) -> None:
    """From the same vectors, of float32 numbers, the module makes what the map makes, in both types."""
    module = to_module(fitted, input=kind)
    for dtype, tolerance in TOLERANCE.items():
        for pred in given:
            values = torch.from_numpy(pred.values).to(dtype)
            q = module(values)
            assert q.dtype == dtype
            applied = fitted.apply(pred).probs
            expected = fitted(pred) if kind is None else applied
            _assert_close(q, expected, tolerance)
            _assert_close(q, applied, SINGLE)


@pytest.mark.parametrize("family", ONE_CHANCE, ids=repr)
def test_maps_of_one_chance(family: Family) -> None:
    p = awkward_claims()
    _assert_same_chances(chance_map(family), p, p[5:6])


@pytest.mark.parametrize("family", ONE_CHANCE, ids=repr)
def test_maps_fitted_on_extremes(family: Family) -> None:
    p = np.array([0, 1e-30, 0.3, 0.5, 1 - 1e-9, 1 - 2**-24, 1])
    for fitted in maps_of_extremes(family):
        _assert_same_chances(fitted, p)


@pytest.mark.parametrize("family", ROUNDED, ids=repr)
def test_zeros_of_vectors_are_read_as_the_map_reads_them(family: Family) -> None:
    _assert_same_vectors(family.fit(votes(0)), votes(0), votes(1))


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", WHOLE_VECTORS, ids=repr)
def test_maps_of_whole_vectors(family: Family, kind: Kind) -> None:
    _assert_same_vectors(vector_map(family, kind), *awkward_vectors(kind))


@needs_real
@pytest.mark.parametrize("family", CHANCE_FAMILIES, ids=repr)
def test_maps_of_real_claims(family: Family) -> None:
    fitted_on, others = real_view()
    _assert_same_chances(real_chance_map(family), fitted_on.p, others.p)


@needs_real
@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", OF_REAL_VECTORS, ids=repr)
def test_maps_of_real_vectors(family: Family, kind: Kind) -> None:
    _assert_same_vectors(real_vector_map(family, kind), *real_vectors(kind))


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("column", [0, 1])
@pytest.mark.parametrize("family", [c.Platt(), c.Isotonic(interpolate=False), c.Smooth()], ids=repr)
def test_maps_of_one_class_of_two_take_both_columns_or_one(
    family: Family, column: int, kind: Kind
) -> None:
    pred = vectors(kind, k=2)
    far = vectors(kind, k=2, scale=50, seed=1)
    view = c.one_class(pred, column)
    fitted = family.fit(view)
    _assert_same_vectors(fitted, pred, far, kind=kind)
    module = to_module(fitted, input=kind)
    if kind == "probs":
        _assert_close(module(torch.from_numpy(view.p)), fitted(view.p), DOUBLE)
    else:
        _assert_close(module(torch.from_numpy(view.log_odds)), fitted(view), DOUBLE)


@pytest.mark.parametrize("wrap", [c.OneVsRest, c.Ranked])
@pytest.mark.parametrize("family", [c.Platt(), c.Binned(5)], ids=repr)
def test_rows_that_sum_to_one_only_nearly(wrap: Callable[[Family], Family], family: Family) -> None:
    _assert_same_vectors(wrap(family).fit(nearly_one()), nearly_one())


def test_a_row_that_every_rule_sends_to_0_stays_as_it_was_claimed() -> None:
    fitted, level = sends_to_nothing()
    np.testing.assert_array_equal(fitted(level)[0], level.probs[0])
    _assert_same_vectors(fitted, level)


@pytest.mark.parametrize("keep_order", [True, False])
@pytest.mark.parametrize(
    "chances", [(0.5, 0.6, 0.1), (0.1, 0.9, 0.3), (0.05, 0.05, 0.05), (0.0, 0.0, 0.0)]
)
def test_ranks_whose_chances_do_not_fit_together(
    chances: tuple[float, ...], keep_order: bool
) -> None:
    fitted = ranks_of(chances, 9, keep_order=keep_order)
    near = vectors("logits", k=9)
    far = vectors("logits", k=9, scale=1e3)
    level = from_logits(np.ones((1, 9)), [0])
    _assert_same_vectors(fitted, near, far, level)


@pytest.mark.parametrize(
    "family",
    [c.HistogramBinning(6), c.Isotonic(interpolate=False), c.BBQ(), c.ScalingBinning()],
    ids=repr,
)
def test_rows_on_the_edge_of_a_step_stay_on_their_side_when_fitted_in_float32(
    family: Family,
) -> None:
    given = vectors("logits")
    single = from_logits(given.values.astype(np.float32), given.labels)
    fitted = c.OneVsRest(family).fit(single)
    q = to_module(fitted)(torch.from_numpy(single.values))
    _assert_close(q, fitted.apply(single).probs, SINGLE)


def test_a_class_that_may_not_overtake_another_does_not_in_float32() -> None:
    pred = vectors("logits", n=400, scale=0.3)
    # Half of what it claims, the top label would fall behind the others.
    worst = from_logits(pred.values, pred.values.argmin(1))
    fitted = c.Ranked(c.Isotonic(), ranks=2).fit(worst)
    q = to_module(fitted)(torch.from_numpy(pred.values).float())
    np.testing.assert_array_equal(q.argmax(1), pred.values.argmax(1))


def test_a_family_that_nobody_declared_becomes_a_module() -> None:
    _assert_same_chances(HalfTemper().fit(binary(*some_claims(300))), awkward_claims())
    for family in UNDECLARED_VECTORS:
        for kind in ("logits", "probs"):
            fitted = family.fit(vectors(kind))
            _assert_same_vectors(fitted, *awkward_vectors(kind))


def test_what_goes_in_must_be_of_the_kind_and_shape_that_the_map_was_fitted_on() -> None:
    whole = c.Temperature().fit(vectors("logits"))
    one = c.Platt().fit(c.top_label(vectors("logits")))
    with pytest.raises(
        ValueError, match=r"Temperature\(\) cannot .* was fitted on logits and input is probs"
    ):
        to_module(whole, input="probs")
    with pytest.raises(ValueError, match="input must be 'logits' or 'probs'"):
        to_module(one, input="scores")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"logits must have shape \(n, 5\), got \(2, 4\)"):
        to_module(whole)(torch.zeros(2, 4))
    with pytest.raises(ValueError, match=r"probs must have shape \(n,\), got \(2, 2\)"):
        to_module(one)(torch.zeros(2, 2))
    with pytest.raises(ValueError, match="made of a fitted map, got Platt"):
        to_module(c.Platt())  # type: ignore[arg-type]
    assert "Temperature(), logits of 5 classes" in repr(to_module(whole))
    assert "Platt(smoothed=True), probs" in repr(to_module(one))
