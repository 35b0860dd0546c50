"""What is released: a wheel and an sdist, what is in them, and versions that agree."""

import re
import tarfile
import tomllib
import zipfile
from contextlib import chdir
from email import message_from_string
from pathlib import Path
from typing import Any

import pytest

import calibrant

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
PROJECT = ROOT / "pyproject.toml"
LOWEST = ROOT / "constraints-lowest.txt"
LARGEST_WHEEL = 6_000_000
# The extras that `make test-lowest` installs.
TRIED = ("sklearn", "torch", "onnx", "dask", "spark")
pytestmark = pytest.mark.skipif(not PROJECT.exists(), reason="the project is not beside the tests")


def built(kind: str, project: Path, folder: Path) -> Path:
    """An archive as hatchling makes it of a project."""
    hatchling = pytest.importorskip("hatchling.build", reason="hatchling builds archives")
    with chdir(project):
        return folder / str(getattr(hatchling, f"build_{kind}")(str(folder)))


def files_of(wheel: Path) -> set[str]:
    """What a wheel installs, but for what it says of itself."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def without_zeros(version: str) -> str:
    """A version without zeros at its end: 2.0 and 2.0.0 are one."""
    return re.sub(r"(\.0)+$", "", version)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree."""
    return built("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist of this tree, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(built("sdist", ROOT, folder)) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"calibrant-{calibrant.__version__}"


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    """The table `project` of pyproject.toml."""
    return tomllib.loads(PROJECT.read_text("utf-8"))["project"]


def test_the_wheel_has_every_file_of_the_package_and_none_beside(wheel: Path) -> None:
    paths = (path for path in (SOURCE / "calibrant").rglob("*") if path.is_file())
    own = {str(path.relative_to(SOURCE)) for path in paths if path.parent.name != "__pycache__"}
    assert files_of(wheel) == own


@pytest.mark.parametrize(
    "name",
    ["py.typed", "__init__.pyi", "samples/c100-resnet18.npz", "reporting/page/page.html.j2"],
)
def test_the_wheel_has_what_is_no_program(name: str, wheel: Path) -> None:
    assert f"calibrant/{name}" in files_of(wheel)


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < LARGEST_WHEEL


def test_the_wheel_says_what_the_project_says(wheel: Path, project: dict[str, Any]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("/METADATA"))
        said = message_from_string(archive.read(name).decode())
    assert said["Version"] == calibrant.__version__
    assert said["License-Expression"] == "MIT"
    assert said["Requires-Python"] == project["requires-python"]
    assert "# calibrant" in str(said.get_payload())


def test_the_sdist_makes_the_same_wheel(wheel: Path, unpacked: Path, tmp_path: Path) -> None:
    assert files_of(built("wheel", unpacked, tmp_path)) == files_of(wheel)


@pytest.mark.parametrize(
    "name",
    ["tests/test_laws.py", "conftest.py", "benchmarks/speed.py", "docs/index.md", LOWEST.name],
)
def test_the_sdist_has_what_the_tests_need(name: str, unpacked: Path) -> None:
    assert (unpacked / name).exists()


def test_the_sdist_has_no_results_of_studies(unpacked: Path) -> None:
    assert not (unpacked / "benchmarks" / "training" / "results").exists()


def test_versions_agree() -> None:
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    changed = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert cited is not None
    assert changed is not None
    assert cited[1] == changed[1] == calibrant.__version__


def test_the_lowest_versions_are_those_that_the_project_asks_for(project: dict[str, Any]) -> None:
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *(each for name in TRIED for each in extras[name])]
    floors = dict(re.split(r"(?:\[.*\])?>=", each) for each in asked)
    lines = LOWEST.read_text("utf-8").splitlines()
    lowest = dict(line.split("==") for line in lines if "==" in line)
    # One version of torch alone is tested.
    del floors["torch"]
    for name, floor in floors.items():
        assert without_zeros(lowest[name]) == without_zeros(floor), name
