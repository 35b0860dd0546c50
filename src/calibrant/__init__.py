"""How far a classifier's probabilities can be trusted, where they lie, and how to mend them.

The public names are listed in `__init__.pyi`, which is also what this file reads: a name is imported when it is
first used, so `import calibrant` stays quick and loads no library it may not need.
"""

import ast
from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"

_HOMES = {
    name.name: statement.module
    for statement in ast.parse(Path(__file__).with_suffix(".pyi").read_text()).body
    if isinstance(statement, ast.ImportFrom)
    for name in statement.names
}
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'calibrant' has no attribute {name!r}")
    home = _HOMES[name]
    thing = import_module(f".{home or name}", __name__)
    value = getattr(thing, name) if home else thing
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
