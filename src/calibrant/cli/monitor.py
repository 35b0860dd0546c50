"""calibrant monitor: whether the claims of a stream still hold, and since when not."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..inputs.paths import STANDARD_INPUT, writable, write_whole
from .commands import command
from .completion import of_families
from .inputs import InputOptions
from .map_files import SUFFIXES, check_sort, load_map
from .options import File, option
from .outputs import OutputOptions
from .printing import say_left_out

if TYPE_CHECKING:
    from ..families.maps import Map
    from ..monitoring import Monitor

MAP_HELP: Final = "The map that the claims go through: what it makes of them is watched."
ALPHA_HELP: Final = "The chance that right claims ever raise an alarm, however long the stream."
STATE_HELP: Final = "Go on from this file where it exists, and keep the state in it."
REFIT_HELP: Final = "On an alarm, fit a map on the rows since the onset and write it here."
FAMILY_HELP: Final = "The family to refit, as isotonic; smooth is the usual."
NO_ROWS: Final = "{}: no row of it could be read, as each lacks a value"
NO_REFIT: Final = "--family is of the map to refit: name the file to write with --refit"
WROTE: Final = "Wrote {}, fitted on the rows since the onset: it is of the claims as they came in."
MapOption = Annotated[Path | None, typer.Option("--map", metavar="MAP.safetensors", help=MAP_HELP)]
Alpha = Annotated[float, option("X", ALPHA_HELP)]
State = Annotated[Path | None, option("FILE", STATE_HELP)]
Refit = Annotated[Path | None, option("MAP.safetensors", REFIT_HELP)]
FamilyName = Annotated[str | None, option("NAME", FAMILY_HELP, of_families)]


@command(
    "monitor answers.jsonl",
    "monitor monday.csv --map map.safetensors --state monitor.state",
    "monitor 'day-*.csv' --refit new.safetensors",
)
def monitor(
    file: File,
    *,
    fitted: MapOption = None,
    alpha: Alpha = 0.05,
    state: State = None,
    refit: Refit = None,
    family: FamilyName = None,
    inputs: InputOptions,
    output: OutputOptions,
) -> None:
    """Watch a stream, and exit with an alarm.

    The exit code is 1 if claims no longer hold, 0 if they do, 2 for bad input. Rows are in the
    order in which they came. A file is read to its end, standard input until the alarm. With
    --state the stream goes on where it stopped; begin a new one after a refit.
    """
    from ..monitoring.words import found as told_of

    if family is not None and refit is None:
        raise ValueError(NO_REFIT)
    target = None if refit is None else writable(refit, SUFFIXES[:1])
    known = None if fitted is None else load_map(fitted)
    watching = _begun(state, known, alpha)
    try:
        _watch(watching, file, inputs)
    except KeyboardInterrupt:
        # What came in will not come again; a file will be read anew.
        if file == STANDARD_INPUT:
            _keep(watching, state)
        raise
    _keep(watching, state)
    found: dict[str, Any] = {**told_of(watching), "map": None}
    page = [str(watching)]
    if watching.alarm and target is not None:
        _refitted(watching, family).save(target)
        found["map"] = str(target)
        page.append(WROTE.format(target))
    output.tell(found, *page)
    if watching.alarm:
        raise typer.Exit(1)


def _begun(state: Path | None, known: "Map | None", alpha: float) -> "Monitor":
    """A new monitor, or the one in a file; of that alpha is its own."""
    from ..monitoring import Monitor

    if state is None or not state.exists():
        return Monitor(map=known, alpha=alpha)
    try:
        return Monitor.from_bytes(state.read_bytes(), map=known)
    except ValueError as error:
        raise ValueError(f"{state}: {error}") from error


def _keep(watching: "Monitor", state: Path | None) -> None:
    if state is not None:
        write_whole(state, watching.to_bytes())


def _watch(watching: "Monitor", file: Path, inputs: InputOptions) -> None:
    """Update with all rows, or with those up to the alarm where more are still to come."""
    from ..families.maps import VectorMap
    from ..inputs.streams import batches

    lacking: dict[str, int] = {}
    begun = watching.n
    coming = batches(
        file,
        inputs.columns,
        inputs.split,
        skip_missing=inputs.skip_missing,
        max_gb=inputs.max_gb,
    )
    for batch in coming:
        for name, rows in batch.lacking.items():
            lacking[name] = lacking.get(name, 0) + rows
        if batch.contents is not None:
            if isinstance(watching.map, VectorMap):
                check_sort(watching.map, batch.contents.x)
            watching.update(batch.contents.x)
        if watching.alarm and file == STANDARD_INPUT:
            break
    if lacking:
        say_left_out(file, watching.n - begun + sum(lacking.values()), lacking)
    if watching.n == begun:
        raise ValueError(NO_ROWS.format(file))


def _refitted(watching: "Monitor", family: str | None) -> "Map":
    from ..families.names import family_of

    return watching.refit() if family is None else watching.refit(family_of(family))
