"""What the settings of a family may be, read off their annotations."""

from dataclasses import MISSING
from typing import Literal

import pytest

from calibrant import Beta, Blend, Family, Spline
from calibrant.families.settings import (
    allowed_in_words,
    allows,
    holds_families,
    item_of,
    settings_in,
    usual_value,
)


def test_settings_have_names_and_usual_values() -> None:
    assert [each.name for each in settings_in(Spline)] == ["knots", "runout", "bounded", "curve"]
    assert [usual_value(each) for each in settings_in(Spline)] == [6, "natural", False, "residuals"]
    assert [usual_value(each) for each in settings_in(Blend)] == [MISSING, None]
    assert settings_in(Beta) == []


def test_lists_and_families_are_told_apart() -> None:
    assert item_of(tuple[float, ...] | None) is float
    assert item_of(float | None) is None
    assert holds_families(tuple[Family, ...])
    assert holds_families(Family | None)
    assert not holds_families(float | Literal["cv"])


@pytest.mark.parametrize(
    ("annotation", "words", "right", "wrong"),
    [
        (int | Literal["cv"], "cv or a whole number", "cv", 0.5),
        (float | int | None, "a number or none", 2, "cv"),
        (Literal[0, 1], "0 or 1", 1, True),
        (bool, "true or false", False, 0),
        (Family, "a family", Beta(), "platt"),
        (tuple[float, ...] | None, "a list or none", (0.5,), 0.5),
        (str, "a text", "any", 1),
    ],
)
def test_what_is_allowed_is_told_in_words(
    annotation: object, words: str, right: object, wrong: object
) -> None:
    assert allowed_in_words(annotation) == words
    assert allows(annotation, right)
    assert not allows(annotation, wrong)
