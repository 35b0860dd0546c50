"""Maps as SQL: what a warehouse can run without Python.

Only exp, ln, CASE, arithmetic and literals with an exponent are used, so that DuckDB, SQLite, Postgres
and Spark all take it. A value that is used more than once is bound to a name by a subquery.
"""

from collections.abc import Mapping, Sequence

from ..families.maps import ChanceMap, Map, VectorMap
from ..families.multiclass.pair import Pair
from ..families.operations import GivenClaims, Vectors, read_log_odds
from ..families.rounding import DOUBLE
from ..inputs.checks import check_argument
from .sql_operations import MOST_CHARACTERS, NotInSql, SqlOperations, added
from .sql_program import Dialect, Program, Row
from .sql_tables import NoTable


def to_sql(
    fitted: Map,
    columns: str | Sequence[str],
    *,
    table: str | None = None,
    keep: Sequence[str] = (),
    dialect: Dialect = "standard",
) -> str:
    """A map as SQL; `map.to_sql(...)` calls this.

    >>> from calibrant import Temperature, binary
    >>> print(to_sql(Temperature().fit(binary([0.2, 0.9], [0, 1])), "p")[:40])
    (SELECT CASE WHEN v0 IS NULL THEN NULL E
    """
    check_argument("dialect", dialect, Dialect)
    if not isinstance(fitted, ChanceMap | VectorMap):
        raise ValueError(f"SQL is made of a fitted map, got {type(fitted).__name__}")
    if keep and table is None:
        raise ValueError(f"keep needs the table whose columns are kept: table=..., got {keep!r}")
    names = _column_names(fitted, columns)
    program = Program(names, [*keep, table or ""])
    outputs = _outputs(fitted, program)
    if table is not None:
        text = program.query(dict(zip(names, outputs, strict=True)), table, keep, dialect)
        _refuse_long(fitted, len(text), "use map.save or map.to_onnx")
        return text
    if isinstance(columns, str):
        text = program.expression(outputs[0])
        _refuse_long(fitted, len(text), "use map.save or map.to_onnx")
        return text
    return _list(fitted, program, dict(zip(names, outputs, strict=True)))


def _column_names(fitted: ChanceMap | VectorMap, columns: str | Sequence[str]) -> list[str]:
    if isinstance(fitted, VectorMap):
        names = [columns] if isinstance(columns, str) else list(columns)
        k = len(fitted.classes)
        if len(names) != k:
            raise ValueError(f"columns must be one for each of the {k} classes, got {len(names)}")
        return names
    if isinstance(columns, str):
        return [columns]
    if fitted.completes is None or len(columns) != 2:
        raise ValueError(
            "a map of one chance takes the name of one column, or if it is of one class of two, "
            f"those of both; got {columns!r}"
        )
    return list(columns)


def _outputs(fitted: ChanceMap | VectorMap, program: Program) -> list[str]:
    """What each column becomes: NULL where any claim of the row is."""
    try:
        q = _calibrated(fitted, program)
    except (NotInSql, NoTable) as error:
        raise ValueError(
            f"{fitted.family!r} has no form in SQL ({error}): use map.save or map.to_onnx"
        ) from error
    claims = program.bind(added(program.inputs.texts))
    return [f"CASE WHEN {claims} IS NULL THEN NULL ELSE {text} END" for text in q.texts]


def _calibrated(fitted: ChanceMap | VectorMap, program: Program) -> Row:
    if isinstance(fitted, VectorMap):
        ops = SqlOperations(program, DOUBLE if fitted.kind == "logits" else 0.0)
        x = Vectors(program.inputs, fitted.kind, len(fitted.classes), fitted.floor, ops)
        return fitted.rule.formula(x, ops)
    if len(program.inputs.texts) == 1:
        return _chance(fitted, program)
    ops = SqlOperations(program, 0.0)
    both = Vectors(program.inputs, "probs", 2, fitted.floor, ops)
    return Pair((fitted.rule,), fitted.completes or 0).formula(both, ops)


def _chance(fitted: Map, program: Program) -> Row:
    ops = SqlOperations(program, 0.0)
    p = program.inputs

    def log_odds() -> Row:
        return ops.bind(read_log_odds(p, fitted.floor, ops))

    q = ops.calibrated(fitted.rule, GivenClaims(p, log_odds))
    return ops.clip(q, 0.0, 1.0)


def _list(fitted: Map, program: Program, outputs: Mapping[str, str]) -> str:
    """A SELECT list: an expression by each column's name."""
    expressions: list[str] = []
    for name, output in outputs.items():
        expressions.append(f"{program.expression(output)} AS {name}")
        # All are about as long as the first.
        size = len(outputs) * max(len(expression) for expression in expressions)
        _refuse_long(fitted, size, "give table=... for a whole query, which is shorter")
    return ", ".join(expressions)


def _refuse_long(fitted: Map, size: int, way_out: str) -> None:
    if size > MOST_CHARACTERS:
        raise ValueError(
            f"{fitted.family!r} would be {size:,} characters of SQL, more than "
            f"{MOST_CHARACTERS:,}: {way_out}"
        )
