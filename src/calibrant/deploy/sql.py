"""Maps as SQL: what a warehouse can run without Python.

Only exp, ln, CASE, arithmetic and literals with an exponent are used, so that DuckDB, SQLite, Postgres and
Spark all take it. A value that is used more than once is bound to a name by a subquery.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partialmethod

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.polynomial.chebyshev import cheb2poly
from scipy.special import expit

from ..families.maps import ChanceMap, Map, VectorMap
from ..families.operations import Claims, GivenClaims, Side, Value, Vectors
from ..families.rules import ChanceRule
from ..fitting.types import Array

MOST_CHARACTERS = 1_000_000
SHORT = 32  # characters that may as well be repeated
SOME = 12  # values of which the largest is found at once
FAR = (
    "7e2"  # exp overflows, and some databases refuse it, a little beyond it and below its negative
)
ROUNDING = 2.0**-40
# Of the table of a map that is no short formula: polynomials between log odds, and how near they come.
TABLE_ENDS, DEGREE, WITHIN, NARROWEST = 88, 8, 4e-13, 2.0**-12


class NotInSql(ValueError):
    """A step of a formula that no expression does."""


def to_sql(
    fitted: Map, columns: str | Sequence[str], *, table: str | None = None, keep: Sequence[str] = ()
) -> str:
    """A map as SQL; `map.to_sql(...)` calls this.

    >>> from calibrant import Temperature, binary
    >>> print(to_sql(Temperature().fit(binary([0.2, 0.9], [0, 1])), "p")[:40])
    (SELECT CASE WHEN v0 IS NULL THEN NULL E
    """
    if isinstance(fitted, ChanceMap):
        if not isinstance(columns, str):
            raise ValueError(f"a map of one chance takes the name of one column, got {columns!r}")
        program = Program([columns])
        outputs = [_chance(fitted, program)]
        names = [columns]
    elif isinstance(fitted, VectorMap):
        names = _column_names(columns, fitted)
        program = Program(names)
        outputs = _vector(fitted, program)
    else:
        raise ValueError(f"SQL is made of a fitted map, got {type(fitted).__name__}")
    text = _written(program, outputs, names, table, keep, is_list=isinstance(fitted, VectorMap))
    if len(text) > MOST_CHARACTERS:
        raise ValueError(
            f"{fitted.family!r} would be {len(text):,} characters of SQL, more than "
            f"{MOST_CHARACTERS:,}: {'fit a family of fewer numbers' if table else 'give table=...'}"
        )
    return text


def _column_names(columns: str | Sequence[str], fitted: VectorMap) -> list[str]:
    names = [columns] if isinstance(columns, str) else list(columns)
    if len(names) != len(fitted.classes):
        raise ValueError(
            f"columns must be one for each of the {len(fitted.classes)} classes, got {len(names)}"
        )
    return names


def _chance(fitted: ChanceMap, program: "Program") -> "Row":
    ops = SqlOperations(program)
    p = program.inputs

    def log(x: Row) -> Row:
        return ops.log(ops.maximum(x, fitted.floor))

    claims = GivenClaims(p, lambda: ops.bind(log(p) - log(1 - p)))
    return ops.clip(ops.calibrated(fitted.rule, claims), 0.0, 1.0)


def _vector(fitted: VectorMap, program: "Program") -> list["Row"]:
    ops = SqlOperations(program)
    x = Vectors(program.inputs, fitted.kind, len(fitted.classes), fitted.floor, ops)
    try:
        q = fitted.rule.formula(x, ops)
    except NotInSql as error:
        raise ValueError(
            f"{fitted.family!r} has no form in SQL ({error}): use map.save or map.to_onnx"
        ) from error
    return [Row([text], program) for text in q.texts]


def _written(
    program: "Program",
    outputs: Sequence["Row"],
    names: Sequence[str],
    table: str | None,
    keep: Sequence[str],
    *,
    is_list: bool,
) -> str:
    absent = " + ".join(program.inputs.texts)
    texts = [
        f"CASE WHEN {absent} IS NULL THEN NULL ELSE {output.texts[0]} END" for output in outputs
    ]
    if table is not None:
        return program.query(dict(zip(names, texts, strict=True)), table, keep)
    expressions = [f"({program.query({'': text}, None, ())})" for text in texts]
    if not is_list:
        return expressions[0]
    pairs = zip(expressions, names, strict=True)
    return ", ".join(f"{expression} AS {name}" for expression, name in pairs)


class Program:
    """Names and what they stand for, in the order in which they can be worked out."""

    def __init__(self, columns: Sequence[str]) -> None:
        # Whole numbers would divide as such.
        self.bound = {f"v{i}": f"1e0 * {column}" for i, column in enumerate(columns)}
        self.inputs = Row(list(self.bound), self)
        self.levels = dict.fromkeys(self.bound, 0)

    def bind(self, text: str) -> str:
        """A name for a value that is long to write."""
        if len(text) <= SHORT:
            return text
        name = f"v{len(self.bound)}"
        self.bound[name] = text
        self.levels[name] = 1 + max(self.levels[each] for each in names_in(text))
        return name

    def query(self, outputs: Mapping[str, str], table: str | None, keep: Sequence[str]) -> str:
        """A SELECT of outputs by name, from a table or of one row; a layer binds all that it can."""
        layers = [", ".join([*keep, *layer]) for layer in self._layers(outputs.values())]
        found = [f"{value} AS {name}" if name else value for name, value in outputs.items()]
        selected = f"SELECT {', '.join([*keep, *found])}"
        if table is None:
            # Subqueries in one another: only so may they use a column of the query around them. Of many
            # columns, DISTINCT (of one row) keeps planners from writing bound values out again.
            select = "SELECT" if len(self.inputs.texts) == 1 else "SELECT DISTINCT"
            nested = ""
            for level, layer in enumerate(layers):
                nested = f" FROM ({select} {layer}{nested}) AS t{level}"
            return selected + nested
        sources = [table, *(f"t{level}" for level in range(len(layers)))]
        parts = [
            f"t{level} AS MATERIALIZED (SELECT {layer} FROM {sources[level]})"
            for level, layer in enumerate(layers)
        ]
        return f"WITH {', '.join(parts)} {selected} FROM {sources[-1]}"

    def _layers(self, outputs: Iterable[str]) -> Iterator[list[str]]:
        """What each SELECT must have for those after it: names of before, and those it can bind."""
        outputs = list(outputs)
        needed = self._needed(outputs)
        for level in range(1 + max(self.levels[name] for name in needed)):
            later = [self.bound[name] for name in needed if self.levels[name] > level]
            wanted = set(names_in(" ".join([*later, *outputs])))
            carried = [name for name in needed if self.levels[name] < level and name in wanted]
            new = [name for name in needed if self.levels[name] == level]
            yield [*carried, *(f"{self.bound[name]} AS {name}" for name in new)]

    def _needed(self, texts: Iterable[str]) -> list[str]:
        """The names that texts use, and those that these use, in order."""
        found: set[str] = set()
        waiting = names_in(" ".join(texts))
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += names_in(self.bound[name]) if self.levels[name] else []
        return [name for name in self.bound if name in found]


def names_in(text: str) -> list[str]:
    """The names of bound values in a text."""
    return re.findall(r"\bv\d+\b", text)


class Row:
    """Expressions side by side; what is done with them is done with each."""

    __array_ufunc__ = None  # an array times a row is the row's to work out

    def __init__(self, texts: Sequence[str], program: Program) -> None:
        self.texts = list(texts)
        self.program = program

    def with_each(self, other: "Operand", write: Callable[[str, str], str]) -> "Row":
        """A row of what is written of both, entry by entry; one entry goes with each."""
        others = other.texts if isinstance(other, Row) else _literals(other)
        size = max(len(self.texts), len(others))
        pairs = zip(
            self.texts * (size // len(self.texts)), others * (size // len(others)), strict=True
        )
        return Row([write(text, each) for text, each in pairs], self.program)

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
    """A number with an exponent, as 0.1 is a decimal to some; infinity is as far as exp and ln care."""
    text = repr(float(np.clip(x, -1e300, 1e300)))
    text = text if "e" in text else f"{text}e0"
    return f"({text})" if text.startswith("-") else text


def _literals(x: Array | float) -> list[str]:
    return [literal(each) for each in np.atleast_1d(x).tolist()]


class SqlOperations:
    """What rules need, as text."""

    gap = 4 * float(np.finfo(np.float64).eps)

    def __init__(self, program: Program) -> None:
        self.program = program

    def bind(self, x: Row) -> Row:
        """The same values by name, for use more than once."""
        return Row([self.program.bind(text) for text in x.texts], self.program)

    def each(self, x: Row, write: str) -> Row:
        """A row of what is written of each value, which is bound first."""
        return Row([write.format(text) for text in self.bind(x).texts], self.program)

    def exp(self, x: Row) -> Row:
        within = (
            f"CASE WHEN {{0}} > {FAR} THEN {FAR} WHEN {{0}} < -{FAR} THEN -{FAR} ELSE {{0}} END"
        )
        return self.each(x, f"exp({within})")

    def log(self, x: Row) -> Row:
        return Row([f"ln({text})" for text in x.texts], self.program)

    def expit(self, z: Row) -> Row:
        return 1.0 / (1.0 + self.exp(-z))

    def log_expit(self, z: Row) -> Row:
        z = self.bind(z)
        size = self.each(z, "CASE WHEN {0} < 0e0 THEN {0} ELSE -{0} END")
        return self.minimum(z, 0.0) - self.log(1.0 + self.exp(size))

    def where(self, condition: Row, yes: Operand, no: Operand) -> Row:
        first = condition.with_each(yes, "CASE WHEN {} THEN {}".format)
        return first.with_each(no, "{} ELSE {} END".format)

    def minimum(self, x: Row, y: Operand) -> Row:
        x = self.bind(x)
        y = self.bind(y) if isinstance(y, Row) else y
        return self.where(x < y, x, y)

    def maximum(self, x: Row, y: Operand) -> Row:
        x = self.bind(x)
        y = self.bind(y) if isinstance(y, Row) else y
        return self.where(x > y, x, y)

    def clip(self, x: Row, low: Operand, high: Operand) -> Row:
        return self.maximum(self.minimum(x, high), low)

    def step(
        self, x: Row, edges: Array, heights: Array, *, side: Side, gain: Value | None = None
    ) -> Row:
        if gain is not None:
            nudge = ROUNDING * edges * (1 - edges)
            edges = edges + (nudge if side == "left" else -nudge)
        kept = edges[np.isfinite(edges)]
        leaves = _literals(heights[: len(kept) + 1])
        return self._choose(x, kept, leaves, "<=" if side == "left" else "<")

    def line(self, x: Row, points: Array, heights: Array) -> Row:
        x = self.bind(x)
        # Between points so near that the slope overflows no claim lies.
        with np.errstate(over="ignore", invalid="ignore"):
            slopes = np.nan_to_num(np.diff(heights) / np.diff(points), nan=0, posinf=0, neginf=0)
        leaves = [literal(heights[0])]
        for start, height, slope in zip(points[:-1], heights[:-1], slopes, strict=True):
            rise = f"{literal(slope)} * ({x.texts[0]} - {literal(start)})"
            leaves.append(f"{literal(height)} + {rise}" if slope else literal(height))
        return self._choose(x, points, [*leaves, literal(heights[-1])], "<")

    def _choose(self, x: Row, edges: Array, leaves: Sequence[str], sign: str) -> Row:
        """The leaf between two edges, by halving; `sign` says on which side an edge itself lies."""
        x = self.bind(x)

        def choose(low: int, high: int) -> str:
            if low == high:
                return leaves[low]
            middle = (low + high) // 2
            edge = literal(edges[middle])
            below, above = choose(low, middle), choose(middle + 1, high)
            return f"CASE WHEN {x.texts[0]} {sign} {edge} THEN {below} ELSE {above} END"

        return Row([choose(0, len(edges))], self.program)

    def columns(self, rules: Sequence[ChanceRule], claims: Claims) -> Row:
        texts = []
        for place, rule in enumerate(rules):
            chosen = _OneOf(claims, place)
            texts += self.clip(self.calibrated(rule, chosen), 0.0, 1.0).texts
        return self.bind(Row(texts, self.program))

    def calibrated(self, rule: ChanceRule, claims: Claims) -> Row:
        """What the rule's formula gives, or where it sums over the rows fitted on, a table of it."""
        try:
            return rule.formula(claims, self)
        except NotInSql:
            return self._from_table(rule, claims.log_odds)

    def _from_table(self, rule: ChanceRule, log_odds: Row) -> Row:
        z = self.bind(self.clip(log_odds, -TABLE_ENDS, TABLE_ENDS))
        stretches = tabulated(rule)
        edges = np.array([high for _, high, _ in stretches[:-1]])
        values = []
        for low, high, coefficients in stretches:
            t = f"({z.texts[0]} - {literal((low + high) / 2)})"
            values.append(_polynomial(coefficients, t))
        return self._choose(z, edges, values, "<")

    def kernel_mean(self, *_: object) -> Row:
        raise NotInSql("it sums over the rows fitted on")

    def descending(self, *_: object) -> Row:
        raise NotInSql("it sorts the classes of a row")

    def softmax(self, z: Row) -> Row:
        z = self.bind(z)
        e = self.exp(z - self.row_max(z))
        return e / self.bind(self.row_sum(e))

    def log_softmax(self, z: Row) -> Row:
        z = self.bind(z)
        below = z - self.row_max(z)
        return below - self.log(self.bind(self.row_sum(self.exp(below))))

    def row_sum(self, x: Row) -> Row:
        return Row([f"({' + '.join(x.texts)})"], self.program)

    def row_max(self, x: Row) -> Row:
        return self._first_of_all(x, ">=")

    def row_min(self, x: Row) -> Row:
        return self._first_of_all(x, "<=")

    def _first_of_all(self, x: Row, sign: str) -> Row:
        """The largest or the least value: of some at a time, and of those again."""
        x = self.bind(x)
        while len(x.texts) > 1:
            groups = [x.texts[i : i + SOME] for i in range(0, len(x.texts), SOME)]
            x = self.bind(Row([_first_of(group, sign) for group in groups], self.program))
        return x

    def matmul(self, x: Row, matrix: Array) -> Row:
        x = self.bind(x)
        return self.join(*(self.row_sum(x * row) for row in matrix))

    def part(self, x: Row, start: int, stop: int) -> Row:
        return Row(x.texts[start:stop], self.program)

    def join(self, *columns: Row) -> Row:
        return Row([text for column in columns for text in column.texts], self.program)

    def is_first_largest(self, x: Row) -> Row:
        x = self.bind(x)
        top = self.row_max(x).texts[0]
        cases = [f"WHEN {text} >= {top} THEN {place}" for place, text in enumerate(x.texts)]
        first = self.program.bind(f"CASE {' '.join(cases)} END")
        return Row([f"({first} = {place})" for place in range(len(x.texts))], self.program)


def _first_of(texts: Sequence[str], sign: str) -> str:
    """The first of some values that stands in this relation to all after it."""
    cases = []
    for place, text in enumerate(texts[:-1]):
        relations = [f"{text} {sign} {later}" for later in texts[place + 1 :]]
        cases.append(f"WHEN {' AND '.join(relations)} THEN {text}")
    return f"CASE {' '.join(cases)} ELSE {texts[-1]} END" if cases else texts[-1]


class _OneOf:
    """The claims of one class of several."""

    def __init__(self, claims: Claims, place: int) -> None:
        self._claims = claims
        self._place = place

    @property
    def p(self) -> Row:
        return self._of(self._claims.p)

    @property
    def log_odds(self) -> Row:
        return self._of(self._claims.log_odds)

    def _of(self, x: Row) -> Row:
        return Row([x.texts[self._place]], x.program)


def tabulated(rule: ChanceRule) -> list[tuple[float, float, Array]]:
    """Stretches of log odds, and coefficients of a polynomial about the middle, within 1e-12 of the rule."""

    def chances(z: Array) -> Array:
        return rule(GivenClaims(expit(z), lambda: z))

    # Ends that are halves of halves of 1 are short to write.
    ends = np.arange(-TABLE_ENDS, TABLE_ENDS + 2, 2)
    waiting = list(itertools.pairwise(ends.tolist()))[::-1]
    found = []
    while waiting:
        low, high = waiting.pop()
        middle = (low + high) / 2
        fitted = Chebyshev.interpolate(chances, DEGREE, [low, high])
        z = np.linspace(low, high, 4 * DEGREE)
        if np.abs(fitted(z) - chances(z)).max() > WITHIN and high - low > NARROWEST:
            waiting += [(middle, high), (low, middle)]
        else:
            half = (high - low) / 2
            found.append((low, high, cheb2poly(fitted.coef) / half ** np.arange(DEGREE + 1)))
        if len(found) * 100 * DEGREE > MOST_CHARACTERS:
            raise ValueError("the map bends too often for a table of 1 MB in SQL; use map.to_onnx")
    return found


def _polynomial(coefficients: Array, t: str) -> str:
    """The sum of powers, one after the other: brackets within brackets overflow some parsers."""
    terms = [" * ".join([literal(each), *[t] * power]) for power, each in enumerate(coefficients)]
    return " + ".join(terms)
