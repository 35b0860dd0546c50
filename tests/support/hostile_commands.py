"""Command lines that nobody should type: options found by themselves, over good and bad files."""

import re
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import typer
from hostile_calls import Call
from hostile_files import good_files
from hypothesis import strategies as st

from calibrant.cli import run
from calibrant.cli.commands import app

CODES = {0, 1, 2}
WORDS = [
    "",
    "a",
    "label",
    "p_",
    "prob_a,prob_b",
    "test",
    "isotonic",
    "platt,beta",
    "one-vs-rest(",
    "spline(knots=1e9)",
    "0.02",
    "-1",
    "nan",
    "out.csv",
    "out.safetensors",
    "out.sql",
    "\u202e",
    "-",
]
# Pages and pictures take seconds each, and tracebacks are asked for by debug.
LEFT_OUT = {"html", "picture", "debug", "help", "install_completion", "show_completion"}


class BreachError(Exception):
    """What a command did and may not do."""


@st.composite
def command_calls(draw: st.DrawFn, folder: Path) -> Call:
    """A command with some of its arguments and options, run in a folder of files."""
    name = draw(st.sampled_from(sorted(set(_commands()) - {"demo"})))
    words = [name]
    for each in _commands()[name].params:
        if each.name in LEFT_OUT:
            continue
        is_argument = each.param_type_name == "argument"
        if draw(st.integers(0, 9)) < (9 if is_argument else 2):
            words += _given(draw, each)
    return Call(" ".join(words), lambda: _run(words, folder))


def _given(draw: st.DrawFn, param: Any) -> list[str]:  # noqa: ANN401 - an argument or an option of click
    if param.param_type_name == "argument":
        return [draw(st.sampled_from([*sorted(good_files()), "absent.csv", "bad.csv", "."]))]
    option = param.opts[0]
    if getattr(param, "is_flag", False):
        return [option]
    files = sorted(name for name in good_files() if name.endswith((".csv", ".safetensors")))
    return [option, draw(st.sampled_from(WORDS + files[:3]))]


@cache
def _commands() -> dict[str, Any]:
    command: Any = typer.main.get_command(app)
    return dict(command.commands)


def _run(words: list[str], folder: Path) -> object:
    out, err = StringIO(), StringIO()
    for name, content in good_files().items():
        if not (folder / name).exists():
            (folder / name).write_bytes(content)
    (folder / "bad.csv").write_text("label,p_a,p_b\na,2,3\n")
    with chdir(folder), redirect_stdout(out), redirect_stderr(err):
        code = run(words)
    told = err.getvalue()
    if code not in CODES or "Traceback" in told or "a fault of calibrant" in told:
        raise BreachError(f"exit {code}: {told}")
    if code == 2 and (told.count("\n") != 1 or not told.startswith("calibrant: ")):
        raise BreachError(f"a refusal is one line: {told}")
    if re.search(r"\bnan\b", out.getvalue()):
        raise BreachError(f"nan was printed: {out.getvalue()[:500]}")
    if code == 2:
        raise ValueError(told)
    return code
