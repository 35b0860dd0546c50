"""What rules are written with: values of an ONNX graph that add and multiply as arrays do, and tables to look up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, TensorProto, helper, numpy_helper

from ..fitting.logspace import TINY
from ..fitting.types import Array

COLUMNS = np.array([1])  # the axis


@dataclass(frozen=True, eq=False)
class Tensor:
    """A value in a graph; what is done with it becomes a node."""

    graph: GraphProto
    name: str

    def __add__(self, other: "Operand") -> "Tensor":
        return op("Add", self, other)

    def __sub__(self, other: "Operand") -> "Tensor":
        return op("Sub", self, other)

    def __rsub__(self, other: "Operand") -> "Tensor":
        return op("Sub", other, self)

    def __mul__(self, other: "Operand") -> "Tensor":
        return op("Mul", self, other)

    def __truediv__(self, other: "Operand") -> "Tensor":
        return op("Div", self, other)

    def __neg__(self) -> "Tensor":
        return op("Neg", self)

    def __gt__(self, other: "Operand") -> "Tensor":
        return op("Greater", self, other)


Operand = Tensor | NDArray[Any] | float
Rows = Sequence[Array]


def op(kind: str, *inputs: Operand, attributes: Mapping[str, Any] | None = None) -> Tensor:
    """A new node, in the graph of the first tensor among its inputs; arrays and numbers become constants."""
    graph = next(x.graph for x in inputs if isinstance(x, Tensor))
    names = [(x if isinstance(x, Tensor) else constant(graph, x)).name for x in inputs]
    out = f"{graph.name}.{kind}{len(graph.node)}"
    graph.node.append(helper.make_node(kind, names, [out], **(attributes or {})))
    return Tensor(graph, out)


def constant(graph: GraphProto, x: NDArray[Any] | float) -> Tensor:
    """An array in its own type, or a number in float64."""
    name = f"{graph.name}.constant{len(graph.initializer)}"
    graph.initializer.append(
        numpy_helper.from_array(x if isinstance(x, np.ndarray) else np.array(x, float), name)
    )
    return Tensor(graph, name)


def to_float64(x: Tensor) -> Tensor:
    """Float32 or whether, as float64."""
    return op("Cast", x, attributes={"to": TensorProto.DOUBLE})


def row_sum(x: Tensor) -> Tensor:
    """A sum a row, as one column."""
    return op("ReduceSum", x, COLUMNS)


def where(which: Tensor, yes: Operand, no: Operand) -> Tensor:
    """One or the other, entry by entry."""
    return op("Where", which, yes, no)


def largest(x: Tensor, k: int) -> Tensor:
    """Which of the k columns is a row's largest, the first among equals."""
    return op("Equal", op("ArgMax", x, attributes={"axis": 1}), np.arange(k))


def expit(z: Tensor) -> Tensor:
    """The chance of which these are the log odds."""
    return op("Sigmoid", z)


def softmax(z: Tensor) -> Tensor:
    """Probabilities from logits, a row each."""
    return op("Softmax", z)


def floored_log(p: Tensor) -> Tensor:
    """Logarithm with exact zeros read as float32's smallest number."""
    return op("Log", op("Max", p, TINY))


def look_up(
    x: Tensor, edges: Rows, *tables: Rows, above: bool = False, slack: float | Array = 0.0
) -> list[Tensor]:
    """For each column, what its row of each table holds for the step that x is on, found by halving.

    A step begins on its edge or, if `above`, just above it: also for an x that rounding has moved off the edge, by
    up to `slack` in log odds.
    """
    width = 1 << max(1, *(len(row).bit_length() for row in edges))
    nudges = np.broadcast_to(slack if above else -np.asarray(slack), len(edges))
    moved = [
        row + nudge * np.where(row < np.inf, row * (1 - row), 0)
        for row, nudge in zip(edges, nudges, strict=True)
    ]
    edge = constant(x.graph, table_of(moved, np.inf, width).ravel())
    at = constant(x.graph, np.arange(len(edges)) * width)
    step = width // 2
    while step:
        passed = op(
            "Less" if above else "LessOrEqual", op("Gather", edge, at + np.array(step - 1)), x
        )
        at += where(passed, np.array(step), np.array(0))
        step //= 2
    return [
        op("Gather", constant(x.graph, table_of(table, 0, width).ravel()), at) for table in tables
    ]


def line(x: Tensor, points: Rows, heights: Rows) -> Tensor:
    """What np.interp gives, a row of points and heights for each column."""
    # Points so near that the slope between them overflows have no claim between them.
    with np.errstate(over="ignore"):
        steep = [
            np.diff(height) / np.diff(point) for point, height in zip(points, heights, strict=True)
        ]
    start, height, slope = look_up(
        x,
        points,
        [np.append(row[0], row) for row in points],
        [np.append(row[0], row) for row in heights],
        [np.concatenate([[0], np.where(np.isfinite(row), row, 0), [0]]) for row in steep],
    )
    return height + slope * (x - start)


def table_of(rows: Rows, fill: float, width: int | None = None) -> Array:
    """Rows of several lengths as one table, as wide as the longest unless told."""
    table = np.full((len(rows), width or max(map(len, rows))), fill, float)
    for row, entries in zip(table, rows, strict=True):
        row[: len(entries)] = entries
    return table
