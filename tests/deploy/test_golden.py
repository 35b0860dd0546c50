"""Maps saved before give what they gave: with this source, and with every number in it changed."""

import ast
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
from shared_golden import EARLIER, GOLDEN, fitted_maps

import calibrant
from calibrant import load

NAMES = sorted(path.stem for path in GOLDEN.glob("*.safetensors"))
UNITS = 4  # in the last place
# Multiplies whatever floats a module's own name holds.
MOVE = """
def _moved(x):
    import numpy
    if isinstance(x, float) or (isinstance(x, numpy.ndarray) and x.dtype.kind == "f"):
        return x * 1.01
    if type(x) in (tuple, list):
        return type(x)(map(_moved, x))
    if type(x) is dict:
        return {key: _moved(value) for key, value in x.items()}
    return x
"""
ASK = """
import sys
from pathlib import Path
import numpy as np
import calibrant
for path in sorted(Path(sys.argv[1]).glob("*.safetensors")):
    asked = np.load(path.with_suffix(".npz"))
    np.save(Path(sys.argv[2]) / f"{path.stem}.npy", calibrant.load(path)(asked["x"]))
print(calibrant.fitting.logspace.TINY)
"""


def _given(name: str) -> tuple[np.ndarray, np.ndarray]:
    kept = np.load(GOLDEN / f"{name}.npz")
    return kept["x"], kept["q"]


def _assert_same(found: np.ndarray, kept: np.ndarray) -> None:
    np.testing.assert_array_max_ulp(np.asarray(found, kept.dtype), kept, UNITS)


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_map_gives_what_it_gave(name: str) -> None:
    x, q = _given(name)
    _assert_same(load(GOLDEN / f"{name}.safetensors")(x), q)


def test_every_family_has_a_golden_file() -> None:
    assert sorted([*EARLIER, *(name for name, _ in fitted_maps())]) == NAMES


def test_no_number_in_the_source_has_a_say_in_what_a_saved_map_gives(tmp_path: Path) -> None:
    moved = _with_moved_numbers(tmp_path / "calibrant")
    assert moved > 100
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    out = tmp_path / "out"
    out.mkdir()
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ASK, str(GOLDEN), str(out)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert float(found.stdout) != calibrant.fitting.logspace.TINY
    for name in NAMES:
        _assert_same(np.load(out / f"{name}.npy"), _given(name)[1])


def _with_moved_numbers(target: Path) -> int:
    """A copy of the package in which each module-level name that holds floats holds others."""
    source = Path(calibrant.__file__).parent
    copytree(source, target)
    moved = 0
    for path in target.rglob("*.py"):
        tree = ast.parse(path.read_text())
        body: list[ast.stmt] = []
        for statement in tree.body:
            body.append(statement)
            name = _assigned(statement)
            if name and path.parent != target:
                body += ast.parse(f"{name} = _moved({name})").body
                moved += 1
        docstring = 1 if ast.get_docstring(tree) else 0
        tree.body = [*body[:docstring], *ast.parse(MOVE).body, *body[docstring:]]
        path.write_text(ast.unparse(ast.fix_missing_locations(tree)))
    return moved


def _assigned(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id if statement.value else None
    return None
