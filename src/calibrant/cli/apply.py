"""calibrant apply: the probabilities of a file, mended by a map."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

import calibrant

from ..inputs.paths import MAPS, WRITABLE, files_at, listed, writable
from .by_group import ByColumn, applied
from .commands import command
from .inputs import InputOptions
from .map_files import load_map
from .options import Files, MapFile
from .outputs import OutputOptions
from .parts import StreamOptions
from .printing import say

if TYPE_CHECKING:
    from ..families.maps import Map
    from ..scale.parts import Rows

OUT_HELP: Final = f"The file to write: {listed(WRITABLE)}; texts may end in .gz too."
SWAPPED: Final = "the map comes first, then the predictions: calibrant apply {} {} -o OUT"
FOLDER: Final = (
    "{}: rows that are read part by part are written into a folder; name one, as mended/"
)
Out = Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help=OUT_HELP)]


@command(
    "apply map.safetensors test.csv -o mended.csv",
    "apply map.safetensors test.csv --by region -o mended.csv",
    "apply map.safetensors big/*.parquet -o mended/",
)
def apply(
    fitted: MapFile,
    files: Files,
    *,
    out: Out,
    by: ByColumn = None,
    inputs: InputOptions,
    streams: StreamOptions,
    output: OutputOptions,
) -> None:
    """Mend the probabilities in a file with a map. Of several splits it takes test.

    From one table to another the other columns are kept. Labels may be absent: then nothing is
    scored. Parquet files that are read part by part are mended into a folder, each part whole or
    absent: what was killed goes on where it stopped.
    """
    file = files[0]
    from ..reporting.recalibration import score_row
    from ..reporting.terminal import comparison

    if fitted.suffix.lower() not in MAPS and file.suffix.lower() in MAPS:
        raise ValueError(SWAPPED.format(file, fitted))
    rows = streams.rows(files, inputs, "test", needs_outcomes=False)
    if rows is not None:
        _apply_to_parts(load_map(fitted), rows, out, output)
        return
    target = writable(out, WRITABLE)
    source = inputs.read(file, "test", needs_outcomes=False)
    if target.resolve() in [each.resolve() for each in files_at(file)]:
        raise ValueError(f"{out}: -o must not be a file that is read; write to another")
    mended = applied(load_map(fitted), source, by)
    calibrant.write(target, mended, source=source)
    told: dict[str, object] = {"before": None, "after": None, "out": str(target)}
    page: object = f"{file} tells no labels or outcomes, so nothing is scored."
    if source.has_outcomes:
        before = score_row("before", source.x)
        after = score_row("after", mended)
        told |= {"before": asdict(before), "after": asdict(after)}
        page = comparison([before, after])
    output.tell(told, page, f"\nWrote {target}.", wrote=target)


def _apply_to_parts(fitted: "Map", rows: "Rows", out: Path, output: OutputOptions) -> None:
    """Mend rows part by part, into a folder."""
    if out.suffix:
        raise ValueError(FOLDER.format(out))
    from ..scale import apply as apply_to_rows

    done = apply_to_rows(fitted, rows, out)
    if done.skipped.parts:
        say(done.skipped.words)
    told = {
        "rows": done.rows,
        "already": done.already,
        "skipped": done.skipped.parts,
        "out": str(out),
    }
    words = f"Mended {done.rows:,} rows"
    if done.already:
        words += f"; {done.already:,} parts were there already"
    output.tell(told, f"{words}. Wrote {out}.", wrote=out)
