"""calibrant show: what a saved map is."""

from pathlib import Path
from typing import Annotated, Final

import typer

from ..inputs.paths import writable, write_whole
from .commands import command
from .map_files import load_map
from .options import MapFile
from .outputs import OutputOptions

PICTURES: Final = (".png", ".svg", ".pdf")
OfClass = Annotated[
    str | None,
    typer.Option("--class", metavar="NAME", help="One class, where each has a map of its own."),
]
Picture = Annotated[
    Path | None, typer.Option(metavar="FILE", help=f"Draw it too: {', '.join(PICTURES)}.")
]


@command(
    "show map.safetensors",
    "show map.safetensors --class cat",
    "show map.safetensors --picture map.png",
)
def show(
    fitted: MapFile, *, of_class: OfClass = None, picture: Picture = None, output: OutputOptions
) -> None:
    """Say what a saved map is, and what it makes of claims.

    It tells the family, its numbers, and the chance that some claims become.
    """
    from ..reporting.description import describe
    from ..reporting.map_page import map_page

    target = None if picture is None else writable(picture, PICTURES)
    known = load_map(fitted)
    found = describe(known, of_class)
    if target is None:
        output.tell(found.to_dict(), map_page(found))
        return
    from ..reporting.picture import picture as drawn

    write_whole(target, drawn(known, target.suffix.lower(), of_class))
    told = {**found.to_dict(), "picture": str(target)}
    output.tell(told, map_page(found), f"\nWrote {target}.", wrote=target)
