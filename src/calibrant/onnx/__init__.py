"""Maps as ONNX models, so that whatever serves the classifier calibrates it too. The only room that imports onnx.

Float32 goes in and comes out; in between all is in float64 and log space, as in the maps themselves. A claim from
logits within 1e-6, in log odds, of an edge between two steps may fall on either side.
"""

import json
from os import PathLike
from pathlib import Path

from .. import __version__
from ..deploy.store import write_whole
from ..families.family import ChanceMap, Map, VectorMap

try:
    from onnx import GraphProto, ModelProto, TensorProto, helper
except ImportError as error:
    raise ImportError(
        'map.to_onnx needs onnx 1.16 or later: pip install "calibrant[onnx]"'
    ) from error

from .chances import Claims, calibrated
from .graph import COLUMNS, Tensor, floored_log, op, to_float64
from .vectors import Vectors, calibrated_vectors

# Every onnxruntime since 1.14 reads these.
_OPSET, _IR = 18, 8


def export(fitted: Map, path: str | PathLike[str]) -> None:
    """Write a map as an ONNX model, whole or not at all; `map.to_onnx(path)` calls this."""
    write_whole(Path(path), model(fitted).SerializeToString())


def model(fitted: Map) -> ModelProto:
    """The map as a model from `p`, `probs` or `logits`, whichever it was fitted on, to `q`.

    >>> from calibrant import Platt, binary
    >>> made = model(Platt().fit(binary([0.2, 0.9], [0, 1])))
    >>> made.graph.input[0].name, made.graph.output[0].name, made.metadata_props[0].value
    ('p', 'q', 'Platt()')
    """
    graph = GraphProto(name="calibrant")
    words = {"family": repr(fitted.family)}
    shape: list[str | int] = ["n"]
    try:
        if isinstance(fitted, VectorMap):
            name, k = str(fitted.kind), len(fitted.classes)
            q = calibrated_vectors(
                fitted.rule, Vectors(to_float64(Tensor(graph, name)), fitted.kind, k)
            )
            shape.append(k)
            words |= {"classes": json.dumps(fitted.classes, default=str)}
        elif isinstance(fitted, ChanceMap):
            name = "p"
            p = op("Unsqueeze", to_float64(Tensor(graph, name)), COLUMNS)
            claims = Claims(p, lambda: floored_log(p) - floored_log(1 - p), slack=0.0)
            q = op("Squeeze", calibrated([fitted.rule], claims), COLUMNS)
            words |= {"event": fitted.event}
    except ValueError as error:
        raise ValueError(
            f"{fitted.family!r} cannot be exported: {error}; use map.save(path) and load(path)"
        ) from error
    graph.node.append(helper.make_node("Cast", [q.name], ["q"], to=TensorProto.FLOAT))
    graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
    graph.output.append(helper.make_tensor_value_info("q", TensorProto.FLOAT, shape))
    made = helper.make_model(
        graph,
        producer_name="calibrant",
        producer_version=__version__,
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR,
    )
    helper.set_model_props(made, words)
    return made
