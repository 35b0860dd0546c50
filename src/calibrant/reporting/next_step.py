"""What to do next: a line of words, and where there is one the whole command."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from .findings import CALM

if TYPE_CHECKING:
    from .evidence import Origin
    from .summary import Report

FILE = "FILE"
OTHER = "VALIDATION_ROWS.csv"
WITH_BEST = "Mend them with {}:"
WITH_ROWS = "Mend them, on rows kept for it:"
TRY = "Mending can gain little; to see how much:"
APPLIED = "calibrant apply map.safetensors {} -o mended{}"


class Step(NamedTuple):
    """What to do next: words that may hold code between backticks, and a command."""

    words: str
    command: str | None = None


def next_step(found: "Report") -> Step:
    """The step that the advice of a report comes to."""
    origin = found.evidence.origin
    if found.finding in ("no error seen", "too few rows"):
        return Step(found.advice)
    if found.command is not None:
        return Step(WITH_BEST.format(found.best), _mending(found.command, origin))
    if found.standings:
        return Step(found.advice)
    if found.finding in CALM:
        return Step(TRY, f"calibrant report {_file(origin)} --fit-on {OTHER}")
    made = _words("calibrant fit", OTHER, origin.reading, "-o map.safetensors")
    return Step(WITH_ROWS, _applied(made, origin))


def _mending(command: str, origin: "Origin") -> str:
    """The command that fits the best map, of the very rows, and the one that applies it."""
    if not command.startswith("calibrant"):
        return command
    return _applied(command.replace(f" {FILE} ", f" {_fitted_on(origin)} "), origin)


def _applied(made: str, origin: "Origin") -> str:
    if origin.path is None:
        return made
    suffixes = "".join(Path(origin.path).suffixes[-1:])
    applied = APPLIED.format(_words(_file(origin), origin.reading), suffixes or ".csv")
    return f"{made} && {applied}"


def _fitted_on(origin: "Origin") -> str:
    """The rows that maps were fitted on: a file, or a split of the same file."""
    if origin.fit_on is None or origin.path is None:
        return FILE
    is_file = any(file.role == "fitted on" for file in origin.files)
    if is_file:
        return _words(quote(origin.fit_on), origin.reading)
    return _words(_file(origin), f"--split {quote(origin.fit_on)}", origin.reading)


def _file(origin: "Origin") -> str:
    return FILE if origin.path is None else quote(origin.path)


def _words(*parts: str) -> str:
    return " ".join(part for part in parts if part)
