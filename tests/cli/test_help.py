"""Every command has a page of help, in words, with its options and examples."""

import subprocess
import sys

import pytest
from shared_command import said

import calibrant
from calibrant.cli import COMMANDS
from calibrant.families.names import known_families

INPUT_OPTIONS = [
    "--label",
    "--probs",
    "--logits",
    "--confidence",
    "--correct",
    "--weight",
    "--classes",
    "--split",
    "--skip-missing",
]


def test_python_runs_the_command_too() -> None:
    command = [sys.executable, "-m", "calibrant", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert calibrant.__version__ in done.stdout


def test_the_first_page_lists_the_commands_in_the_order_of_use(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert said(capsys) == said(capsys, "--help")
    assert "calibrant demo" in said(capsys, "--help")
    listed = said(capsys, "--help").partition("Commands:\n")[2].partition("\n\n")[0]
    assert tuple(line.split()[0] for line in listed.splitlines()) == COMMANDS
    assert "..." not in listed
    assert said(capsys, "--version") == f"calibrant {calibrant.__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_options_of_its_groups_and_examples(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = said(capsys, name, "--help")
    assert "--json" in out
    assert "-q, --quiet" in out
    assert all((option in out) == (name not in ("demo", "show")) for option in INPUT_OPTIONS)
    assert f"Examples:\n    calibrant {name}" in out


@pytest.mark.parametrize("columns", ["80", "120"])
@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_nothing_of_python_and_fits(
    name: str, columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    out = said(capsys, name, "--help")
    for word in ("<", "{", "list[", "Path", "inputs", "output", "None", "True", "False"):
        assert word not in out
    assert max(map(len, out.splitlines())) <= 80


def test_fit_lists_every_family_with_its_settings(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "fit", "--help")
    listed = out.partition("Families, with their usual settings:\n")[2].partition("\n\n")[0]
    named = {line.split()[0] for line in listed.splitlines()}
    assert {*known_families(), "ms-odir"} <= named
    assert "knots=6, runout=natural, bounded=false" in listed


def test_the_command_loads_no_library_before_it_needs_it() -> None:
    heavy = ("numpy", "scipy", "polars", "matplotlib", "torch", "sklearn")
    loaded = f"[name for name in {heavy} if name in sys.modules]"
    code = f"import sys, calibrant.cli; sys.exit(str({loaded}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "[]"
