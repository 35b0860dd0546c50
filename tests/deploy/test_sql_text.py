"""The text of maps as SQL: what is in it, how long it may be, and what is refused."""

import re

import pytest
from shared_exports import chance_map, vector_map
from shared_families import CHANCE_FAMILIES, VECTOR_FAMILIES

import calibrant as c
from calibrant import Family

NAMES = ["p_cat", "p_dog", "p_eel"]
WORDS = set(
    [
        "SELECT",
        "DISTINCT",
        "FROM",
        "AS",
        "WITH",
        "MATERIALIZED",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "END",
        "AND",
        "IS",
        "NULL",
    ]
)
NUMBER = re.compile(r"(?<![\\w.])\\d[\\d.]*(?:e[+-]?\\d+)?")
IN_SQL = [family for family in VECTOR_FAMILIES if not isinstance(family, c.Ranked)]


def _assert_plain(text: str, columns: list[str]) -> None:
    """No function but exp and ln, no word but these, and no number with a point but no exponent."""
    assert set(re.findall(r"(\\w+)\\(", text)) <= {"exp", "ln"}
    words = set(re.findall(r"\\b[a-zA-Z_]\\w*", re.sub(NUMBER, "0", text)))
    names = {word for word in words if re.fullmatch(r"v_?\\d+", word)}
    assert words - names <= {*WORDS, *columns, "exp", "ln"}
    for number in re.findall(NUMBER, text):
        assert "e" in number or number.isdigit(), number
    assert text.count("(") == text.count(")")
    assert not set(text) - set(_CHARACTERS)


_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789 .,()+-*/<>="


@pytest.mark.parametrize("family", CHANCE_FAMILIES, ids=repr)
def test_one_chance_is_written_with_exp_ln_and_case_alone(family: Family) -> None:
    fitted = chance_map(family)
    _assert_plain(fitted.to_sql("p"), ["p"])
    _assert_plain(fitted.to_sql("p", table="t", keep=["id"]), ["p", "t", "id"])


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", IN_SQL, ids=repr)
def test_vectors_are_written_with_exp_ln_and_case_alone(family: Family, kind: c.Kind) -> None:
    fitted = vector_map(family, kind, 3)
    _assert_plain(fitted.to_sql(NAMES), NAMES)
    _assert_plain(fitted.to_sql(NAMES, table="t", keep=["id"]), [*NAMES, "t", "id"])
