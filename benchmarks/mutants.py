"""Small faults, drawn at random from the functions of a module: what a good test notices."""

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
OPPOSITES = {"min": "max", "minimum": "maximum", "any": "all", "floor": "ceil", "argmin": "argmax"}
OPPOSITES |= {other: name for name, other in OPPOSITES.items()}
FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef
REMOVABLE = ast.AugAssign, ast.Expr, ast.Raise, ast.Continue, ast.Break
Change = Callable[[Any], ast.AST]


class Mutant(NamedTuple):
    """One fault: the file, the number of its place there, and the lines of its statement."""

    path: str
    place: int
    first: int
    last: int
    before: str
    after: str


class Site(NamedTuple):
    """A node that may be changed, how, and the statement that it is part of."""

    node: ast.AST
    change: Change
    statement: ast.stmt


def mutants(path: Path, name: str) -> list[Mutant]:
    """Every fault that a file's functions may have."""
    found = []
    for place, (node, change, statement) in enumerate(_sites(ast.parse(path.read_text()))):
        after = ast.unparse(change(deepcopy(node)))
        last = _header_end(statement)
        found.append(Mutant(name, place, statement.lineno, last, ast.unparse(node), after))
    return found


def mutated(source: str, place: int) -> ast.Module:
    """The module with the fault of that number."""
    tree = ast.parse(source)
    node, change, _ = list(_sites(tree))[place]
    new = ast.copy_location(change(deepcopy(node)), node)
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, field, new)
            elif isinstance(value, list) and node in value:
                value[value.index(node)] = new
    return ast.fix_missing_locations(tree)


def _sites(tree: ast.Module) -> Iterator[Site]:
    for function in ast.walk(tree):
        if isinstance(function, FUNCTIONS) and function in _outermost(tree):
            for statement in function.body:
                yield from _of_statement(statement)


def _outermost(tree: ast.Module) -> list[ast.AST]:
    classes = [each for each in tree.body if isinstance(each, ast.ClassDef)]
    bodies = [tree.body, *(each.body for each in classes)]
    return [each for body in bodies for each in body if isinstance(each, FUNCTIONS)]


def _of_statement(statement: ast.stmt) -> Iterator[Site]:
    """Of a statement, and of those within it."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return
    if isinstance(statement, REMOVABLE) or _sets_item(statement):
        yield Site(statement, lambda _: ast.Pass(), statement)
    if isinstance(statement, ast.Return) and not _is_none(statement.value):
        yield Site(statement, lambda _: ast.Return(ast.Constant(None)), statement)
    if isinstance(statement, ast.AugAssign) and type(statement.op) in SWAPS:
        yield Site(statement, _swapped, statement)
    for child in ast.iter_child_nodes(statement):
        yield from _of_node(child, statement)


def _of_node(node: ast.AST, statement: ast.stmt) -> Iterator[Site]:
    if isinstance(node, ast.stmt):
        yield from _of_statement(node)
        return
    # Words of errors and types are no arithmetic.
    if isinstance(node, ast.JoinedStr | ast.arguments) or _is_annotation(node, statement):
        return
    for change in _changes(node):
        yield Site(node, change, statement)
    for child in ast.iter_child_nodes(node):
        yield from _of_node(child, statement)


def _changes(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPS:
        yield _swapped
    elif isinstance(node, ast.Compare):
        yield _compared
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield lambda old: old.operand
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield partial(_moved, step=1)
        yield partial(_moved, step=-1)
    elif isinstance(node, ast.Name | ast.Attribute) and _called(node) in OPPOSITES:
        yield _opposite


def _swapped(node: ast.BinOp | ast.BoolOp | ast.AugAssign) -> ast.AST:
    other: Any = SWAPS[type(node.op)]()
    node.op = other
    return node


def _compared(node: ast.Compare) -> ast.AST:
    first, *rest = node.ops
    swapped: Any = SWAPS[type(first)]()
    node.ops = [swapped, *rest]
    return node


def _moved(node: ast.Constant, step: int) -> ast.AST:
    return ast.Constant(node.value + step)  # type: ignore[operator]


def _opposite(node: ast.Name | ast.Attribute) -> ast.AST:
    if isinstance(node, ast.Name):
        node.id = OPPOSITES[node.id]
    else:
        node.attr = OPPOSITES[node.attr]
    return node


def _called(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _sets_item(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript)


def _is_annotation(node: ast.AST, statement: ast.stmt) -> bool:
    if isinstance(statement, ast.AnnAssign):
        return node is statement.annotation
    return isinstance(statement, FUNCTIONS) and node is statement.returns


def _header_end(statement: ast.stmt) -> int:
    """The last line of a statement, without the statements within it."""
    body = getattr(statement, "body", None)
    return body[0].lineno - 1 if isinstance(body, list) else statement.end_lineno or 0
