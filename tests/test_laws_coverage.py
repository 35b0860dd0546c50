"""Every public name is held to the laws, or is exempt for a reason."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
import shared_families
from exemptions import (
    EXEMPT_FAMILIES,
    EXEMPT_FUNCTIONS,
    EXEMPT_MEASURES,
    MAY_REFUSE,
    UNTRIED,
    is_exempt_function,
)
from lawful import TRIALS, assert_lawful
from shared_families import (
    CHANCE_FAMILIES,
    FAMILIES,
    SETTINGS,
    VECTOR_FAMILIES,
    family_kinds,
    is_family_kind,
    tried,
)
from shared_measures import (
    MEASURES,
    Function,
    Measure,
    is_measure,
    is_view_function,
    kinds_taken,
    public_functions,
)
from shared_measures import SETTINGS as MEASURE_SETTINGS

import calibrant
from calibrant import Canonical, Family, Platt, Predictions, View
from calibrant.families.binary.logistic import Sigmoid
from calibrant.families.known import known_families

FUNCTIONS = public_functions()


def is_covered(name: str, function: Function) -> bool:
    """Whether a public function is held to the laws, or is exempt."""
    held = is_measure(function) or is_view_function(function)
    return held or is_exempt_function(name, function.__module__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_is_held_to_the_laws_or_exempt(name: str) -> None:
    assert is_covered(name, FUNCTIONS[name])


@pytest.mark.parametrize("kind", family_kinds())
def test_every_family_is_tried(kind: type[Family]) -> None:
    assert tried(kind) or kind in UNTRIED, (
        "it needs arguments: add some to SETTINGS in tests/support"
    )
    for family in tried(kind):
        assert family in CHANCE_FAMILIES or family in VECTOR_FAMILIES


@pytest.mark.parametrize("name", calibrant.__all__)
def test_a_public_family_that_is_not_tried_is_there_to_be_subclassed(name: str) -> None:
    thing = getattr(calibrant, name)
    if isinstance(thing, type) and issubclass(thing, Family) and not is_family_kind(thing):
        assert thing.__module__.endswith(".family")


def test_families_found_by_name_are_those_held_to_the_laws() -> None:
    assert set(known_families().values()) == set(family_kinds())


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_every_measure_takes_rows_that_laws_are_tried_on(measure: Measure) -> None:
    assert {View, Predictions, Canonical} & set(kinds_taken(measure.function))


def test_a_new_measure_is_found_and_a_function_of_elsewhere_is_missed() -> None:
    def new(x: View) -> float:
        return float(x.n)

    new.__module__ = "calibrant.measures.new"
    assert is_covered("new", new)
    new.__module__ = "calibrant.elsewhere"
    assert not is_covered("new", new)


@dataclass(frozen=True)
class FirstHalf(Platt):
    """Forgets half of its rows, so that their order is not irrelevant."""

    def chance_rule(self, view: View) -> Sigmoid:
        return super().chance_rule(view[: view.n // 2])


def test_a_family_that_breaks_a_law_is_told_which() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_lawful(FirstHalf())
    [note] = caught.value.__notes__
    assert note.startswith(f"{FirstHalf()!r} breaks the law that row_order_is_irrelevant")


def test_a_family_that_a_package_declares_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def declared(*, group: str) -> list[SimpleNamespace]:
        assert group == "calibrant.families"
        return [SimpleNamespace(load=lambda: FirstHalf)]

    monkeypatch.setattr(shared_families, "entry_points", declared)
    assert FirstHalf in family_kinds()


def test_exempt_families_are_tried_and_their_laws_exist() -> None:
    laws = {trial.law.__name__ for trial in TRIALS}
    assert set(EXEMPT_FAMILIES) <= {*laws, "a_thousand_classes"}
    known = {*FAMILIES, *family_kinds()}
    for exempt in EXEMPT_FAMILIES.values():
        assert set(exempt) <= known


def test_untried_families_are_public_and_have_no_settings_here() -> None:
    assert set(UNTRIED) <= set(family_kinds()) - set(SETTINGS)


def test_exempt_measures_are_tried() -> None:
    known = {repr(measure) for measure in MEASURES}
    known |= {measure.function.__name__ for measure in MEASURES}
    for exempt in [*EXEMPT_MEASURES.values(), MAY_REFUSE]:
        assert set(exempt) <= known


def test_exempt_functions_are_public() -> None:
    homes = {f"{function.__module__}." for function in FUNCTIONS.values()}
    for key in EXEMPT_FUNCTIONS:
        assert key in FUNCTIONS or any(home.startswith(f"{key}.") for home in homes)


def test_settings_are_of_what_is_public() -> None:
    assert set(SETTINGS) <= set(family_kinds())
    assert set(MEASURE_SETTINGS) <= set(FUNCTIONS.values())
