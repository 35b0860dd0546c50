"""The text of maps as SQL: what is in it, how long it may be, and what is refused."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit
from shared_exports import chance_map, vector_map, vectors
from shared_families import CHANCE_FAMILIES, VECTOR_FAMILIES

import calibrant as c
from calibrant import Family, binary
from calibrant.inputs.predictions import Kind

NAMES = ["p_cat", "p_dog", "p_eel"]
IN_SQL = [family for family in VECTOR_FAMILIES if not isinstance(family, c.Ranked)]
FUNCTIONS = {"exp", "ln"}
CLAUSES = {"SELECT", "DISTINCT", "FROM", "AS", "WITH", "MATERIALIZED"}
CASES = {"CASE", "WHEN", "THEN", "ELSE", "END", "AND", "IS", "NULL"}
NUMBER = re.compile(r"(?<![\w.])\.?\d[\d.]*(?:e[+-]?\d+)?")


def _assert_plain(text: str, columns: list[str]) -> None:
    """No function but exp and ln, no other words than these, no number with a point but no exponent."""
    called = set(re.findall(r"(\w+)\(", text))
    assert called <= FUNCTIONS
    numbers = set(re.findall(NUMBER, text))
    assert all("e" in number or number.isdigit() for number in numbers)
    assert not re.findall(r"[^\w\s.,()+\-*/<>=]", text)
    words = set(re.findall(r"[A-Za-z_]\w*", re.sub(NUMBER, "", text)))
    bound = {word for word in words if re.fullmatch(r"v_?\d*", word)}
    assert words - bound <= {*FUNCTIONS, *CLAUSES, *CASES, *columns}


@pytest.mark.parametrize("family", CHANCE_FAMILIES, ids=repr)
def test_one_chance_is_written_with_exp_ln_and_case_alone(family: Family) -> None:
    fitted = chance_map(family)
    _assert_plain(fitted.to_sql("p"), ["p"])
    _assert_plain(fitted.to_sql("p", table="t", keep=["id"]), ["p", "t", "id"])


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", IN_SQL, ids=repr)
def test_vectors_are_written_with_exp_ln_and_case_alone(family: Family, kind: Kind) -> None:
    fitted = vector_map(family, kind, 3)
    _assert_plain(fitted.to_sql(NAMES), NAMES)
    _assert_plain(fitted.to_sql(NAMES, table="t", keep=["id"]), [*NAMES, "t", "id"])


@pytest.mark.parametrize(
    "text", ["0.1 * p", "sqrt(p)", "p > .5", "p % 1e0", "POWER(p, 2)", "p || q"]
)
def test_what_is_not_plain_is_found(text: str) -> None:
    with pytest.raises(AssertionError):
        _assert_plain(text, ["p"])


def test_a_value_is_worked_out_once() -> None:
    fitted = chance_map(c.Blend((c.Platt(), c.Beta()), shares=(0.5, 0.5)))
    assert fitted.to_sql("p").count("ln(") == 4  # of p and of the rest, and in two of log_expit


def test_a_query_for_spark_differs_by_one_word() -> None:
    fitted = vector_map(c.OneVsRest(c.Platt()), "logits", 3)
    for_spark = fitted.to_sql(NAMES, table="t", dialect="spark")
    assert for_spark == fitted.to_sql(NAMES, table="t").replace("AS MATERIALIZED", "AS")
    assert fitted.to_sql(NAMES, dialect="spark") == fitted.to_sql(NAMES)
    with pytest.raises(ValueError, match="dialect must be 'standard' or 'spark', got 'oracle'"):
        fitted.to_sql(NAMES, dialect="oracle")  # type: ignore[arg-type]


def test_a_loaded_map_makes_the_same_text(tmp_path: Path) -> None:
    fitted = vector_map(c.OneVsRest(c.Isotonic()), "probs", 3)
    fitted.save(tmp_path / "map")
    assert c.load(tmp_path / "map").to_sql(NAMES) == fitted.to_sql(NAMES)


@pytest.mark.parametrize(
    "family", [c.Spline(), c.Ranked(c.Isotonic()), c.Ranked(c.Smooth(), ranks=2)], ids=repr
)
@pytest.mark.parametrize("table", [None, "t"])
def test_ranks_are_refused_as_they_sort(family: Family, table: str | None) -> None:
    fitted = vector_map(family, "logits", 3)
    with pytest.raises(
        ValueError,
        match=r"^Ranked\(.* has no form in SQL \(it sorts the classes of a row\): use .*to_onnx$",
    ):
        fitted.to_sql(NAMES, table=table)


def test_a_list_that_is_too_long_is_refused_with_its_size_and_a_table_is_the_way_out() -> None:
    fitted = vector_map(c.OneVsRest(c.Kernel(0.05)), "logits", 3)
    with pytest.raises(
        ValueError, match=r"would be 1,\d\d\d,\d\d\d characters of SQL, .*1,000,000: give table="
    ):
        fitted.to_sql(NAMES)
    assert len(fitted.to_sql(NAMES, table="t")) < 500_000


def test_an_expression_that_is_too_long_is_refused_with_its_size_and_files_are_the_way_out() -> (
    None
):
    random = np.random.default_rng(0)
    p = random.random(20_000)
    fitted = c.Spline().fit(binary(p, random.random(20_000) < p))
    for table in (None, "t"):
        with pytest.raises(
            ValueError,
            match=r"Spline\(.* would be \d,\d\d\d,\d\d\d char.*: use map.save or map.to_onnx",
        ):
            fitted.to_sql("p", table=table)


def test_a_kernel_whose_table_is_too_long_is_refused_with_its_size() -> None:
    random = np.random.default_rng(3)
    p = expit(random.normal(0, 3, 1000))
    fitted = c.Kernel(1.4e-4).fit(binary(p, random.random(1000) < p))
    with pytest.raises(
        ValueError, match=r"would be 1,\d\d\d,\d\d\d char.*: use map.save or map.to_onnx"
    ):
        fitted.to_sql("p")


def test_a_kernel_mixed_with_edges_is_refused_rather_than_smoothed() -> None:
    fitted = chance_map(c.Blend((c.Kernel(0.02), c.Isotonic()), shares=(0.5, 0.5)))
    with pytest.raises(
        ValueError, match=r"has no form in SQL \(no polynomial comes near .*\): use .*map.to_onnx"
    ):
        fitted.to_sql("p")


def test_columns_must_be_those_of_the_map() -> None:
    chances = chance_map(c.Platt())
    whole = vector_map(c.Temperature(), "logits", 3)
    with pytest.raises(ValueError, match=r"takes the name of one column, .*got \['p', 'q', 'r'\]"):
        chances.to_sql(["p", "q", "r"])
    of_top = c.Platt().fit(c.top_label(vectors("logits")))
    with pytest.raises(ValueError, match=r"takes the name of one column, .*got \['p', 'q'\]"):
        of_top.to_sql(["p", "q"])
    with pytest.raises(ValueError, match="one for each of the 3 classes, got 2"):
        whole.to_sql(["p_cat", "p_dog"])
    with pytest.raises(ValueError, match="one for each of the 3 classes, got 1"):
        whole.to_sql("p")
    with pytest.raises(ValueError, match=r"keep needs the table .*: table=\.\.\., got \['id'\]"):
        whole.to_sql(NAMES, keep=["id"])
