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
FAR = 700.0


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
        x = self.clip(x, -FAR, FAR)
        return self.row([f"exp({text})" for text in x.texts])

    def log(self, x: Row) -> Row:
        return self.row([f"ln({text})" for text in x.texts])

    def expit(self, z: Row) -> Row:
        return 1.0 / (1.0 + self.exp(-z))

    def log_expit(self, z: Row) -> Row:
        z = self.bind(z)
        negative = self.where(z < 0.0, z, -z)
        rest = self.log(1.0 + self.exp(negative))
        return self.minimum(z, 0.0) - rest

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
        not_too_high = self.where(x > high, high, x)
        return self.where(x < low, low, not_too_high)

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
        starts = literals(points)
        levels = literals(heights)
        pieces = levels[:1]
        for start, level, slope in zip(starts, levels, slopes, strict=False):
            rise = f" + {literal(slope)} * ({x.texts[0]} - {start})"
            pieces.append(level + rise if slope else level)
        pieces += levels[-1:]
        return self._choose(x, points, pieces, "<")

    def _choose(self, x: Row, edges: Array, values: Sequence[str], sign: str) -> Row:
        """The value between two edges; `sign` says on which side an edge itself lies.

        Some parts of the values are told apart, and parts of those in them: one in the other a
        thousand times, or a thousand in a row, are more than some databases bear or search quickly.
        """
        name = self.bind(x).texts[0]
        conditions = [f"{name} {sign} {edge}" for edge in literals(edges)]

        def choose(start: int, stop: int) -> str:
            size = stop - start
            if size == 1:
                return values[start]
            ends = np.linspace(start, stop, min(SOME, size) + 1).astype(int).tolist()
            parts = [choose(*part) for part in pairwise(ends)]
            below = [conditions[end - 1] for end in ends[1:-1]]
            return case(below, parts)

        return self.row([choose(0, len(values))])

    def columns(self, rules: Sequence[ChanceRule], claims: Claims) -> Row:
        columns = []
        for place, rule in enumerate(rules):
            chance = self.calibrated(rule, _OneColumn(claims, place))
            column = self.clip(chance, 0.0, 1.0)
            columns.append(column)
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
        below = z - self.row_max(z)
        relative = self.bind(self.exp(below))
        return relative / self.row_sum(relative)

    def log_softmax(self, z: Row) -> Row:
        z = self.bind(z)
        below = self.bind(z - self.row_max(z))
        total = self.row_sum(self.exp(below))
        return below - self.log(total)

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
            firsts = [_first_of(group, sign) for group in _groups(texts, SOME)]
            texts = [self.program.bind(first) for first in firsts]
        return self.row(texts)

    def matmul(self, x: Row, matrix: Array) -> Row:
        x = self.bind(x)
        sums = [self.row_sum(x * row) for row in matrix]
        return self.join(*sums)

    def part(self, x: Row, start: int, stop: int) -> Row:
        return self.row(x.texts[start:stop])

    def join(self, *columns: Row) -> Row:
        texts = []
        for column in columns:
            texts += column.texts
        return self.row(texts)

    def is_first_largest(self, x: Row) -> Row:
        x = self.bind(x)
        top = self.row_max(x).texts[0]
        places = [str(place) for place in range(len(x.texts))]
        are_top = [f"{text} >= {top}" for text in x.texts[:-1]]
        first = self.program.bind(case(are_top, places))
        return self.row([f"({first} = {place})" for place in places])

    def _sorted(self, *_: Value) -> Row:
        raise NotInSql("it sorts the classes of a row")

    descending = _sorted
    gather = _sorted
    scatter = _sorted
    places = _sorted
    sums_from_left = _sorted
    log_sums_from_right = _sorted


def case(conditions: Sequence[str], values: Sequence[str]) -> str:
    """The value of the first condition that holds; the last value where none does.

    >>> case(["p < 0e0"], ["0e0", "p"])
    'CASE WHEN p < 0e0 THEN 0e0 ELSE p END'
    """
    *others, last = values
    pairs = zip(conditions, others, strict=True)
    branches = [f"WHEN {condition} THEN {value}" for condition, value in pairs]
    return f"CASE {' '.join(branches)} ELSE {last} END"


def added(texts: Sequence[str]) -> str:
    """The sum of values: of many at a time, and of those again; parsers bear no more in a row."""
    while len(texts) > 1:
        texts = [f"({' + '.join(group)})" for group in _groups(texts, MANY)]
    return texts[0]


def _first_of(texts: Sequence[str], sign: str) -> str:
    """The first of some values that stands in this relation to all after it."""
    if len(texts) == 1:
        return texts[0]
    conditions = []
    for place, text in enumerate(texts[:-1], 1):
        relations = [f"{text} {sign} {later}" for later in texts[place:]]
        conditions.append(" AND ".join(relations))
    return case(conditions, texts)


def _groups(texts: Sequence[str], size: int) -> list[Sequence[str]]:
    return [texts[start : start + size] for start in range(0, len(texts), size)]


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
