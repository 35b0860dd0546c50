"""calibrant apply: the probabilities of a file, mended by a map."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer

import calibrant

from ..inputs.paths import MAPS, WRITABLE, files_at, listed, writable
from .commands import command
from .inputs import InputOptions
from .map_files import load_map
from .options import File, MapFile
from .outputs import OutputOptions

OUT_HELP: Final = f"The file to write: {listed(WRITABLE)}; texts may end in .gz too."
SWAPPED: Final = "the map comes first, then the predictions: calibrant apply {} {} -o OUT"
Out = Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help=OUT_HELP)]


@command("apply map.safetensors test.csv -o mended.csv")
def apply(
    fitted: MapFile, file: File, *, out: Out, inputs: InputOptions, output: OutputOptions
) -> None:
    """Mend the probabilities in a file with a map. Of several splits it takes test.

    From one table to another the other columns are kept. Labels may be absent: then nothing is
    scored.
    """
    from ..reporting.recalibration import score_row
    from ..reporting.terminal import comparison

    if fitted.suffix.lower() not in MAPS and file.suffix.lower() in MAPS:
        raise ValueError(SWAPPED.format(file, fitted))
    target = writable(out, WRITABLE)
    source = inputs.read(file, "test", needs_outcomes=False)
    if target.resolve() in [each.resolve() for each in files_at(file)]:
        raise ValueError(f"{out}: -o must not be a file that is read; write to another")
    mended = load_map(fitted).apply(source.x)
    calibrant.write(target, mended, source=source)
    told: dict[str, object] = {"before": None, "after": None, "out": str(target)}
    page: object = f"{file} tells no labels or outcomes, so nothing is scored."
    if source.has_outcomes:
        before = score_row("before", source.x)
        after = score_row("after", mended)
        told |= {"before": asdict(before), "after": asdict(after)}
        page = comparison([before, after])
    output.tell(told, page, f"\nWrote {target}.", wrote=target)
