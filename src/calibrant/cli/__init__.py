"""The command `calibrant`: it parses, calls and prints, and computes nothing itself."""

import os
import sys
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from traceback import print_exc

import typer

from .commands import app
from .origin import ARGUMENTS
from .printing import refuse

COMMANDS = (
    "demo",
    "report",
    "compare",
    "show",
    "fit",
    "apply",
    "check",
    "monitor",
    "threshold",
    "sketch",
)  # a file each, as help lists them
# A bad parameter is a usage error in every version of typer; the class has moved between them.
UsageError: type[typer.BadParameter] = typer.BadParameter.__bases__[0]
EXTRA = "unexpected extra argument"
QUOTE_IT = "to read several files as one, quote their pattern: 'part-*.csv'"

for name in COMMANDS:
    import_module(f"{__name__}.{name}")


def main() -> None:
    """Run the command: exit 2 and one line on stderr for bad input, 130 for Ctrl-C."""
    _open_streams()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command on these arguments, for its exit code."""
    ARGUMENTS.set(tuple(arguments))
    try:
        code = app(arguments, prog_name="calibrant", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        return 1
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except SystemExit:
        raise
    except BaseException as error:  # a panic of polars is no Exception
        if "--debug" in arguments:
            print_exc()
        return refuse(_reason(error, arguments))
    return code or 0


def _reason(error: BaseException, arguments: list[str]) -> str:
    """What to say of an error, in a line."""
    if isinstance(error, UsageError):
        return _wrong_usage(error, arguments)
    if isinstance(error, OSError):
        if error.filename is None:
            _drop_output()  # what could not be written would be tried again at the end
        return f"{error.filename}: {error.strerror}" if error.filename else str(error)
    if isinstance(
        error, ValueError | ImportError
    ):  # an extra that is absent says how to install it
        return str(error)
    if isinstance(error, MemoryError):
        return f"not enough memory: {error or 'take fewer rows'}"
    return f"{type(error).__name__}: {error}: a fault of calibrant; --debug shows where it lies"


def _wrong_usage(error: typer.BadParameter, arguments: list[str]) -> str:
    said = error.format_message().rstrip(".")
    named = [Path(each) for each in arguments[1:] if each in said]
    if EXTRA in said and all(path.is_file() for path in named):
        said += f"; {QUOTE_IT}"
    where = error.ctx.command_path if error.ctx else "calibrant"
    if where == "calibrant" and arguments[0] in COMMANDS:
        where = f"calibrant {arguments[0]}"
    gap = " " if said.endswith("?") else "; "
    return f"{said}{gap}see {where} --help"


def _open_streams() -> None:
    """Streams that are closed lead nowhere; what a terminal has no letters for is told by codes."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Who reads has seen enough, as head -1 has: what is left must not be written at the end."""
    with suppress(OSError, ValueError):  # of a stream that is no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
