"""An environment for each library, in .venv-peers, from the requirement file that bears its name."""

import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console

FILES = Path(__file__).parent / "requirements"
ROOT = Path(__file__).parents[2]
HOME = ROOT / ".venv-peers"
# Its metadata is not valid any more: only an old pip installs it, told what to build it with.
PIP = "pip==24.0"
OPTIONS = {"dirichletcal": ["--no-deps"]}


def python_of(name: str) -> Path:
    """The interpreter of an environment."""
    return HOME / name / "bin" / "python"


def version_of(name: str) -> str:
    """The version that is installed in an environment."""
    ask = f"from importlib.metadata import version; print(version({name!r}))"
    done = subprocess.run([python_of(name), "-c", ask], capture_output=True, check=True, text=True)
    return done.stdout.strip()


def build(names: list[str]) -> dict[str, str]:
    """Build what is missing or was built from another file; what could not be built, with pip's last error."""
    console = Console(stderr=True)
    refused = {}
    for number, name in enumerate(names, 1):
        stamp = HOME / name / ".ready"
        wanted = (FILES / f"{name}.txt").read_text()
        if stamp.exists() and stamp.read_text() == wanted:
            continue
        console.print(f"[{number}/{len(names)}] installing {name} ...")
        error = _install(name)
        if error:
            console.print(f"{name}: {error}")
            refused[name] = error
            continue
        stamp.write_text(wanted)
    return refused


def _install(name: str) -> str:
    file = FILES / f"{name}.txt"
    pip: list[str | Path] = [
        python_of(name),
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--quiet",
        "install",
    ]
    steps: tuple[list[str | Path], ...] = (
        [sys.executable, "-m", "venv", HOME / name],
        [*pip, PIP],
        [*pip, *OPTIONS.get(name, []), "--requirement", file],
    )
    environment = os.environ | {"PIP_CONSTRAINT": str(file)} if name in OPTIONS else os.environ
    for step in steps:
        done = subprocess.run(step, cwd=ROOT, env=environment, capture_output=True, text=True)
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            return errors[0] if errors else done.stderr[-200:]
    return ""
