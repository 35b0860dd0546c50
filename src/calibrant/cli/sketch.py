"""calibrant sketch: rows summed up once, and summaries added up."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..inputs.paths import writable, write_whole
from .commands import command
from .inputs import InputOptions
from .options import Files
from .outputs import OutputOptions
from .parts import SKETCH, StreamOptions, merged_files

if TYPE_CHECKING:
    from ..scale import Sketch

OUT_HELP: Final = "The summary to write, which calibrant report reads and calibrant sketch adds up."
MIXED: Final = "{}: summaries are added to summaries; sum these rows up first"
Out = Annotated[Path, typer.Option("--out", "-o", metavar="OUT.sketch", help=OUT_HELP)]


@command(
    "sketch 'monday/*.parquet' -o monday.sketch",
    "sketch monday.sketch tuesday.sketch -o week.sketch",
    "report week.sketch",
)
def sketch(
    files: Files,
    *,
    out: Out,
    inputs: InputOptions,
    streams: StreamOptions,
    output: OutputOptions,
) -> None:
    """Sum up predictions in a small file, or add up such files.

    Reports of it are those of the rows. Of several splits it takes test.
    """
    target = writable(out, [SKETCH])
    found = _found(files, inputs, streams)
    write_whole(target, found.to_bytes())
    told = {
        "rows": found.n,
        "total": found.total,
        "skipped": found.skipped.parts,
        "out": str(target),
    }
    said = f"{found} in {target.stat().st_size:,} bytes."
    output.tell(told, said, f"Wrote {target}. Next: calibrant report {target}", wrote=target)


def _found(files: Sequence[Path], inputs: InputOptions, streams: StreamOptions) -> "Sketch":
    from ..scale import Sketch
    from ..scale.asking import QUESTIONS

    are_sketches = [each.suffix == SKETCH for each in files]
    if all(are_sketches):
        return merged_files(files)
    if any(are_sketches):
        raise ValueError(MIXED.format(files[are_sketches.index(False)]))
    streamed = streams.read(files, inputs, "test")
    if streamed is not None:
        return streamed.sketch
    return Sketch(views=QUESTIONS).update(inputs.read(files[0], "test").x)
