"""Formulas as text: the operations as SQL does them, with no function but exp and ln."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..families.operations import Claims, Side, Value
from ..families.rounding import beyond_rounding
from ..families.rules import ChanceRule
from ..fitting.types import Array
from .sql_program import Operand, Program, Row, literal, literals
from .sql_tables import ENDS, tabulated

MOST_CHARACTERS = 1_000_000
SOME = 12  # values of which the largest, or the right one, is found at once
MANY = 200  # values that are added at once
# Beyond this exp overflows, and some databases refuse it; far below its negative likewise.
FAR = "7e2"


class NotInSql(ValueError):
    """A step of a formula that no expression does."""


class SqlOperations:
    """What rules need, as text; rounding may have moved claims by `slack` in log odds."""

    gap = 4 * float(np.finfo(np.float64).eps)

    def __init__(self, program: Program, slack: float) -> None:
        self.program = program
        self.slack = slack

    def row(self, texts: Sequence[str]) -> Row:
        return Row(texts, self.program)

    def bind(self, x: Row) -> Row:
        """The same values by name, for use more than once."""
        return self.row([self.program.bind(text) for text in x.texts])

    def exp(self, x: Row) -> Row:
        texts = []
        for text in self.bind(x).texts:
            above = f"WHEN {text} > {FAR} THEN {FAR}"
            below = f"WHEN {text} < -{FAR} THEN -{FAR}"
            texts.append(f"exp(CASE {above} {below} ELSE {text} END)")
        return self.row(texts)

    def log(self, x: Row) -> Row:
        return self.row([f"ln({text})" for text in x.texts])

    def expit(self, z: Row) -> Row:
        return 1.0 / (1.0 + self.exp(-z))

    def log_expit(self, z: Row) -> Row:
        z = self.bind(z)
        negative = self.where(z < 0.0, z, -z)
        return self.minimum(z, 0.0) - self.log(1.0 + self.exp(negative))

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
        x = self.bind(x)
        return self.where(x < low, low, self.where(x > high, high, x))

    def step(
        self,
        x: Row,
        edges: Array,
        heights: Array,
        *,
        side: Side,
        gain: Value | None = None,
    ) -> Row:
        x = self.bind(x)
        x = beyond_rounding(x, self.slack, gain, side)
        sign = "<=" if side == "left" else "<"
        return self._choose(x, edges, literals(heights), sign)

    def line(self, x: Row, points: Array, heights: Array) -> Row:
        x = self.bind(x)
        # Between points so near that the slope overflows no claim lies.
        with np.errstate(over="ignore", invalid="ignore"):
            slopes = np.diff(heights) / np.diff(points)
        slopes = np.nan_to_num(slopes, nan=0, posinf=0, neginf=0)
        pieces = [literal(heights[0])]
        for start, height, slope in zip(points[:-1], heights[:-1], slopes, strict=True):
            rise = f" + {literal(slope)} * ({x.texts[0]} - {literal(start)})"
            pieces.append(literal(height) + (rise if slope else ""))
        pieces.append(literal(heights[-1]))
        return self._choose(x, points, pieces, "<")

    def _choose(self, x: Row, edges: Array, values: Sequence[str], sign: str) -> Row:
        """The value between two edges; `sign` says on which side an edge itself lies.

        Some parts of the values are told apart, and parts of those in them: one in the other a
        thousand times, or a thousand in a row, are more than some databases bear or search quickly.
        """
        name = self.bind(x).texts[0]

        def choose(start: int, stop: int) -> str:
            if stop - start == 1:
                return values[start]
            ends = np.linspace(start, stop, min(SOME, stop - start) + 1).astype(int).tolist()
            parts = [choose(*part) for part in pairwise(ends)]
            cases = []
            for part, end in zip(parts[:-1], ends[1:-1], strict=True):
                cases.append(f"WHEN {name} {sign} {literal(edges[end - 1])} THEN {part}")
            return f"CASE {' '.join(cases)} ELSE {parts[-1]} END"

        return self.row([choose(0, len(values))])

    def columns(self, rules: Sequence[ChanceRule], claims: Claims) -> Row:
        columns = []
        for place, rule in enumerate(rules):
            chance = self.calibrated(rule, _OneColumn(claims, place))
            columns.append(self.clip(chance, 0.0, 1.0))
        return self.bind(self.join(*columns))

    def calibrated(self, rule: ChanceRule, claims: Claims) -> Row:
        """What the rule's formula gives, or where it sums over the rows fitted on, a table of it."""
        try:
            chance: Row = rule.formula(claims, self)
        except NotInSql:
            return self._from_table(rule, claims.log_odds)
        return chance

    def _from_table(self, rule: ChanceRule, log_odds: Row) -> Row:
        z = self.bind(self.clip(log_odds, -ENDS, ENDS))
        stretches = tabulated(rule, MOST_CHARACTERS)
        edges = np.array([stretch.high for stretch in stretches[:-1]])
        values = [stretch.text(z.texts[0]) for stretch in stretches]
        return self._choose(z, edges, values, "<")

    def kernel_mean(self, *_: Value) -> Row:
        raise NotInSql("it sums over the rows fitted on")

    def softmax(self, z: Row) -> Row:
        z = self.bind(z)
        e = self.bind(self.exp(z - self.row_max(z)))
        return e / self.bind(self.row_sum(e))

    def log_softmax(self, z: Row) -> Row:
        z = self.bind(z)
        below = self.bind(z - self.row_max(z))
        total = self.row_sum(self.exp(below))
        return below - self.bind(self.log(total))

    def row_sum(self, x: Row) -> Row:
        return self.row([added(x.texts)])

    def row_max(self, x: Row) -> Row:
        return self._first_of_all(x, ">=")

    def row_min(self, x: Row) -> Row:
        return self._first_of_all(x, "<=")

    def _first_of_all(self, x: Row, sign: str) -> Row:
        """The largest or the least value: of some at a time, and of those again."""
        texts = self.bind(x).texts
        while len(texts) > 1:
            groups = [texts[i : i + SOME] for i in range(0, len(texts), SOME)]
            texts = [self.program.bind(_first_of(group, sign)) for group in groups]
        return self.row(texts)

    def matmul(self, x: Row, matrix: Array) -> Row:
        x = self.bind(x)
        sums = [self.row_sum(x * row) for row in matrix]
        return self.join(*sums)

    def part(self, x: Row, start: int, stop: int) -> Row:
        return self.row(x.texts[start:stop])

    def join(self, *columns: Row) -> Row:
        return self.row([text for column in columns for text in column.texts])

    def is_first_largest(self, x: Row) -> Row:
        x = self.bind(x)
        top = self.row_max(x).texts[0]
        cases = [f"WHEN {text} >= {top} THEN {place}" for place, text in enumerate(x.texts)]
        first = self.program.bind(f"CASE {' '.join(cases)} END")
        return self.row([f"({first} = {place})" for place in range(len(x.texts))])

    def _sorted(self, *_: Value) -> Row:
        raise NotInSql("it sorts the classes of a row")

    descending = _sorted
    gather = _sorted
    scatter = _sorted
    places = _sorted
    sums_from_left = _sorted
    log_sums_from_right = _sorted


def added(texts: Sequence[str]) -> str:
    """The sum of values: of many at a time, and of those again, as parsers bear only so many in a row."""
    while len(texts) > 1:
        groups = [texts[i : i + MANY] for i in range(0, len(texts), MANY)]
        texts = [f"({' + '.join(group)})" for group in groups]
    return texts[0]


def _first_of(texts: Sequence[str], sign: str) -> str:
    """The first of some values that stands in this relation to all after it."""
    if len(texts) == 1:
        return texts[0]
    cases = []
    for place, text in enumerate(texts[:-1]):
        relations = [f"{text} {sign} {later}" for later in texts[place + 1 :]]
        cases.append(f"WHEN {' AND '.join(relations)} THEN {text}")
    return f"CASE {' '.join(cases)} ELSE {texts[-1]} END"


class _OneColumn:
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
