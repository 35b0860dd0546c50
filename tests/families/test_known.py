"""Every public family is known by its name, and so is every one that a package declares and that loads."""

from dataclasses import is_dataclass
from importlib.metadata import EntryPoint

import pytest

import calibrant
from calibrant import Family, Isotonic, Platt
from calibrant.families import known
from calibrant.families.known import GROUP, kind_called, known_families, name_of_kind


def test_every_public_family_is_known() -> None:
    public = [getattr(calibrant, name) for name in calibrant.__all__]
    kinds = [each for each in public if isinstance(each, type) and issubclass(each, Family)]
    families = [kind for kind in kinds if is_dataclass(kind)]
    own = {each for each in known_families().values() if each.__module__.startswith("calibrant.")}
    assert own == set(families)
    assert list(known_families()) == sorted(known_families())
    assert {"bbq", "venn-abers", "one-vs-rest"} <= set(known_families())
    assert known_families() is known_families()


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages that declare a family, one of a name that is taken, and two that do not load."""
    entries = [
        EntryPoint("Second_Isotonic", "calibrant.families.binary.isotonic:Isotonic", GROUP),
        EntryPoint("platt", "calibrant.families.binary.isotonic:Isotonic", GROUP),
        EntryPoint("broken", "no_such_package:Broken", GROUP),
        EntryPoint("nothing", "calibrant:report", GROUP),
    ]
    monkeypatch.setattr(known, "entry_points", lambda **_: entries)
    monkeypatch.setattr(known, "known_families", known_families.__wrapped__)


@pytest.mark.usefixtures("declared")
def test_what_packages_declare_is_known_but_does_not_replace_the_public() -> None:
    assert kind_called("second-isotonic") is Isotonic
    assert kind_called("Platt") is Platt
    assert name_of_kind(Platt) == "platt"


@pytest.mark.usefixtures("declared")
def test_what_does_not_load_is_left_out_and_told_of_when_asked_for() -> None:
    assert not {"broken", "nothing"} & set(known.known_families())
    with pytest.raises(ValueError, match="declares broken, which cannot be loaded: No module"):
        kind_called("Broken")
    with pytest.raises(ValueError, match="declares nothing, which cannot be loaded: calibrant:rep"):
        kind_called("nothing")
    with pytest.raises(ValueError, match="there is no family 'brocken'"):
        kind_called("brocken")
