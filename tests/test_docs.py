"""What the documents say is there: papers that are cited, names that implement them, files to touch."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import calibrant

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "calibrant"
BIBLIOGRAPHY = ROOT / "docs" / "bibliography.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
needs_docs = pytest.mark.skipif(
    not (BIBLIOGRAPHY.exists() and CONTRIBUTING.exists()),
    reason="the docs are not beside the tests",
)

NAME = r"[A-ZÀ-Ž][\w-]+"
CITATION = re.compile(rf"({NAME}(?: et al\.| and {NAME})) ((?:19|20)\d\d)")
ENTRY = re.compile(r"^- \*\*(.+?)\.\*\*", re.MULTILINE)
ROOM = r"(?:torch|curves|decisions|groups|monitoring|scale|shift|simulate)"
PUBLIC_NAME = re.compile(rf"`({ROOM}\.)?([A-Za-z_.]+)[`(]")
FILE = re.compile(r"`([\w./]+/[\w./]*\w|[\w/]+\.(?:py|pyi|md|txt))(?:::\w+)?`")


def cited(folder: Path) -> set[str]:
    """Authors and years, as texts of Python files have them."""
    found = set()
    for path in folder.rglob("*.py"):
        words = " ".join(path.read_text("utf-8").split())
        found |= {f"{authors} {year}" for authors, year in CITATION.findall(words)}
    return found


@needs_docs
@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks"])
def test_every_paper_that_is_cited_is_in_the_bibliography(folder: str) -> None:
    entries = ENTRY.findall(BIBLIOGRAPHY.read_text("utf-8"))
    assert len(entries) == len(set(entries))
    assert cited(ROOT / folder) <= set(entries)


@needs_docs
def test_every_name_in_the_bibliography_is_in_the_library() -> None:
    lines = BIBLIOGRAPHY.read_text("utf-8").split("→")[1:]
    names = [found for line in lines for found in PUBLIC_NAME.findall(line)]
    assert len(names) > 50
    for room, name in names:
        if room == "torch.":
            pytest.importorskip("torch", reason="torch is an extra")
            part, _, name = name.rpartition(".")
            home = import_module(f"calibrant.torch.{part or name}")
            assert not part or hasattr(home, name)
        else:
            home = getattr(calibrant, room.rstrip(".")) if room else calibrant
            assert hasattr(home, name), name


@needs_docs
def test_every_file_that_contributors_are_sent_to_exists() -> None:
    names = FILE.findall(CONTRIBUTING.read_text("utf-8"))
    assert len(names) > 30
    missing = [
        name
        for name in names
        if "mine" not in name and not any((home / name).exists() for home in (ROOT, SOURCE))
    ]
    assert not missing
