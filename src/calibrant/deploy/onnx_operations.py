"""Formulas as nodes of an ONNX graph."""

from collections.abc import Sequence
from functools import partialmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, TensorProto, helper, numpy_helper

from ..families.operations import Claims, Side, Term, Value
from ..families.rounding import beyond_rounding
from ..families.rules import ChanceRule
from ..families.stacking import stack
from ..fitting.types import Array

COLUMNS = np.array([1])  # the axis
_NEIGHBOURS = np.array([2])


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
    return _add(graph, kind, inputs, 1, attributes)


def _add(
    graph: GraphProto,
    kind: str,
    inputs: Sequence[Operand],
    outputs: int,
    attributes: dict[str, Any],
) -> Node:
    """A new node of so many outputs, of which the last is wanted."""
    given = [x if isinstance(x, Node) else _constant(graph, x) for x in inputs]
    name = f"{graph.name}.{kind}{len(graph.node)}"
    others = [f"{name}.{place}" for place in range(outputs - 1)]
    names = [x.name for x in given]
    node = helper.make_node(kind, names, [*others, name], **attributes)
    graph.node.append(node)
    return Node(graph, name)


def _constant(graph: GraphProto, x: NDArray[Any] | float) -> Node:
    """An array in its own type, or a number in float64."""
    name = f"{graph.name}.constant{len(graph.initializer)}"
    array = x if isinstance(x, np.ndarray) else np.array(x, np.float64)
    graph.initializer.append(numpy_helper.from_array(array, name))
    return Node(graph, name)


class OnnxOperations:
    """What rules need, as nodes; rounding may have moved claims by `slack` in log odds."""

    def __init__(self, graph: GraphProto, slack: float, dtype: str) -> None:
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
        self,
        x: Node,
        edges: Array,
        heights: Array,
        *,
        side: Side,
        gain: Value | None = None,
    ) -> Node:
        x = beyond_rounding(x, self.slack, gain, side)
        place = self._place(x, edges, side)
        return self._at(place, heights)

    def line(self, x: Node, points: Array, heights: Array) -> Node:
        points = np.atleast_2d(points)
        heights = np.atleast_2d(heights)
        # Between points so near that the slope overflows no claim lies.
        with np.errstate(over="ignore", invalid="ignore"):
            slopes = np.diff(heights) / np.diff(points)
        slopes = np.nan_to_num(slopes, nan=0, posinf=0, neginf=0)
        place = self._place(x, points, "right")
        start = self._at(place, np.pad(points, [(0, 0), (1, 0)], mode="edge"))
        height = self._at(place, np.pad(heights, [(0, 0), (1, 0)], mode="edge"))
        slope = self._at(place, np.pad(slopes, [(0, 0), (1, 1)]))
        return height + slope * (x - start)

    def _place(self, x: Node, edges: Array, side: Side) -> Node:
        """How many edges of its row lie below each column's x, by halving, plus the row's own start."""
        rows, n_edges = edges.shape
        width = _width(n_edges + 1)
        table = _flat(edges, width, np.inf)
        starts = np.arange(rows) * width
        place = _constant(self.graph, starts)
        reached = "Less" if side == "left" else "LessOrEqual"
        flat = _constant(self.graph, table)
        half = width // 2
        while half:
            edge = op("Gather", flat, place + np.array(half - 1))
            passed = op(reached, edge, x)
            place = place + self.where(passed, np.array(half), np.array(0))
            half //= 2
        return place

    def _at(self, place: Node, table: Array) -> Node:
        """What each column's row of a table holds there."""
        flat = _flat(table, _width(table.shape[1]), 0.0)
        return op("Gather", _constant(self.graph, flat), place)

    def kernel_mean(
        self,
        terms: Sequence[Term],
        height: Array,
        events: Array,
        weights: Array,
    ) -> Node:
        products = [op("Unsqueeze", x, _NEIGHBOURS) * table for x, table in terms]
        logs = sum(products[1:], products[0]) + height
        highest = op("ReduceMax", logs, _NEIGHBOURS)
        kernels = op("Exp", logs - highest)
        of_events = op("ReduceSum", kernels * events, _NEIGHBOURS, keepdims=0)
        of_all = op("ReduceSum", kernels * weights, _NEIGHBOURS, keepdims=0)
        return of_events / of_all

    def columns(self, rules: Sequence[ChanceRule], claims: Claims) -> Node:
        chance = stack(rules).formula(claims, self)
        return self.clip(chance, 0.0, 1.0)

    def softmax(self, z: Node) -> Node:
        return op("Softmax", z)

    def log_softmax(self, z: Node) -> Node:
        return op("LogSoftmax", z)

    def row_sum(self, x: Node) -> Node:
        return op("ReduceSum", x, COLUMNS)

    def row_max(self, x: Node) -> Node:
        return op("ReduceMax", x, COLUMNS)

    def row_min(self, x: Node) -> Node:
        return op("ReduceMin", x, COLUMNS)

    def matmul(self, x: Node, matrix: Array) -> Node:
        return op("MatMul", x, matrix.T)

    def part(self, x: Node, start: int, stop: int) -> Node:
        return op("Slice", x, np.array([start]), np.array([stop]), COLUMNS)

    def join(self, *columns: Node) -> Node:
        return op("Concat", *columns, axis=1)

    def places(self, x: Node, size: int) -> Array:  # noqa: ARG002 - a constant needs no kin
        return np.arange(size, dtype=np.float64)

    def descending(self, x: Node) -> Node:
        return _add(self.graph, "TopK", [x, self._width_of(x)], 2, {"axis": 1})

    def gather(self, x: Node, order: Node) -> Node:
        return op("GatherElements", x, order, axis=1)

    def scatter(self, x: Node, order: Node) -> Node:
        return op("ScatterElements", x, order, x, axis=1)

    def sums_from_left(self, x: Node) -> Node:
        return op("CumSum", x, np.array(1))

    def log_sums_from_right(self, x: Node) -> Node:
        # Nodes have no such sum. From the last column on, a loop adds a column at a time.
        nothing = op("Squeeze", self.row_max(x) * 0.0, COLUMNS) - np.inf
        attributes = {
            "body": _log_sum(),
            "num_scan_inputs": 1,
            "scan_input_axes": [1],
            "scan_input_directions": [1],
            "scan_output_axes": [1],
            "scan_output_directions": [1],
        }
        return _add(self.graph, "Scan", [nothing, x], 2, attributes)

    def is_first_largest(self, x: Node) -> Node:
        k = op("Squeeze", self._width_of(x))
        places = op("Range", np.array(0), k, np.array(1))
        return op("Equal", op("ArgMax", x, axis=1), places)

    def _width_of(self, x: Node) -> Node:
        return op("Slice", op("Shape", x), np.array([1]), np.array([2]))


def _log_sum() -> GraphProto:
    """A loop's body: the log of the exponentials of a total so far and of a column, added."""
    body = GraphProto(name="sums")
    total = Node(body, "total")
    column = Node(body, "column")
    top = op("Max", total, column)
    both = op("Exp", total - top) + op("Exp", column - top)
    ahead = top + op("Log", both)
    body.node.append(helper.make_node("Identity", [ahead.name], ["sum"]))
    for name in (total.name, column.name):
        body.input.append(helper.make_tensor_value_info(name, TensorProto.DOUBLE, None))
    for name in (ahead.name, "sum"):
        body.output.append(helper.make_tensor_value_info(name, TensorProto.DOUBLE, None))
    return body


def _width(size: int) -> int:
    """The least power of two that so many entries fit into, two at least."""
    return max(2, 1 << (size - 1).bit_length())


def _flat(table: Array, width: int, fill: float) -> Array:
    """Rows continued to a width, one after the other."""
    more = width - table.shape[1]
    return np.pad(table, [(0, 0), (0, more)], constant_values=fill).ravel()
