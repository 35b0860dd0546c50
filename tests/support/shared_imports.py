"""What every file of the package imports, read from its text and never run."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import calibrant

ROOT = Path(calibrant.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
Place = Literal["file", "function", "typing"]
FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda


class Import(NamedTuple):
    """A file that imports a module or a name of the package, and where in the file it does."""

    file: str
    target: str
    place: Place

    @property
    def room(self) -> str:
        """The room of the file: a folder, or a file beside the folders."""
        return _first(self.file, "/")

    @property
    def target_room(self) -> str:
        """The room that it imports from; the package itself is the room of the public names."""
        first = _first(self.target, ".")
        return first if first in ROOMS else "calibrant"


def imports() -> Iterator[Import]:
    """All imports of the package's own modules, in all of its files."""
    for path in FILES:
        tree = ast.parse(path.read_text())
        for node, place in _imports_below(tree, "file"):
            for target in _targets(node, path):
                yield Import(name_of_file(path), target, place)


def name_of_file(path: Path) -> str:
    """A file by its path within the package."""
    return path.relative_to(ROOT).as_posix()


def _imports_below(node: ast.AST, place: Place) -> Iterator[tuple[ast.AST, Place]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, place
        else:
            yield from _imports_below(child, _place_within(child, place))


def _place_within(node: ast.AST, place: Place) -> Place:
    if isinstance(node, FUNCTIONS):
        return "function"
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return "typing"
    return place


def _targets(node: ast.AST, path: Path) -> list[str]:
    """What an import names below the package, dotted; the package itself is an empty name."""
    if isinstance(node, ast.Import):
        found = [alias.name for alias in node.names]
    else:
        assert isinstance(node, ast.ImportFrom)
        home = _home(node, path)
        found = [f"{home}.{alias.name}" for alias in node.names]
    ours = [name for name in found if name == "calibrant" or name.startswith("calibrant.")]
    return [name.removeprefix("calibrant").removeprefix(".") for name in ours]


def _home(node: ast.ImportFrom, path: Path) -> str:
    """The module that names are imported from, in full."""
    if not node.level:
        return node.module or ""
    folder = path.parents[node.level - 1].relative_to(ROOT.parent)
    parts = [*folder.parts, node.module] if node.module else folder.parts
    return ".".join(parts)


def _first(name: str, separator: str) -> str:
    return name.split(separator)[0].removesuffix(".py")


ROOMS = {_first(name_of_file(path), "/") for path in FILES} - {"__init__"}
IMPORTS = list(imports())
