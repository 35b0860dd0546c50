"""Families as people write them: isotonic, spline(knots=14), ranked(spline, ranks=2)."""

from collections.abc import Iterator
from dataclasses import MISSING
from importlib import import_module
from keyword import iskeyword
from typing import Final, get_type_hints

import numpy as np

from ..inputs.checks import IN_ONE, briefly
from .family import Family
from .grammar import Value, Written, parse
from .known import SHORTHANDS, kind_called, name_of_kind, nearest, plain
from .known import known_families as known_families
from .settings import (
    Annotation,
    Setting,
    allowed_in_words,
    allows,
    holds_families,
    item_of,
    kinds_in,
    literals_in,
    settings_in,
    usual_value,
)

SELECT: Final = "select"
CONSTANTS: Final[dict[str, bool | None]] = {"true": True, "false": False, "none": None}


def family_of(name: str | Family) -> Family:
    """The family that a name stands for; a family stands for itself.

    Case, hyphens and underscores are forgiven. Settings stand in parentheses: numbers, true, false,
    none, words and families. "select" stands for whichever cross-validation chooses.

    >>> family_of("one-vs-rest(Histogram_Binning(n_bins=10))")
    OneVsRest(family=HistogramBinning(n_bins=10, edges='mass'))
    """
    if isinstance(name, Family):
        return name
    if isinstance(name, str):
        return _family(parse(name))
    hint = f"; write {name.__name__}()" if isinstance(name, type) else ""
    if isinstance(name, np.ndarray):
        # The habit of other libraries, calibration_error(y, p), puts an array where a family stands.
        hint = f"; {IN_ONE}"
    rule = "a family, or its name such as 'isotonic', is needed"
    raise ValueError(f"{rule}; got {briefly(name)}{hint}")


def name_of(family: Family) -> str:
    """A family as a person writes it, settings that are as usual left out.

    >>> from calibrant import Isotonic, OneVsRest, Spline
    >>> name_of(OneVsRest(Isotonic())), name_of(Spline(14, bounded=True))
    ('one-vs-rest(isotonic)', 'spline(knots=14, bounded=true)')
    """
    for shorthand, whole in SHORTHANDS.items():
        if family == family_of(whole):
            return shorthand
    if family == family_of(SELECT):
        return SELECT
    name = name_of_kind(type(family))
    settings = ", ".join(_unusual_settings(family))
    return f"{name}({settings})" if settings else name


def usual_settings(kind: type[Family]) -> str:
    """The settings of a family, with what they are where nothing is said.

    >>> usual_settings(kind_called("spline"))
    'knots=6, runout=natural, bounded=false, curve=residuals'
    """
    return ", ".join(_usual_setting(each) for each in settings_in(kind))


def _family(written: Written) -> Family:
    for shorthand, whole in SHORTHANDS.items():
        if plain(written.name) == plain(shorthand):
            return _whole_family(written, whole)
    if plain(written.name) == SELECT:
        return _chosen(written)
    kind = kind_called(str(written))
    settings = _settings(kind, written)
    try:
        return kind(**settings)
    except ValueError as error:
        raise ValueError(f"{name_of_kind(kind)}: {error}") from error


def _chosen(written: Written) -> Family:
    """The family that is chosen where its rows are known."""
    if written.is_set:
        raise ValueError("select has no settings here; calibrant.select(fit_on, ...) has them")
    # It chooses by scores, and so stands above: loaded where it is asked for, as plugins are.
    chosen: Family = import_module("calibrant.choosing").Chosen()
    return chosen


def _whole_family(written: Written, whole: str) -> Family:
    if written.is_set:
        raise ValueError(f"{written} has no settings of its own; write {whole}")
    return family_of(whole)


def _settings(kind: type[Family], written: Written) -> dict[str, object]:
    """What was written, by the names of the settings."""
    given = _in_order(kind, written)
    for name, value in written.settings.items():
        setting = _setting_called(kind, name)
        if setting in given:
            raise ValueError(f"{written} takes {setting} once, got it twice: leave one out")
        given[setting] = value
    return _meant_settings(kind, given)


def _meant_settings(kind: type[Family], given: dict[str, Value]) -> dict[str, object]:
    """Values as the annotations have them, none missing."""
    annotations = get_type_hints(kind)
    settings = {}
    for each in settings_in(kind):
        annotation = annotations[each.name]
        if each.name in given:
            value = _meant(given[each.name], annotation)
            _check(kind, each.name, value, annotation)
            settings[each.name] = value
        elif usual_value(each) is MISSING:
            family = name_of_kind(kind)
            example = f"{family}({_example(each.name, annotation)})"
            raise ValueError(f"{family} needs {each.name}: write as in {example}")
    return settings


def _in_order(kind: type[Family], written: Written) -> dict[str, Value]:
    """The values without a name; where the first setting is a list, all of them are its own."""
    values = written.values
    names = [each.name for each in settings_in(kind) if not each.kw_only]
    if values and names:
        first = get_type_hints(kind)[names[0]]
        if item_of(first) is not None and not isinstance(values[0], tuple):
            return {names[0]: values}
    if len(values) > len(names):
        most = f"at most {len(names)}" if names else "none"
        got = f"got {len(values)}; {_listed(kind)}"
        raise ValueError(f"{written} takes {most} without a name, {got}")
    return dict(zip(names, values, strict=False))


def _setting_called(kind: type[Family], name: str) -> str:
    known = [each.name for each in settings_in(kind)]
    for each in known:
        if plain(each) == plain(name):
            return each
    near = nearest(name, known)
    raise ValueError(f"{name_of_kind(kind)} has no setting {name!r}; {near}{_listed(kind)}")


def _listed(kind: type[Family]) -> str:
    names = [each.name for each in settings_in(kind)]
    return f"its settings are {', '.join(names)}" if names else "it has no settings"


def _example(name: str, annotation: Annotation) -> str:
    """A setting as it may be written, for a message."""
    if not holds_families(annotation):
        return f"{name}=..."
    return "smooth" if item_of(annotation) is None else "smooth, isotonic"


def _check(kind: type[Family], name: str, value: object, annotation: Annotation) -> None:
    if not allows(annotation, value):
        rule = f"{name} must be {allowed_in_words(annotation)}"
        raise ValueError(f"{name_of_kind(kind)}: {rule}, got {_told(value)}")


def _meant(value: Value, annotation: Annotation) -> object:
    """A value as the annotation has it; one alone may stand for a list of one."""
    item = item_of(annotation)
    if isinstance(value, tuple):
        return tuple(_meant(each, item) for each in value)
    one = _one_meant(value, annotation)
    if item is None or one is None:
        return one
    return (one,)


def _one_meant(value: Value, annotation: Annotation) -> object:
    if isinstance(value, Written):
        return _word_meant(value, annotation)
    if isinstance(value, str) and holds_families(annotation):
        return family_of(value)
    kinds = kinds_in(annotation)
    is_fraction = float in kinds and int not in kinds
    if is_fraction and isinstance(value, int):
        return float(value)
    return value


def _word_meant(written: Written, annotation: Annotation) -> object:
    """One of the words allowed, a constant, a family, or a text."""
    word = plain(written.name)
    for literal in literals_in(annotation):
        if plain(str(literal)) == word:
            return literal
    if word in CONSTANTS:
        return CONSTANTS[word]
    if holds_families(annotation):
        return _family(written)
    return f"{written}(...)" if written.is_set else written.name


def _unusual_settings(family: Family) -> Iterator[str]:
    """Settings by name; families that come first stand without."""
    known = settings_in(type(family))
    for each in known:
        value = getattr(family, each.name)
        if value == usual_value(each):
            continue
        is_first = each is known[0] and not each.kw_only
        if is_first and isinstance(value, Family):
            yield name_of(value)
        elif is_first and isinstance(value, tuple):
            yield from map(_told, value)
        else:
            yield f"{each.name}={_told(value)}"


def _usual_setting(setting: Setting) -> str:
    usual = usual_value(setting)
    return setting.name if usual is MISSING else f"{setting.name}={_told(usual)}"


def _told(value: object) -> str:
    if isinstance(value, Family):
        return name_of(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_told, value))})"
    if isinstance(value, str):
        return value if _is_word(value) else repr(value)
    if isinstance(value, float):
        return repr(float(value))  # numpy's own have another repr
    return str(value).lower()


def _is_word(text: str) -> bool:
    """Whether a text needs no quotes."""
    is_name = text.isidentifier() and not iskeyword(text)
    return is_name and text.lower() not in CONSTANTS
