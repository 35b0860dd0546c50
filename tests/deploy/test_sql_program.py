"""Names that values are bound to, and the layers of a query that bind them."""

import pytest

from calibrant.deploy.sql_program import SHORT, Program, Row, unused_prefix

LONG = " + ".join(["v0"] * SHORT)


def test_what_is_short_is_repeated_and_what_is_long_has_one_name() -> None:
    program = Program(["p"])
    assert program.bind("(v0 + 1e0)") == "(v0 + 1e0)"
    assert program.bind(LONG) == "v1"
    assert program.bind(LONG) == "v1"
    assert program.bind(f"{LONG} + 1e0") == "v2"


def test_a_layer_binds_all_that_it_can_and_carries_what_is_needed_later() -> None:
    program = Program(["p", "q"])
    first = program.bind(f"{LONG} + 1e0")
    second = program.bind(f"{LONG} + v1")
    program.bind(f"{LONG} + 5e0")  # used by nothing
    third = program.bind(f"{LONG} + {first} + {second}")
    outputs = {"sum": f"{third} + v1"}
    assert program.query(outputs, "t", ["id"], "standard") == (
        "WITH v_0 AS MATERIALIZED (SELECT id, 1e0 * p AS v0, 1e0 * q AS v1 FROM t), "
        f"v_1 AS MATERIALIZED (SELECT id, v0, v1, {LONG} + 1e0 AS v2, {LONG} + v1 AS v3 FROM v_0), "
        f"v_2 AS MATERIALIZED (SELECT id, v1, {LONG} + v2 + v3 AS v5 FROM v_1) "
        "SELECT id, v5 + v1 AS sum FROM v_2"
    )


def test_spark_has_no_word_for_layers_that_are_worked_out_once() -> None:
    program = Program(["p"])
    assert program.query({"twice": "v0 * 2e0"}, "t", [], "spark") == (
        "WITH v_0 AS (SELECT 1e0 * p AS v0 FROM t) SELECT v0 * 2e0 AS twice FROM v_0"
    )


def test_an_expression_has_the_columns_of_the_query_around_it_at_its_heart() -> None:
    program = Program(["p"])
    assert program.expression("v0 * 2e0") == (
        "(SELECT v0 * 2e0 FROM (SELECT DISTINCT 1e0 * p AS v0) AS v_0)"
    )


@pytest.mark.parametrize(
    ("names", "prefix"),
    [
        (["p", "value", "v", "v_x"], "v"),
        (["v1"], "vv"),
        (["V1"], "vv"),
        (["v_12"], "vv"),
        (['"of v3"'], "vv"),
        (["t.v1", "vv2"], "vvv"),
    ],
)
def test_names_are_none_of_the_callers(names: list[str], prefix: str) -> None:
    assert unused_prefix(names) == prefix


def test_one_value_goes_with_each_of_many_and_is_bound_if_it_is_long() -> None:
    program = Program(["p", "q", "r"])
    one = Row([LONG], program)
    assert (program.inputs - one).texts == ["(v0 - v3)", "(v1 - v3)", "(v2 - v3)"]
    assert (2.0 / program.inputs).texts == ["(2.0e0 / v0)", "(2.0e0 / v1)", "(2.0e0 / v2)"]
    assert (-program.inputs).texts == ["(-v0)", "(-v1)", "(-v2)"]
    with pytest.raises(ValueError, match="zip"):
        _ = program.inputs + Row(["v0", "v1"], program)
