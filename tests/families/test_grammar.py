"""What is written of a family is taken apart, and nothing of it is run."""

import pytest

from calibrant.families.grammar import MOST_PARENTHESES, Written, parse, split_names


def test_a_name_has_values_and_settings_of_every_sort() -> None:
    written = parse("A-b_c(1, -2.5, 1e-3, word, 'a text-in', [x(1), None], k-l=true, m=(1, 2))")
    assert written == Written(
        "A_b_c",
        (1, -2.5, 1e-3, Written("word"), "a text-in", (Written("x", (1,)), None)),
        {"k_l": Written("true"), "m": (1, 2)},
    )
    assert str(written) == "A-b-c"
    assert written.is_set
    assert not parse("platt()").is_set


def test_quotes_keep_what_they_hold() -> None:
    assert parse(r"""f('it\'s a-b', "x-y")""").values == ("it's a-b", "x-y")


@pytest.mark.parametrize(
    "text",
    [
        "spline(knots=14",
        "spline knots",
        "spline(knots==4)",
        "spline(lambda: 3)",
        "spline(*x)",
        "spline(**x)",
        "spline(3 + 4)",
        "spline(knots=1, knots=2)",
        "spline(knots=1, 2)",
        "spline({[]: 1})",
        "spline(b'x')",
        "__import__('os').system('true')",
        "a.b",
        "x[1]",
        "5",
        "platt, isotonic",
        "'spline'",
        "sp\0line",
        "-" * 9999 + "1",
        "f(" * (MOST_PARENTHESES + 1),
    ],
)
def test_other_texts_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"a family is written as in ranked") as caught:
        parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


def test_names_are_split_at_commas_outside_parentheses() -> None:
    assert split_names("Platt, temperature") == ["Platt", "temperature"]
    assert split_names("ranked(spline, ranks=2),beta") == ["ranked(spline, ranks=2)", "beta"]
    assert split_names("blend((platt, beta))") == ["blend((platt, beta))"]
    assert split_names(" ") == [""]
    for text in ("platt,", "platt,,beta", "platt)", "(platt"):
        with pytest.raises(
            ValueError, match="families are written as in temperature,isotonic, got"
        ):
            split_names(text)
