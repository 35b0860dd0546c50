"""Exported maps: onnxruntime gives what the map gives, for every family, in float64 and in float32."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
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

import calibrant as c
from calibrant import Family, Map, Predictions, binary, from_logits
from calibrant.deploy.onnx import DType, model
from calibrant.fitting.types import Array
from calibrant.inputs.predictions import Kind

TOLERANCE: dict[DType, float] = {"float64": DOUBLE, "float32": SINGLE}


def _session(exported: onnx.ModelProto) -> Callable[[Array], Array]:
    """A model as a function of one array, of the model's own type."""
    session = onnxruntime.InferenceSession(exported.SerializeToString())
    (given,) = session.get_inputs()

    def run(x: Array) -> Array:
        return session.run(None, {given.name: x})[0]

    return run


def _assert_same_chances(fitted: Map, *given: Array) -> None:
    """From the same claims the model makes what the map makes, in both types."""
    for dtype, tolerance in TOLERANCE.items():
        exported = model(fitted, dtype=dtype)
        onnx.checker.check_model(exported, full_check=True)
        run = _session(exported)
        for x in given:
            p = x.astype(dtype)
            q = run(p)
            assert q.dtype == dtype
            expected = np.clip(fitted(p.astype(np.float64)), 0, 1)
            np.testing.assert_allclose(q, expected, rtol=0, atol=tolerance)


def _assert_same_vectors(fitted: Map, *given: Predictions) -> None:
    """From the same vectors, of float32 numbers, the model makes what the map makes, in both types."""
    for dtype, tolerance in TOLERANCE.items():
        exported = model(fitted, dtype=dtype)
        onnx.checker.check_model(exported, full_check=True)
        run = _session(exported)
        for pred in given:
            q = run(pred.values.astype(dtype))
            assert q.dtype == dtype
            np.testing.assert_allclose(q, fitted(pred), rtol=0, atol=tolerance)
            np.testing.assert_allclose(q, fitted.apply(pred).probs, rtol=0, atol=SINGLE)


@pytest.mark.parametrize("family", CHANCE_FAMILIES, ids=repr)
def test_maps_of_one_chance(family: Family) -> None:
    p = awkward_claims()
    _assert_same_chances(chance_map(family), p, p[5:6])


@pytest.mark.parametrize("family", CHANCE_FAMILIES, ids=repr)
def test_maps_fitted_on_extremes(family: Family) -> None:
    p = np.array([0, 1e-30, 0.3, 0.5, 1 - 1e-9, 1 - 2**-24, 1])
    for fitted in maps_of_extremes(family):
        _assert_same_chances(fitted, p)


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", WHOLE_VECTORS, ids=repr)
def test_maps_of_whole_vectors(family: Family, kind: Kind) -> None:
    _assert_same_vectors(vector_map(family, kind), *awkward_vectors(kind))


@pytest.mark.parametrize("family", ROUNDED, ids=repr)
def test_zeros_of_vectors_are_read_as_the_map_reads_them(family: Family) -> None:
    _assert_same_vectors(family.fit(votes(0)), votes(0), votes(1))


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
    fitted = ranks_of(chances, 5, keep_order=keep_order)
    level = from_logits(np.ones((1, 5)), [0])
    _assert_same_vectors(fitted, vectors("logits"), level)


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
    q = _session(model(fitted))(single.values)
    np.testing.assert_allclose(q, fitted.apply(single).probs, rtol=0, atol=SINGLE)


def test_a_class_that_may_not_overtake_another_does_not_in_float32() -> None:
    pred = vectors("logits", n=400, scale=0.3)
    # Half of what it claims, the top label would fall behind the others.
    worst = from_logits(pred.values, pred.values.argmin(1))
    fitted = c.Ranked(c.Isotonic(), ranks=2).fit(worst)
    q = _session(model(fitted))(pred.values.astype(np.float32))
    np.testing.assert_array_equal(q.argmax(1), pred.values.argmax(1))


def test_a_family_that_nobody_declared_is_exported() -> None:
    _assert_same_chances(HalfTemper().fit(binary(*some_claims(300))), awkward_claims())
    for family in UNDECLARED_VECTORS:
        for kind in ("logits", "probs"):
            fitted = family.fit(vectors(kind))
            _assert_same_vectors(fitted, *awkward_vectors(kind))


def test_chances_far_below_1e_16_keep_their_digits() -> None:
    fitted = c.Platt().fit(binary(*some_claims(300)))
    p = np.array([1e-38, 1e-30, 1e-20])
    q = _session(model(fitted, dtype="float64"))(p)
    np.testing.assert_allclose(q, fitted(p), rtol=1e-12)


def test_more_classes_make_no_more_nodes() -> None:
    few = model(c.OneVsRest(c.Binned(5)).fit(vectors("logits", k=3)))
    many = model(c.OneVsRest(c.Binned(5)).fit(vectors("logits", k=60)))
    assert len(few.graph.node) == len(many.graph.node)


def test_a_map_of_a_part_is_exported_and_says_of_what(tmp_path: Path) -> None:
    view = c.top_label(vectors("probs"))
    fitted = c.Isotonic().fit(view)
    fitted.to_onnx(tmp_path / "map.onnx")
    exported = onnx.load(tmp_path / "map.onnx")
    words = {word.key: word.value for word in exported.metadata_props}
    assert words["event"] == "the top label is right"
    q = _session(exported)(view.p.astype(np.float32))
    np.testing.assert_allclose(q, fitted(view), rtol=0, atol=SINGLE)


def test_the_model_says_what_it_is_and_any_runtime_since_1_18_reads_it(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    logits = random.normal(0, 2, (60, 3))
    labels = random.integers(0, 3, 60)
    pred = from_logits(logits, labels, classes=["a", "b", "c"])
    c.OneVsRest(c.Isotonic()).fit(pred).to_onnx(str(tmp_path / "map.onnx"))
    assert [path.name for path in tmp_path.iterdir()] == ["map.onnx"]
    session = onnxruntime.InferenceSession(str(tmp_path / "map.onnx"))
    told = session.get_modelmeta()
    assert told.producer_name == "calibrant"
    words = told.custom_metadata_map
    assert words["family"] == "OneVsRest(family=Isotonic(interpolate=True, centred=False))"
    assert json.loads(words["classes"]) == ["a", "b", "c"]
    (given,) = session.get_inputs()
    (q,) = session.get_outputs()
    assert (given.name, given.type, given.shape) == ("logits", "tensor(float)", ["n", 3])
    assert (q.name, q.type, q.shape) == ("q", "tensor(float)", ["n", 3])
    exported = onnx.load(tmp_path / "map.onnx")
    assert exported.producer_version == c.__version__
    # onnxruntime 1.18 was built with onnx 1.16: opset 21, IR version 10.
    assert exported.opset_import[0].version <= 21
    assert exported.ir_version <= 10


def test_float64_goes_in_and_comes_out_where_it_is_asked_for(tmp_path: Path) -> None:
    fitted = c.Platt().fit(binary(*some_claims(20)))
    fitted.to_onnx(tmp_path / "map.onnx", dtype="float64")
    session = onnxruntime.InferenceSession(str(tmp_path / "map.onnx"))
    assert session.get_inputs()[0].type == "tensor(double)"
    assert session.get_outputs()[0].type == "tensor(double)"
    with pytest.raises(ValueError, match="dtype must be 'float32' or 'float64', got 'float16'"):
        fitted.to_onnx(tmp_path / "half.onnx", dtype="float16")  # type: ignore[arg-type]
    assert not (tmp_path / "half.onnx").exists()


def test_a_loaded_map_makes_the_same_model(tmp_path: Path) -> None:
    fitted = c.Ranked(c.Smooth(), ranks=2).fit(vectors("logits"))
    fitted.save(tmp_path / "map")
    assert model(c.load(tmp_path / "map")) == model(fitted)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no folder .*nowhere; make it first"):
        c.Platt().fit(binary(*some_claims(20))).to_onnx(tmp_path / "nowhere" / "map.onnx")


def test_an_absent_onnx_says_how_to_get_it() -> None:
    program = "import sys; sys.modules['onnx'] = None; import calibrant.deploy.onnx"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert 'pip install "calibrant[onnx]"' in found.stderr.splitlines()[-1]
