"""Classes that a file may name: those of known families and their rules, and none that is merely called so."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from shared_exports import UNDECLARED_VECTORS, HalfTemper, some_claims, vectors
from shared_families import FAMILIES

from calibrant import (
    ChanceFamily,
    ChanceRule,
    Fact,
    Family,
    Platt,
    View,
    binary,
    load,
)
from calibrant.deploy.registry import Registry, known_rules, tag_of
from calibrant.families.operations import Claims, Operations, Value

UNDECLARED = r"which no installed package declares under the entry point group calibrant\.families$"


@dataclass(frozen=True, eq=False)
class Sigmoid(ChanceRule):
    """A class that is called, and tagged, as one of the library is, and gives nothing but 0."""

    tag = "sigmoid"
    slope: float
    intercept: float

    def formula(self, claims: Claims, ops: Operations) -> Value:  # noqa: ARG002 - whatever is claimed
        return 0.0 * claims.p

    def facts(self) -> Iterator[Fact]:
        yield Fact("slope", self.slope, "of no use")


def _named_as_the_librarys_own() -> Family:
    @dataclass(frozen=True)
    class Platt(ChanceFamily):
        """A family that is called as one of the library is."""

        def chance_rule(self, view: View) -> Sigmoid:  # noqa: ARG002 - whatever is claimed
            """The only rule there is."""
            return Sigmoid(1.0, 0.0)

    return Platt()


DEFINED_FIRST = """
import sys
from dataclasses import dataclass
from calibrant import ChanceRule, load

@dataclass(frozen=True, eq=False)
class Sigmoid(ChanceRule):
    tag = "sigmoid"
    slope: float
    intercept: float
    certificate: object
    formula = facts = lambda self, *_: 0.0

assert "calibrant.families.binary.logistic" not in sys.modules
print(type(load(sys.argv[1]).rule).__module__)
"""


def test_a_class_of_the_same_name_and_tag_does_not_take_over_a_saved_map(tmp_path: Path) -> None:
    fitted = Platt().fit(binary(*some_claims(50)))
    fitted.save(tmp_path / "map")
    again = load(tmp_path / "map")
    assert type(again.rule) is type(fitted.rule)
    np.testing.assert_array_equal(again([0.2, 0.9]), fitted([0.2, 0.9]))
    assert known_rules()["sigmoid"] is type(fitted.rule)
    assert Sigmoid not in known_rules().values()


def test_nor_does_one_that_is_defined_before_the_librarys_own(tmp_path: Path) -> None:
    Platt().fit(binary([0.2, 0.9], [0, 1])).save(tmp_path / "map")
    command = [sys.executable, "-c", DEFINED_FIRST, str(tmp_path / "map")]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.stdout == "calibrant.families.binary.logistic\n", found.stderr


@pytest.mark.parametrize(
    "family", [HalfTemper(), _named_as_the_librarys_own(), *UNDECLARED_VECTORS], ids=repr
)
def test_what_load_could_not_read_is_not_saved(family: Family, tmp_path: Path) -> None:
    fitted = family.fit(vectors("logits"))
    with pytest.raises(ValueError, match=f"this map cannot be saved, .*{UNDECLARED}"):
        fitted.save(tmp_path / "map")
    assert not list(tmp_path.iterdir())


def test_every_family_and_every_rule_has_a_name_that_leads_back_to_it() -> None:
    registry = Registry()
    kinds = {type(family) for family in FAMILIES}
    for kind in [*kinds, *known_rules().values()]:
        assert registry.kind_of(registry.name_of(kind)) is kind


def test_a_tag_of_another_package_begins_with_its_name() -> None:
    assert tag_of(Sigmoid) == f"{Sigmoid.__module__.partition('.')[0]}/sigmoid"
    assert tag_of(known_rules()["sigmoid"]) == "sigmoid"


@pytest.mark.parametrize(
    "name", ["rule:nothing", "family:nothing", "sigmoid", "os", None, ["rule"]]
)
def test_a_name_that_stands_for_nothing_is_refused(name: object) -> None:
    with pytest.raises(ValueError, match=f"it is made of .*{UNDECLARED}"):
        Registry().kind_of(name)
