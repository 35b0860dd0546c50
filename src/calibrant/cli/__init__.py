"""The command `calibrant`: it parses, calls and prints, and computes nothing itself."""

import os
import sys
from pathlib import Path

import typer

from . import looking as looking
from . import making as making
from .options import app
from .printing import refuse

# A bad parameter is a usage error in every version of typer; the class itself has moved between them.
UsageError: type[typer.BadParameter] = typer.BadParameter.__bases__[0]
EXTRA = "unexpected extra argument"


def main() -> None:
    """Run the command: exit 2 and one line on stderr for bad input, 130 for Ctrl-C."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command on these arguments, for its exit code."""
    try:
        code = app(arguments, prog_name="calibrant", standalone_mode=False) or 0
        sys.stdout.flush()
    except UsageError as error:
        said = error.format_message().rstrip(".")
        if EXTRA in said and all(Path(each).is_file() for each in arguments[1:] if each in said):
            said += "; to read several files as one, quote their pattern: 'part-*.csv'"
        where = error.ctx.command_path if error.ctx else "calibrant"
        return refuse(f"{said}{' ' if said.endswith('?') else '; '}see {where} --help")
    except BrokenPipeError:
        # Who reads has seen enough, as head -1 has; what is left in the buffer must not be written at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (ValueError, ImportError) as error:  # an extra that is absent says how to install it
        return refuse(str(error))
    except MemoryError as error:
        return refuse(f"not enough memory: {error or 'take fewer rows'}")
    except (KeyboardInterrupt, typer.Abort):
        return 130
    return code
