"""The settings of a family: their names, their usual values, and what their annotations allow."""

from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin

from ..inputs.checks import check_argument
from .family import Family

Setting: TypeAlias = Field[Any]
Annotation: TypeAlias = object
IN_WORDS: Final[dict[Annotation, str]] = {
    Family: "a family",
    tuple: "a list",
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    str: "a text",
    NoneType: "none",
}


def settings_in(kind: type[Family]) -> list[Setting]:
    """What a family can be set to be, in order."""
    dataclass: Any = kind
    return [each for each in fields(dataclass) if each.init]


def usual_value(setting: Setting) -> object:
    """What a setting is where nothing is said, or MISSING."""
    if setting.default_factory is not MISSING:
        return setting.default_factory()
    return setting.default


def kinds_in(annotation: Annotation) -> tuple[Annotation, ...]:
    """What an annotation allows, one by one."""
    if get_origin(annotation) in (Union, UnionType):
        return get_args(annotation)
    return (annotation,)


def item_of(annotation: Annotation) -> Annotation | None:
    """What a list holds; None for what is no list."""
    for kind in kinds_in(annotation):
        if get_origin(kind) is tuple:
            first: Annotation = get_args(kind)[0]
            return first
    return None


def literals_in(annotation: Annotation) -> Iterator[object]:
    """The words and numbers that an annotation names."""
    for kind in kinds_in(annotation):
        if get_origin(kind) is Literal:
            yield from get_args(kind)


def holds_families(annotation: Annotation) -> bool:
    """Whether a family may stand there, or a list of them."""
    kinds = kinds_in(annotation) + kinds_in(item_of(annotation))
    return any(isinstance(kind, type) and issubclass(kind, Family) for kind in kinds)


def allows(annotation: Annotation, value: object) -> bool:
    """Whether a setting may have a value, of which the family itself may ask more."""
    try:
        check_argument("setting", value, annotation)
    except ValueError:
        return False
    return True


def allowed_in_words(annotation: Annotation) -> str:
    """What a setting may be, for a message.

    >>> allowed_in_words(int | Literal["cv"])
    'cv or a whole number'
    """
    kinds = {get_origin(kind) or kind for kind in kinds_in(annotation)}
    if float in kinds:
        kinds.discard(int)
    words = [str(literal) for literal in literals_in(annotation)]
    words += [text for kind, text in IN_WORDS.items() if kind in kinds]
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last
