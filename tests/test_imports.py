"""The package stays light, imports only downwards, and has and documents every public name."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from shared_imports import FILES, IMPORTS, ROOMS, Import, name_of_file

import calibrant

HEAVY = (
    "torch",
    "sklearn",
    "matplotlib",
    "polars",
    "pandas",
    "scipy.optimize",
    "scipy.stats",
    "rich",
    "typer",
)
# From the lowest up: a room imports from floors below its own. "calibrant" has the public names.
FLOORS = [
    {"progress"},
    {"fitting"},
    {"inputs"},
    {"families", "samples"},
    {"measures", "deploy"},
    {"scale"},
    {"inference"},
    {"contenders", "decisions"},
    {"choosing", "groups", "monitoring", "shift", "simulate"},
    {"training"},
    {"curves", "torch"},
    {"plots", "before_after"},
    {"reporting"},
    {"calibrant"},
    {"classifier_claims"},
    {"with_family"},
    {"cli", "integrations", "reliability_display"},
    {"sklearn", "start"},
    {"__main__"},
]
HEIGHT = {room: height for height, floor in enumerate(FLOORS) for room in floor}
# Said of the package itself, whatever it holds.
FREE_FOR_ALL = {"__version__", "__all__"}
# Imports inside functions, by file or room, and by the room or module they import.
INSIDE_FUNCTIONS = {
    ("cli", ""): "a command loads what it needs once it is called, so that --help is quick",
    ("families/family.py", "families.names"): "a family within another may be named",
    ("families/maps.py", "deploy"): "to save and export is asked of a map, and needs extras",
    ("inputs", "inputs.table"): "tables need polars, which is slow to load",
    ("start.py", "cli"): "Ctrl-C ends the command quietly while all else is being loaded",
    ("curves/drawn.py", "plots"): "plots need matplotlib, which is slow to load",
    ("reliability_display.py", "plots"): "plots need matplotlib, which is slow to load",
    ("reporting/picture.py", "plots"): "plots need matplotlib, which is slow to load",
    (
        "monitoring/monitor.py",
        "monitoring",
    ): "a monitor gives bytes and words, and bytes give a monitor",
    ("scale/sketch.py", "scale.packing"): "a sketch gives bytes, and bytes give a sketch",
    ("scale/sketch.py", "scale.answering"): "a sketch gives answers, which are of a sketch",
    ("scale/answering.py", "scale.fits"): "fits need polars, which is slow to load",
    ("reporting/summary.py", "reporting"): "pages need rich and jinja2, and numbers need neither",
}
# Imports of a room above for the sake of types alone.
UPWARDS_FOR_TYPES: dict[tuple[str, str], str] = {}
# To be mended: nothing is added here.
UPWARDS_STILL: set[tuple[str, str]] = set()
INSIDE_FUNCTIONS_STILL: set[tuple[str, str]] = {
    ("reporting/terminal.py", "reporting"),
}
ASKS_OF_RULES_STILL: set[str] = set()


def is_upwards(each: Import) -> bool:
    """Whether an import leaves its room for one that is not below."""
    if each.room == each.target_room or each.target in FREE_FOR_ALL:
        return False
    return HEIGHT[each.target_room] >= HEIGHT[each.room]


def may_be_inside(each: Import) -> bool:
    """Whether an import inside a function has its reason in the table."""
    return any(
        each.file.startswith(where) and each.target.startswith(target)
        for where, target in INSIDE_FUNCTIONS
    )


def asks_of_rules(tree: ast.AST) -> bool:
    """Whether a file asks what class a rule is of."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            asked = ast.unparse(node.args[0])
            if asked == "rule" or asked.endswith(".rule"):
                return True
    return False


def _run(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_every_room_has_its_floor() -> None:
    assert set(HEIGHT) == ROOMS | {"calibrant"}


def test_imports_go_downwards() -> None:
    found = {
        (each.file, each.target_room)
        for each in IMPORTS
        if each.place == "file" and is_upwards(each)
    }
    assert found == UPWARDS_STILL


def test_imports_for_types_go_downwards_but_for_a_reason() -> None:
    found = {
        (each.file, each.target_room)
        for each in IMPORTS
        if each.place == "typing" and is_upwards(each)
    }
    assert found == set(UPWARDS_FOR_TYPES)


def test_imports_inside_functions_have_a_reason() -> None:
    found = {
        (each.file, each.target_room)
        for each in IMPORTS
        if each.place == "function" and not may_be_inside(each)
    }
    assert found == INSIDE_FUNCTIONS_STILL


@pytest.mark.parametrize(("where", "target"), INSIDE_FUNCTIONS)
def test_each_reason_for_an_import_inside_a_function_is_needed(where: str, target: str) -> None:
    inside = [each for each in IMPORTS if each.place == "function"]
    assert any(each.file.startswith(where) and each.target.startswith(target) for each in inside)


def test_samples_need_inputs_alone() -> None:
    rooms = {each.target_room for each in IMPORTS if each.room == "samples"}
    assert rooms == {"inputs"}


def test_only_families_ask_what_class_a_rule_is_of() -> None:
    found = {name_of_file(path) for path in FILES if asks_of_rules(ast.parse(path.read_text()))}
    outside = {name for name in found if not name.startswith("families/")}
    assert outside == ASKS_OF_RULES_STILL


def test_importing_loads_no_heavy_library() -> None:
    program = f"import sys, calibrant; print([name for name in {HEAVY} if name in sys.modules])"
    assert _run(program) == "[]"


def test_the_main_measures_load_neither_torch_nor_sklearn_nor_a_drawing_library() -> None:
    program = f"""
import sys, calibrant
pred = calibrant.from_probs([[.7, .3], [.2, .8]], [0, 1])
calibrant.ece(pred), calibrant.ks_error(pred), calibrant.nll(pred)
calibrant.Temperature().fit(pred)
print([name for name in {HEAVY[:5]} if name in sys.modules])"""
    assert _run(program) == "[]"


def test_importing_takes_a_fifth_of_a_second_at_most_beyond_numpy() -> None:
    program = """
import time, numpy
start = time.process_time()
import calibrant
print(time.process_time() - start)"""
    assert min(float(_run(program)) for _ in range(3)) < 0.2


@pytest.mark.parametrize("name", calibrant.__all__)
def test_every_public_name_is_found(name: str) -> None:
    assert getattr(calibrant, name) is not None
    assert name in dir(calibrant)


@pytest.mark.parametrize("name", calibrant.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    thing = getattr(calibrant, name)
    if isinstance(thing, str):
        return
    # A dataclass and a named tuple without a docstring get their signature for one.
    assert thing.__doc__
    assert not thing.__doc__.startswith(f"{name}(")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        calibrant.nonsense  # type: ignore[attr-defined]  # noqa: B018


def test_no_module_shares_a_name_with_a_public_function() -> None:
    root = Path(calibrant.__file__).parent
    # Only what lies in the root itself becomes an attribute of the package.
    files = {path.stem for path in root.glob("*.py")}
    folders = {path.parent.name for path in root.glob("*/__init__.py")}
    public = {name for name in calibrant.__all__ if callable(getattr(calibrant, name))}
    assert not public & (files | folders)
