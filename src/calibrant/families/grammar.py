"""What a person writes of a family, as ranked(spline, ranks=2), taken apart: no code of it is run."""

import ast
import re
import warnings
from dataclasses import dataclass, field
from typing import Final, NoReturn, TypeAlias

from ..inputs.checks import briefly

ONE: Final = "a family is written as in ranked(spline, ranks=2)"
SEVERAL: Final = "families are written as in temperature,isotonic"
VALUES: Final = "a value is a number, a word, a text in quotes, a family or a list of these"
MOST_PARENTHESES: Final = 50  # deeper ones would exhaust the stack
TOKEN: Final = re.compile(
    r"""
    (?P<quoted>"(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*')
    | (?P<number>\d[\w.]*(?:(?<=[eE])-\d+)?)
    | (?P<name>[^\W\d][\w-]*)
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class Written:
    """A name and what stands in its parentheses: values in order, then settings by name."""

    name: str
    values: tuple["Value", ...] = ()
    settings: dict[str, "Value"] = field(default_factory=dict)

    @property
    def is_set(self) -> bool:
        """Whether anything stands in its parentheses."""
        return bool(self.values or self.settings)

    def __str__(self) -> str:
        return self.name.replace("_", "-")


Value: TypeAlias = "bool | int | float | str | Written | tuple[Value, ...] | None"


def parse(text: str) -> Written:
    """The name that a text begins with, and what stands in its parentheses.

    >>> parse("spline(14, runout='cubic')")
    Written(name='spline', values=(14,), settings={'runout': 'cubic'})
    """
    if not text.strip():
        return Written("")
    tree = _tree(_in_underscores(text).strip(), text)
    found = _value(tree, text)
    if isinstance(found, tuple):
        _refuse(text, f"there are {len(found)}, and one is wanted")
    if not isinstance(found, Written):
        _refuse(text, "a name comes first")
    return found


def split_names(text: str) -> list[str]:
    """The names between commas; a comma within parentheses parts nothing.

    >>> split_names("isotonic, ranked(spline, ranks=2)")
    ['isotonic', 'ranked(spline, ranks=2)']
    """
    if not text.strip():
        return [""]
    source = f"({_in_underscores(text)},)"
    tree = _tree(source, text, SEVERAL)
    if not isinstance(tree, ast.Tuple):
        _refuse(text, "commas part them", SEVERAL)
    return [ast.get_source_segment(source, each) or "" for each in tree.elts]


def _tree(source: str, text: str, rule: str = ONE) -> ast.expr:
    """Python's own syntax tree of what was written, no code of which is run."""
    if source.count("(") > MOST_PARENTHESES:
        _refuse(text, f"it has more than {MOST_PARENTHESES} parentheses", rule)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of backslashes in quotes, say
        try:
            return ast.parse(source, mode="eval").body
        except SyntaxError as error:
            _refuse(text, error.msg.replace("invalid syntax", "it cannot be read"), rule)
        except (ValueError, MemoryError, RecursionError):
            _refuse(text, "it cannot be read", rule)


def _in_underscores(text: str) -> str:
    return TOKEN.sub(_name_in_underscores, text)


def _name_in_underscores(token: re.Match[str]) -> str:
    found = token.group()
    return found.replace("-", "_") if token.lastgroup == "name" else found


def _value(node: ast.expr, text: str) -> Value:
    if isinstance(node, ast.Name):
        return Written(node.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call(node.func.id, node, text)
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(_value(each, text) for each in node.elts)
    return _constant(node, text)


def _constant(node: ast.expr, text: str) -> Value:
    try:
        found = ast.literal_eval(node)
    except (ValueError, TypeError):
        _refuse(text, VALUES)
    if found is not None and not isinstance(found, bool | int | float | str):
        _refuse(text, VALUES)
    return found


def _call(name: str, node: ast.Call, text: str) -> Written:
    values = tuple(_value(each, text) for each in node.args)
    settings = {}
    for each in node.keywords:
        if each.arg is None:
            _refuse(text, "a setting has a name")
        if each.arg in settings:
            _refuse(text, f"{each.arg} is given twice")
        settings[each.arg] = _value(each.value, text)
    return Written(name, values, settings)


def _refuse(text: str, reason: str, rule: str = ONE) -> NoReturn:
    raise ValueError(f"{rule}, got {briefly(text)}: {reason}")
