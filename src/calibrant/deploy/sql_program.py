"""Expressions as text, and names for those that are used more than once."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partialmethod
from typing import Literal

import numpy as np

from ..fitting.types import Array

Dialect = Literal["standard", "spark"]
SHORT = 32  # characters that may as well be repeated


class Program:
    """Values by name. A value's level is how many values must be worked out one after the other before it."""

    def __init__(self, columns: Sequence[str], others: Sequence[str] = ()) -> None:
        self.prefix = unused_prefix([*columns, *others])
        self._texts: dict[str, str] = {}
        self._uses: dict[str, set[str]] = {}
        self._levels: dict[str, int] = {}
        self._names: dict[str, str] = {}
        # Whole numbers would divide as such.
        inputs = [self._add(f"1e0 * {column}", set()) for column in columns]
        self.inputs = Row(inputs, self)

    def bind(self, text: str) -> str:
        """A name for a value that is long to write, always the same."""
        if len(text) <= SHORT:
            return text
        if text not in self._names:
            self._names[text] = self._add(text, self._names_in(text))
        return self._names[text]

    def expression(self, output: str) -> str:
        """An output as an expression of the columns of the query around it.

        Only subqueries in one another may use these columns in every database. DISTINCT, of one row,
        keeps planners from writing bound values out again.
        """
        source = ""
        for level, layer in enumerate(self._layers([output])):
            source = f" FROM (SELECT DISTINCT {', '.join(layer)}{source}) AS {self.prefix}_{level}"
        return f"(SELECT {output}{source})"

    def query(
        self,
        outputs: Mapping[str, str],
        table: str,
        keep: Sequence[str],
        dialect: Dialect,
    ) -> str:
        """A SELECT of outputs by name from a table."""
        # Planners would write bound values out again; Spark's does not, and has no word for it.
        bound = "AS" if dialect == "spark" else "AS MATERIALIZED"
        source = f" FROM {table}"
        parts = []
        for level, layer in enumerate(self._layers(outputs.values())):
            name = f"{self.prefix}_{level}"
            parts.append(f"{name} {bound} (SELECT {', '.join([*keep, *layer])}{source})")
            source = f" FROM {name}"
        found = [f"{value} AS {name}" for name, value in outputs.items()]
        return f"WITH {', '.join(parts)} SELECT {', '.join([*keep, *found])}{source}"

    def _add(self, text: str, uses: set[str]) -> str:
        name = f"{self.prefix}{len(self._texts)}"
        before = [self._levels[used] for used in uses]
        self._texts[name] = text
        self._uses[name] = uses
        self._levels[name] = 1 + max(before, default=-1)
        return name

    def _names_in(self, text: str) -> set[str]:
        return set(re.findall(rf"\b{self.prefix}\d+\b", text))

    def _layers(self, outputs: Iterable[str]) -> list[list[str]]:
        """What each SELECT must have for those after it: names of before, and those it can bind."""
        last = self._names_in(" ".join(outputs))
        needed = self._needed(last)
        deepest = max(self._levels[name] for name in needed)
        layers = []
        for level in range(deepest + 1):
            wanted = set(last)
            for name in needed:
                if self._levels[name] > level:
                    wanted |= self._uses[name]
            layers.append(self._layer(level, needed, wanted))
        return layers

    def _layer(self, level: int, needed: Iterable[str], wanted: set[str]) -> list[str]:
        carried = []
        new = []
        for name in needed:
            if self._levels[name] == level:
                new.append(f"{self._texts[name]} AS {name}")
            elif self._levels[name] < level and name in wanted:
                carried.append(name)
        return [*carried, *new]

    def _needed(self, names: Iterable[str]) -> list[str]:
        """These names and those that they use, in order."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self._uses[name]
        return [name for name in self._texts if name in found]


def unused_prefix(names: Sequence[str]) -> str:
    """What names may begin with that are none of the caller's, in whatever case.

    >>> unused_prefix(["p", "V1"])
    'vv'
    """
    taken = " ".join(names)
    prefix = "v"
    while re.search(rf"\b{prefix}_?\d+\b", taken, re.IGNORECASE):
        prefix += "v"
    return prefix


class Row:
    """Expressions side by side; what is done with them is done with each."""

    __array_ufunc__ = None  # an array times a row is the row's to work out

    def __init__(self, texts: Sequence[str], program: Program) -> None:
        self.texts = list(texts)
        self.program = program

    def with_each(self, other: "Operand", write: Callable[[str, str], str]) -> "Row":
        """A row of what is written of both, entry by entry; one entry goes with each."""
        others = other.texts if isinstance(other, Row) else literals(other)
        size = max(len(self.texts), len(others))
        pairs = zip(self._repeated(self.texts, size), self._repeated(others, size), strict=True)
        return Row([write(x, y) for x, y in pairs], self.program)

    def _repeated(self, texts: list[str], size: int) -> list[str]:
        if len(texts) == size:
            return texts
        return [self.program.bind(text) for text in texts] * size

    def _operate(self, sign: str, other: "Operand") -> "Row":
        return self.with_each(other, lambda x, y: f"({x} {sign} {y})")

    def _operate_reversed(self, sign: str, other: "Operand") -> "Row":
        return self.with_each(other, lambda x, y: f"({y} {sign} {x})")

    __add__ = partialmethod(_operate, "+")
    __radd__ = partialmethod(_operate_reversed, "+")
    __sub__ = partialmethod(_operate, "-")
    __rsub__ = partialmethod(_operate_reversed, "-")
    __mul__ = partialmethod(_operate, "*")
    __rmul__ = partialmethod(_operate_reversed, "*")
    __truediv__ = partialmethod(_operate, "/")
    __rtruediv__ = partialmethod(_operate_reversed, "/")
    __gt__ = partialmethod(_operate, ">")
    __lt__ = partialmethod(_operate, "<")

    def __neg__(self) -> "Row":
        return Row([f"(-{text})" for text in self.texts], self.program)


Operand = Row | Array | float


def literal(x: float) -> str:
    """A number with an exponent, as 0.1 is a decimal to some; infinity is as far as exp and ln care.

    >>> literal(0.1), literal(-2.0), literal(np.inf)
    ('0.1e0', '(-2.0e0)', '1e+300')
    """
    text = repr(float(np.clip(x, -1e300, 1e300)))
    if "e" not in text:
        text = f"{text}e0"
    return f"({text})" if text.startswith("-") else text


def literals(x: Array | float) -> list[str]:
    """Numbers side by side, each as text."""
    return [literal(each) for each in np.atleast_1d(x).tolist()]
