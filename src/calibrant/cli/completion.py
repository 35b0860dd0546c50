"""What a shell is offered to complete a word with."""

from pathlib import Path

import typer

from ..inputs.paths import files_at
from .measures import MEASURES


def of_columns(context: typer.Context, incomplete: str) -> list[str]:
    """The columns of the file that stands on the command line, to complete the name of one."""
    try:
        from ..inputs.tables import header

        # An option without its value stops the parser, which leaves what came before in the
        # other arguments.
        file = Path(context.args[-1])
        names = header(files_at(file)[0])
    except Exception:  # a file that cannot be read completes nothing, whatever ails it
        return []
    return [name for name in names if name.startswith(incomplete)]


def of_families(incomplete: str) -> list[str]:
    """The families, to complete the name of one, the last of several where commas part them."""
    from ..families.known import SHORTHANDS, known_families
    from ..families.names import SELECT

    before, comma, last = incomplete.rpartition(",")
    known = sorted([*known_families(), *SHORTHANDS, SELECT])
    return [f"{before}{comma}{name}" for name in known if name.startswith(last)]


def of_measures(incomplete: str) -> list[str]:
    """The measures, to complete the name of one."""
    return [name for name in MEASURES if name.startswith(incomplete)]
