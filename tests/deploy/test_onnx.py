"""Exported maps: onnxruntime gives what the map gives, for every family in the laws' lists."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from calibrant.onnx import model
from shared_exports import nearly_one, ranks_of, sends_to_nothing, some_claims, vectors
from shared_families import CHANCE_FAMILIES, VECTOR_FAMILIES

import calibrant as c
from calibrant import Family, Map, Predictions, binary, from_logits
from calibrant.families.binary.family import ChanceFamily
from calibrant.families.rules import ChanceRule
from calibrant.fitting.types import Array
from calibrant.inputs.views import View

ONE_CHANCE = [*CHANCE_FAMILIES, c.Identity()]
WHOLE_VECTORS = dict.fromkeys(
    [
        *VECTOR_FAMILIES,
        *(c.OneVsRest(family) for family in CHANCE_FAMILIES),
        *(c.Ranked(family, ranks=2, keep_order=False) for family in CHANCE_FAMILIES),
        c.Ranked(c.Beta(), ranks=3),
        c.Ranked(c.HistogramBinning(3), ranks=3),
    ]
)


def _run(exported: onnx.ModelProto, *given: Array) -> list[Array]:
    """What onnxruntime makes of each array."""
    session = onnxruntime.InferenceSession(exported.SerializeToString())
    name = session.get_inputs()[0].name
    return [session.run(None, {name: x.astype(np.float32)})[0] for x in given]


def _same(fitted: Map, *given: Predictions) -> None:
    """From the same numbers the model makes what the map makes, in float64."""
    exported = model(fitted)
    onnx.checker.check_model(exported, full_check=True)
    for q, pred in zip(_run(exported, *(pred.values for pred in given)), given, strict=True):
        _close(q, fitted.apply(pred).probs)


def _close(found: Array, expected: Array) -> None:
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("family", ONE_CHANCE, ids=repr)
def test_maps_of_one_chance(family: Family) -> None:
    p, y = some_claims(300)
    fitted = family.fit(binary(p, y))
    exported = model(fitted)
    onnx.checker.check_model(exported, full_check=True)
    # Those it was fitted on, on which edges lie; new ones; a grid, on which edges of equal width lie; and the ends.
    ends = np.array([0, 1e-45, 1e-38, 1e-30, 1e-9, 1 - 2**-24, 1])
    new = np.concatenate([p, some_claims(1000, seed=1)[0], np.linspace(0, 1, 61), ends]).astype(
        np.float32
    )
    expected = np.clip(fitted(new.astype(float)), 0, 1)
    several, one = _run(exported, new, new[5:6])
    _close(several, expected)
    _close(one, expected[5:6])


@pytest.mark.parametrize("family", ONE_CHANCE, ids=repr)
def test_maps_fitted_on_extremes(family: Family) -> None:
    p = np.array([0, 1e-30, 0.3, 0.5, 1 - 2**-24, 1], np.float32)
    for claimed, happened in (([0.3], [1]), ([0, 1, 1, 1], [1, 0, 0, 0]), ([0.2, 0.9], [0, 1])):
        fitted = family.fit(binary(claimed, happened))
        _close(_run(model(fitted), p)[0], np.clip(fitted(p.astype(float)), 0, 1))


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", WHOLE_VECTORS, ids=repr)
def test_maps_of_wholevectors(family: Family, kind: str) -> None:
    fit_on = vectors(kind)
    # Far apart, probabilities are exact 0 and 1; few different numbers make ties for the largest.
    far, tied = vectors(kind, scale=1e3, seed=2), vectors(kind, scale=0.5, decimals=0, seed=3)
    _same(family.fit(fit_on), fit_on, vectors(kind, seed=1), vectors(kind, n=1, seed=1), far, tied)


@pytest.mark.parametrize("wrap", [c.OneVsRest, c.Ranked])
@pytest.mark.parametrize("family", [c.Platt(), c.Binned(5)], ids=repr)
def test_rows_that_sum_to_one_only_nearly(wrap: Callable[[Family], Family], family: Family) -> None:
    _same(wrap(family).fit(nearly_one()), nearly_one())


def test_a_row_that_every_rule_sends_to_0_stays_as_it_was_claimed() -> None:
    fitted, level = sends_to_nothing()
    np.testing.assert_array_equal(fitted(level)[0], level.probs[0])
    _same(fitted, level)


@pytest.mark.parametrize("keep_order", [True, False])
@pytest.mark.parametrize(
    "chances", [(0.5, 0.6, 0.1), (0.1, 0.9, 0.3), (0.05, 0.05, 0.05), (0.0, 0.0, 0.0)]
)
def test_ranks_whose_chances_do_not_fit_together(
    chances: tuple[float, ...], keep_order: bool
) -> None:
    fitted = ranks_of(chances, 5, keep_order=keep_order)
    _same(fitted, vectors("logits"), from_logits(np.ones((1, 5)), [0]))


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
    _close(_run(model(fitted), single.values)[0], fitted.apply(single).probs)


def test_a_class_that_may_not_overtake_another_does_not_in_float32() -> None:
    pred = vectors("logits", n=400, scale=0.3)
    # Half of what it claims, the top label would fall behind the others.
    fitted = c.Ranked(c.Isotonic(), ranks=2).fit(from_logits(pred.values, pred.values.argmin(1)))
    np.testing.assert_array_equal(
        _run(model(fitted), pred.values)[0].argmax(1), pred.values.argmax(1)
    )


def test_more_classes_make_no_more_nodes() -> None:
    few, many = (model(c.OneVsRest(c.Binned(5)).fit(vectors("logits", k=k))) for k in (3, 60))
    assert len(few.graph.node) == len(many.graph.node)


def test_a_map_of_a_part_is_exported_and_says_of_what(tmp_path: Path) -> None:
    view = c.top_label(vectors("probs"))
    fitted = c.Isotonic().fit(view)
    fitted.to_onnx(tmp_path / "map.onnx")
    exported = onnx.load(tmp_path / "map.onnx")
    assert {word.key: word.value for word in exported.metadata_props}[
        "event"
    ] == "the top label is right"
    _close(_run(exported, view.p)[0], fitted(view))


def test_the_model_says_what_it_is_and_any_runtime_since_1_18_reads_it(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    pred = from_logits(
        random.normal(0, 2, (60, 3)), random.integers(0, 3, 60), classes=["a", "b", "c"]
    )
    c.OneVsRest(c.Isotonic()).fit(pred).to_onnx(str(tmp_path / "map.onnx"))
    assert [path.name for path in tmp_path.iterdir()] == ["map.onnx"]
    session = onnxruntime.InferenceSession(str(tmp_path / "map.onnx"))
    told = session.get_modelmeta()
    assert told.producer_name == "calibrant"
    assert (
        told.custom_metadata_map["family"]
        == "OneVsRest(family=Isotonic(interpolate=True, centred=False))"
    )
    assert json.loads(told.custom_metadata_map["classes"]) == ["a", "b", "c"]
    ((given,), (q,)) = session.get_inputs(), session.get_outputs()
    assert (given.name, given.type, given.shape) == ("logits", "tensor(float)", ["n", 3])
    assert (q.name, q.type, q.shape) == ("q", "tensor(float)", ["n", 3])
    exported = onnx.load(tmp_path / "map.onnx")
    assert exported.producer_version == c.__version__
    # onnxruntime 1.18 was built with onnx 1.16: opset 21, IR version 10.
    assert exported.opset_import[0].version <= 21
    assert exported.ir_version <= 10


def test_a_loaded_map_makes_the_same_model(tmp_path: Path) -> None:
    fitted = c.Ranked(c.Smooth(), ranks=2).fit(vectors("logits"))
    fitted.save(tmp_path / "map")
    assert model(c.load(tmp_path / "map")) == model(fitted)


@dataclass(frozen=True, eq=False)
class Coin(ChanceRule):
    """One half, whatever is claimed."""

    def __call__(self, view: View) -> Array:
        return np.full(view.n, 0.5)


@dataclass(frozen=True)
class Tossed(ChanceFamily):
    """A family that nobody has written for ONNX."""

    def chance_rule(self, view: View) -> Coin:  # noqa: ARG002
        return Coin()


def test_a_rule_without_a_form_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    p, y = some_claims(20)
    for fitted in (Tossed().fit(binary(p, y)), Tossed().fit(vectors("logits"))):
        with pytest.raises(
            ValueError, match=r"Tossed\(\).* cannot be exported: Coin has no form.*; use map\.save"
        ):
            fitted.to_onnx(tmp_path / "map.onnx")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no folder .*nowhere; make it first"):
        c.Platt().fit(binary(*some_claims(20))).to_onnx(tmp_path / "nowhere" / "map.onnx")


def test_an_absent_onnx_says_how_to_get_it() -> None:
    program = "import sys; sys.modules['onnx'] = None; import calibrant.onnx"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert 'pip install "calibrant[onnx]"' in found.stderr.splitlines()[-1]
