"""The command `calibrant`: it parses, calls and prints, and computes nothing itself."""

import os
import sys
from importlib import import_module
from pathlib import Path

import typer

from .commands import app
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
)  # a file each, as help lists them
# A bad parameter is a usage error in every version of typer; the class has moved between them.
UsageError: type[typer.BadParameter] = typer.BadParameter.__bases__[0]
EXTRA = "unexpected extra argument"
QUOTE_IT = "to read several files as one, quote their pattern: 'part-*.csv'"

for name in COMMANDS:
    import_module(f"{__name__}.{name}")


def main() -> None:
    """Run the command: exit 2 and one line on stderr for bad input, 130 for Ctrl-C."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command on these arguments, for its exit code."""
    try:
        code = app(arguments, prog_name="calibrant", standalone_mode=False)
        sys.stdout.flush()
    except UsageError as error:
        return refuse(_wrong_usage(error, arguments))
    except BrokenPipeError:
        return _end_quietly()
    except OSError as error:
        return refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (ValueError, ImportError) as error:  # an extra that is absent says how to install it
        return refuse(str(error))
    except MemoryError as error:
        return refuse(f"not enough memory: {error or 'take fewer rows'}")
    except (KeyboardInterrupt, typer.Abort):
        return 130
    return code or 0


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


def _end_quietly() -> int:
    """Who reads has seen enough, as head -1 has: what is left must not be written at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    return 1
