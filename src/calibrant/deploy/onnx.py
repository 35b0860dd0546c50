"""Maps as ONNX models, so that whatever serves the classifier calibrates it too. The only file that imports onnx.

In between all is in float64 and log space, as in the maps themselves. A claim from float32 logits within
1e-6, in log odds, of an edge between two steps may fall on either side.
"""

import json
from collections.abc import Sequence
from functools import partialmethod
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..families.maps import ChanceMap, Map, VectorMap
from ..families.operations import Claims, GivenClaims, Side, Term, Value, Vectors
from ..families.rounding import DOUBLE, SINGLE, moved
from ..families.rules import ChanceRule
from ..families.stacking import stack
from ..fitting.types import Array
from .store import write_whole

try:
    from onnx import GraphProto, ModelProto, TensorProto, helper, numpy_helper
except ImportError as error:
    raise ImportError(
        'map.to_onnx needs onnx 1.16 or later: pip install "calibrant[onnx]"'
    ) from error

DType = Literal["float32", "float64"]
# Every onnxruntime since 1.14 reads these.
_OPSET, _IR = 18, 8
_TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}
_COLUMNS, _NEIGHBOURS = np.array([1]), np.array([2])  # axes


def export(fitted: Map, path: str | PathLike[str], *, dtype: DType = "float32") -> None:
    """Write a map as an ONNX model, whole or not at all; `map.to_onnx(path)` calls this."""
    write_whole(Path(path), model(fitted, dtype=dtype).SerializeToString())


def model(fitted: Map, *, dtype: DType = "float32") -> ModelProto:
    """The map as a model from `p`, `probs` or `logits`, whichever it was fitted on, to `q`.

    >>> from calibrant import Platt, binary
    >>> made = model(Platt().fit(binary([0.2, 0.9], [0, 1])))
    >>> made.graph.input[0].name, made.graph.output[0].name, made.metadata_props[0].value
    ('p', 'q', 'Platt()')
    """
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
    made = helper.make_model(
        graph,
        producer_name="calibrant",
        producer_version=__version__,
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR,
    )
    helper.set_model_props(made, words)
    return made


def _vectors(fitted: VectorMap, given: "Node", dtype: DType) -> "Node":
    slack = SINGLE if dtype == "float32" else DOUBLE
    ops = OnnxOperations(given.graph, slack if fitted.kind == "logits" else 0.0, dtype)
    x = Vectors(_double(given), fitted.kind, len(fitted.classes), fitted.floor, ops)
    return fitted.rule.formula(x, ops)


def _chances(fitted: ChanceMap, given: "Node", dtype: DType) -> "Node":
    ops = OnnxOperations(given.graph, 0.0, dtype)
    p = op("Unsqueeze", _double(given), _COLUMNS)

    def log(x: Node) -> Node:
        return ops.log(ops.maximum(x, fitted.floor))

    claims = GivenClaims(p, lambda: log(p) - log(1 - p))
    return op("Squeeze", ops.columns([fitted.rule], claims), _COLUMNS)


class Node:
    """A value in a graph; what is done with it becomes another."""

    __array_ufunc__ = None  # an array times a node is the node's to work out

    def __init__(self, graph: GraphProto, name: str) -> None:
        self.graph = graph
        self.name = name

    def _operate(self, kind: str, other: "Operand") -> "Node":
        return op(kind, self, other)

    def _operate_reversed(self, kind: str, other: "Operand") -> "Node":
        return op(kind, other, self)

    __add__ = partialmethod(_operate, "Add")
    __radd__ = partialmethod(_operate_reversed, "Add")
    __sub__ = partialmethod(_operate, "Sub")
    __rsub__ = partialmethod(_operate_reversed, "Sub")
    __mul__ = partialmethod(_operate, "Mul")
    __rmul__ = partialmethod(_operate_reversed, "Mul")
    __truediv__ = partialmethod(_operate, "Div")
    __rtruediv__ = partialmethod(_operate_reversed, "Div")
    __gt__ = partialmethod(_operate, "Greater")
    __lt__ = partialmethod(_operate, "Less")

    def __neg__(self) -> "Node":
        return op("Neg", self)


Operand = Node | NDArray[Any] | float


def op(kind: str, *inputs: Operand, **attributes: Any) -> Node:  # noqa: ANN401 - as onnx has them
    """A new node of a kind; arrays and numbers among its inputs become constants."""
    graph = next(x.graph for x in inputs if isinstance(x, Node))
    names = [(x if isinstance(x, Node) else _constant(graph, x)).name for x in inputs]
    out = f"{graph.name}.{kind}{len(graph.node)}"
    graph.node.append(helper.make_node(kind, names, [out], **attributes))
    return Node(graph, out)


def _constant(graph: GraphProto, x: NDArray[Any] | float) -> Node:
    """An array in its own type, or a number in float64."""
    name = f"{graph.name}.constant{len(graph.initializer)}"
    array = x if isinstance(x, np.ndarray) else np.array(x, np.float64)
    graph.initializer.append(numpy_helper.from_array(array, name))
    return Node(graph, name)


def _double(x: Node) -> Node:
    return op("Cast", x, to=TensorProto.DOUBLE)


class OnnxOperations:
    """What rules need, as nodes; rounding may have moved claims by `slack` in log odds."""

    def __init__(self, graph: GraphProto, slack: float, dtype: DType) -> None:
        self.graph = graph
        self.slack = slack
        self.gap = 4 * float(np.finfo(dtype).eps)

    def exp(self, x: Node) -> Node:
        return op("Exp", x)

    def log(self, x: Node) -> Node:
        return op("Log", x)

    def expit(self, z: Node) -> Node:
        # onnxruntime's Sigmoid subtracts from 1, and so gives 0 for chances below 1e-16.
        smaller = op("Exp", -op("Abs", z))
        return self.where(z < 0.0, smaller, 1.0) / (smaller + 1.0)

    def log_expit(self, z: Node) -> Node:
        smaller = op("Exp", -op("Abs", z))
        return self.minimum(z, 0.0) - op("Log", smaller + 1.0)

    def minimum(self, x: Node, y: Operand) -> Node:
        return op("Min", x, y)

    def maximum(self, x: Node, y: Operand) -> Node:
        return op("Max", x, y)

    def clip(self, x: Node, low: Operand, high: Operand) -> Node:
        return self.maximum(self.minimum(x, high), low)

    def where(self, condition: Node, yes: Operand, no: Operand) -> Node:
        return op("Where", condition, yes, no)

    def step(
        self, x: Node, edges: Array, heights: Array, *, side: Side, gain: Value | None = None
    ) -> Node:
        if gain is not None:
            x = moved(x, self.slack * gain + DOUBLE, side)
        elif self.slack:
            x = moved(x, self.slack, side)
        return self._look_up(x, edges, side, heights)[0]

    def line(self, x: Node, points: Array, heights: Array) -> Node:
        points, heights = np.atleast_2d(points), np.atleast_2d(heights)
        # Between points so near that the slope overflows no claim lies.
        with np.errstate(over="ignore", invalid="ignore"):
            slopes = np.nan_to_num(np.diff(heights) / np.diff(points), nan=0, posinf=0, neginf=0)
        start, height, slope = self._look_up(
            x,
            points,
            "right",
            np.concatenate([points[:, :1], points], axis=1),
            np.concatenate([heights[:, :1], heights], axis=1),
            np.pad(slopes, [(0, 0), (1, 1)]),
        )
        return height + slope * (x - start)

    def _look_up(self, x: Node, edges: Array, side: Side, *tables: Array) -> list[Node]:
        """For each column, what its row of each table holds for the step that x is on, by halving."""
        rows, n_edges = edges.shape
        width = 1 << max(1, n_edges.bit_length())
        flat = _constant(self.graph, _widened(edges, width, np.inf))
        at = _constant(self.graph, np.arange(rows) * width)
        reached = "Less" if side == "left" else "LessOrEqual"
        half = width // 2
        while half:
            passed = op(reached, op("Gather", flat, at + np.array(half - 1)), x)
            at = at + self.where(passed, np.array(half), np.array(0))
            half //= 2
        return [
            op("Gather", _constant(self.graph, _widened(each, width, 0)), at) for each in tables
        ]

    def kernel_mean(
        self, terms: Sequence[Term], height: Array, events: Array, weights: Array
    ) -> Node:
        products = [op("Unsqueeze", x, _NEIGHBOURS) * table for x, table in terms]
        logs = sum(products[1:], products[0]) + height
        kernels = op("Exp", logs - op("ReduceMax", logs, _NEIGHBOURS))
        of_events = op("ReduceSum", kernels * events, _NEIGHBOURS, keepdims=0)
        return of_events / op("ReduceSum", kernels * weights, _NEIGHBOURS, keepdims=0)

    def columns(self, rules: Sequence[ChanceRule], claims: Claims) -> Node:
        return self.clip(stack(rules).formula(claims, self), 0.0, 1.0)

    def softmax(self, z: Node) -> Node:
        return op("Softmax", z)

    def log_softmax(self, z: Node) -> Node:
        return op("LogSoftmax", z)

    def row_sum(self, x: Node) -> Node:
        return op("ReduceSum", x, _COLUMNS)

    def row_max(self, x: Node) -> Node:
        return op("ReduceMax", x, _COLUMNS)

    def row_min(self, x: Node) -> Node:
        return op("ReduceMin", x, _COLUMNS)

    def matmul(self, x: Node, matrix: Array) -> Node:
        return op("MatMul", x, matrix.T)

    def part(self, x: Node, start: int, stop: int) -> Node:
        return op("Slice", x, np.array([start]), np.array([stop]), _COLUMNS)

    def join(self, *columns: Node) -> Node:
        return op("Concat", *columns, axis=1)

    def places(self, x: Node, size: int) -> Array:  # noqa: ARG002 - a constant needs no kin
        return np.arange(size, dtype=np.float64)

    def descending(self, x: Node) -> Node:
        k = op("Slice", op("Shape", x), np.array([1]), np.array([2]))
        out = f"TopK{len(self.graph.node)}"
        node = helper.make_node("TopK", [x.name, k.name], [f"{out}.values", out], axis=1)
        self.graph.node.append(node)
        return Node(self.graph, out)

    def gather(self, x: Node, order: Node) -> Node:
        return op("GatherElements", x, order, axis=1)

    def scatter(self, x: Node, order: Node) -> Node:
        return op("ScatterElements", x, order, x, axis=1)

    def sums_from_left(self, x: Node) -> Node:
        return op("CumSum", x, np.array(1))

    def log_sums_from_right(self, x: Node) -> Node:
        # Nodes have no such sum. From the last column on, a column is added at a time by a loop.
        body = GraphProto(name="sums")
        total, column = Node(body, "total"), Node(body, "column")
        top = op("Max", total, column)
        ahead = top + op("Log", op("Exp", total - top) + op("Exp", column - top))
        value = helper.make_tensor_value_info
        body.node.append(helper.make_node("Identity", [ahead.name], ["sum"]))
        body.input.extend([value(name, TensorProto.DOUBLE, None) for name in ("total", "column")])
        body.output.extend([value(name, TensorProto.DOUBLE, None) for name in (ahead.name, "sum")])
        start = self.row_max(x) * 0.0 - np.inf
        start = op("Squeeze", start, _COLUMNS)
        out = f"Scan{len(self.graph.node)}"
        node = helper.make_node(
            "Scan",
            [start.name, x.name],
            [f"{out}.last", out],
            body=body,
            num_scan_inputs=1,
            scan_input_axes=[1],
            scan_input_directions=[1],
            scan_output_axes=[1],
            scan_output_directions=[1],
        )
        self.graph.node.append(node)
        return Node(self.graph, out)

    def is_first_largest(self, x: Node) -> Node:
        k = op("Squeeze", op("Slice", op("Shape", x), np.array([1]), np.array([2])))
        places = op("Range", np.array(0), k, np.array(1))
        return op("Equal", op("ArgMax", x, axis=1), places)


def _widened(table: Array, width: int, fill: float) -> Array:
    """Rows continued to a width, one after the other."""
    more = width - table.shape[1]
    return np.pad(table, [(0, 0), (0, more)], constant_values=fill).ravel()
