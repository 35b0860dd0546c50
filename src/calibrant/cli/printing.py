"""What the command prints: a page or one JSON object on stdout, one line on stderr where it refuses."""

import json
import math
from typing import Any

import typer


def print_page(*parts: object) -> None:
    """Words and tables, no wider than reads well."""
    from rich.console import Console

    from ..reporting.terminal import MOST_WIDTH, harmless

    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, MOST_WIDTH)
    for part in parts:
        console.print(
            harmless(part) if isinstance(part, str) else part, soft_wrap=isinstance(part, str)
        )


def print_json(thing: dict[str, Any]) -> None:
    """One line, in which infinity is null: JSON has none, and a temperature can be."""
    typer.echo(json.dumps(_finite(thing), allow_nan=False))


def refuse(reason: str) -> int:
    """One line on stderr, and the exit code that goes with it."""
    say(reason)
    return 2


def say_left_out(file: object, rows: int, lacking: dict[str, int]) -> None:
    """One line on stderr: how many rows were left out, and which columns lacked a value."""
    each = ", ".join(f"{count:,} without {name}" for name, count in lacking.items())
    say(f"left out {sum(lacking.values()):,} of {rows:,} rows of {file}: {each}")


def say(words: str) -> None:
    """One line on stderr."""
    from ..reporting.terminal import harmless

    typer.echo(f"calibrant: {harmless(' '.join(words.split()))}", err=True)


def _finite(thing: Any) -> Any:  # noqa: ANN401 - whatever json holds
    if isinstance(thing, dict):
        return {name: _finite(value) for name, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [_finite(value) for value in thing]
    return None if isinstance(thing, float) and math.isinf(thing) else thing
