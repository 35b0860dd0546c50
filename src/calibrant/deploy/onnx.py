"""Maps as ONNX models, so that whatever serves the classifier calibrates it too.

In between all is in float64 and log space, as in the maps themselves. A claim from float32 logits within
1e-6, in log odds, of an edge between two steps may fall on either side.
"""

import json
from os import PathLike
from pathlib import Path
from typing import Literal

from .. import __version__
from ..families.maps import ChanceMap, Map, VectorMap
from ..families.operations import GivenClaims, Vectors, read_log_odds
from ..families.rounding import DOUBLE, SINGLE
from ..inputs.checks import check_argument
from ..inputs.paths import write_whole

try:
    from onnx import GraphProto, ModelProto, TensorProto, helper
except ImportError as error:
    raise ImportError(
        'map.to_onnx needs onnx 1.17 or later: pip install "calibrant[onnx]"'
    ) from error

from .onnx_operations import COLUMNS, Node, OnnxOperations, op

DType = Literal["float32", "float64"]
# Every onnxruntime since 1.14 reads these.
_OPSET, _IR = 18, 8
_TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}


def export(fitted: Map, path: str | PathLike[str], *, dtype: DType = "float32") -> None:
    """Write a map as an ONNX model, whole or not at all; `map.to_onnx(path)` calls this."""
    made = model(fitted, dtype=dtype)
    write_whole(Path(path), made.SerializeToString())


def model(fitted: Map, *, dtype: DType = "float32") -> ModelProto:
    """The map as a model from `p`, `probs` or `logits`, whichever it was fitted on, to `q`.

    >>> from calibrant import Platt, binary
    >>> made = model(Platt().fit(binary([0.2, 0.9], [0, 1])))
    >>> made.graph.input[0].name, made.graph.output[0].name, made.metadata_props[0].value
    ('p', 'q', 'Platt(smoothed=True)')
    """
    check_argument("dtype", dtype, DType)
    graph = GraphProto(name="calibrant")
    words = {"family": repr(fitted.family)}
    shape: list[str | int] = ["n"]
    if isinstance(fitted, VectorMap):
        name = str(fitted.kind)
        shape.append(len(fitted.classes))
        words["classes"] = json.dumps(fitted.classes, default=str)
        q = _vectors(fitted, Node(graph, name), dtype)
    elif isinstance(fitted, ChanceMap):
        name = "p"
        words["event"] = fitted.event
        q = _chances(fitted, Node(graph, name), dtype)
    graph.node.append(helper.make_node("Cast", [q.name], ["q"], to=_TYPES[dtype]))
    graph.input.append(helper.make_tensor_value_info(name, _TYPES[dtype], shape))
    graph.output.append(helper.make_tensor_value_info("q", _TYPES[dtype], shape))
    return _model_of(graph, words)


def _model_of(graph: GraphProto, words: dict[str, str]) -> ModelProto:
    made = helper.make_model(
        graph,
        producer_name="calibrant",
        producer_version=__version__,
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR,
    )
    helper.set_model_props(made, words)
    return made


def _vectors(fitted: VectorMap, given: Node, dtype: DType) -> Node:
    slack = 0.0
    if fitted.kind == "logits":
        slack = SINGLE if dtype == "float32" else DOUBLE
    ops = OnnxOperations(given.graph, slack, dtype)
    x = Vectors(_double(given), fitted.kind, len(fitted.classes), fitted.floor, ops)
    return fitted.rule.formula(x, ops)


def _chances(fitted: ChanceMap, given: Node, dtype: DType) -> Node:
    ops = OnnxOperations(given.graph, 0.0, dtype)
    p = op("Unsqueeze", _double(given), COLUMNS)

    def log_odds() -> Node:
        return read_log_odds(p, fitted.floor, ops)

    q = ops.columns([fitted.rule], GivenClaims(p, log_odds))
    return op("Squeeze", q, COLUMNS)


def _double(x: Node) -> Node:
    return op("Cast", x, to=TensorProto.DOUBLE)
