"""Without the package that it works with, an integration says how to install it."""

import sys
from importlib import import_module

import pytest

PACKAGES = {
    "evaluate": "datasets",
    "evidently": "evidently",
    "inspect": "inspect_ai",
    "lm_eval": "lm_eval",
    "mlflow": "mlflow",
}


@pytest.mark.parametrize("name", PACKAGES)
def test_a_missing_package_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    room = f"calibrant.integrations.{name}"
    monkeypatch.setitem(sys.modules, PACKAGES[name], None)
    monkeypatch.delitem(sys.modules, room, raising=False)
    with pytest.raises(ImportError, match=rf'{room} needs .*: pip install "calibrant\['):
        import_module(room)
