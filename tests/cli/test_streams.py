"""Streams that are closed or full, terminals of few letters, and what was not foreseen."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from shared_command import refused, said

from calibrant import start
from calibrant.cli import run
from calibrant.cli import show as show_module

MAIN = "from calibrant.start import main; main()"
NAMES = "label,p_cat,p_猫\n" + "cat,0.9,0.1\n猫,0.2,0.8\n" * 20


def shell(here: Path, line: str, **extra: str) -> subprocess.CompletedProcess[bytes]:
    """A line of the shell in which $CALIBRANT is the command."""
    command = f"{sys.executable} -c '{MAIN}'"
    environment = os.environ | {"CALIBRANT": command} | extra
    return subprocess.run(
        ["sh", "-c", line.replace("$CALIBRANT", command)],
        cwd=here,
        env=environment,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_give_no_traceback(here: Path, closed: str) -> None:
    done = shell(here, f"$CALIBRANT report classes.csv {closed}")
    assert (done.returncode, done.stderr) == (0, b"")


def test_nothing_on_a_closed_input_is_refused(here: Path) -> None:
    done = shell(here, "$CALIBRANT report - <&-")
    assert done.returncode == 2
    assert b"nothing came in" in done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is full, as Linux has it")
def test_a_full_disk_is_told_in_a_line(here: Path) -> None:
    done = shell(here, "$CALIBRANT report classes.csv > /dev/full")
    assert (done.returncode, done.stderr) == (2, b"calibrant: [Errno 28] No space left on device\n")


def test_a_terminal_of_few_letters_is_told_codes(here: Path) -> None:
    (here / "cats.csv").write_text(NAMES, encoding="utf-8")
    done = shell(here, "$CALIBRANT report cats.csv", PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, b"")
    refusal = shell(here, "$CALIBRANT report cats.csv --label 猫", PYTHONIOENCODING="cp1252")
    assert refusal.returncode == 2
    assert b"there is no column '\\u732b'" in refusal.stderr


def test_control_c_while_all_is_being_loaded_is_130_without_a_trace(tmp_path: Path) -> None:
    # A library that is loaded at the start, and interrupts.
    (tmp_path / "typer.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    path = f"{tmp_path}{os.pathsep}{Path(start.__file__).parents[1]}"
    done = shell(tmp_path, "$CALIBRANT --version", PYTHONPATH=path)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@pytest.mark.usefixtures("here")
def test_what_was_not_foreseen_is_a_line_and_a_traceback_only_if_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said(capsys, "fit", "classes.csv", "-o", "m.safetensors")

    class PanicError(BaseException):
        pass

    for error in (KeyError("x"), RecursionError("deep"), PanicError("of a library")):

        def fails(*_: object, error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr(show_module, "load_map", fails)
        told = refused(capsys, "show", "m.safetensors")
        assert "a fault of calibrant; --debug shows where it lies" in told
        assert type(error).__name__ in told
        assert run(["show", "m.safetensors", "--debug"]) == 2
        assert "Traceback" in capsys.readouterr().err


def test_marks_that_hide_are_shown_as_codes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    marks = ["\u200b", "\u200f", "\u2067", "\u00ad", "\ufeff", "\u3164"]
    name = "a".join(["c", *marks, "t"])
    (here / "x.csv").write_text(NAMES.replace("cat", name), encoding="utf-8")
    told = said(capsys, "report", "x.csv", "--html", "x.html")
    page = (here / "x.html").read_text(encoding="utf-8")
    for mark in marks:
        assert mark not in told + page
    codes = [mark.encode("unicode_escape").decode() for mark in marks]
    assert "a".join(["c", *codes, "t"]) in page
