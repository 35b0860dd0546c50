"""calibrant check: whether a model keeps its limits, for pipelines."""

from typing import Final

import typer

from .commands import command
from .inputs import InputOptions
from .limits import LimitOptions
from .options import File
from .outputs import OutputOptions

OPEN: Final = "open: the limit lies within the interval, so more rows would tell"


@command(
    "check predictions.csv --max-error 0.02",
    "check test.csv --max-error 0.02 --min-accuracy 0.9 --strict",
    "check test.csv --limits limits.toml --json",
)
def check(file: File, *, limits: LimitOptions, inputs: InputOptions, output: OutputOptions) -> None:
    """Hold predictions against limits: exit code 1 if one fails.

    A line is printed for each, and the exit code is 0 if none fails, 2 for bad input. Of several
    splits it takes test. A limit fails where the whole 95% interval of its number
    lies beyond it. The error is the calibration error of the question that calibrant report asks
    first: of two classes about the second, of more about the top label.
    """
    from ..reporting.limits import check_limits

    limited, is_strict = limits.read()
    source = inputs.read(file, "test")
    found = check_limits(source.x, limited, strict=is_strict)
    has_open = any(each.outcome == "open" for each in found.limits)
    output.tell(found.to_dict(), str(found), *([OPEN] if has_open else []))
    if not found.is_passed:
        raise typer.Exit(1)
