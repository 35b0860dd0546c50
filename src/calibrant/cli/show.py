"""calibrant show: what a saved map is."""

from pathlib import Path
from typing import Annotated, Final

import typer

from ..inputs.paths import writable, write_whole
from .by_group import group_table, one_map
from .commands import command
from .map_files import load_map
from .options import MapFile, option
from .outputs import OutputOptions

PICTURES: Final = (".png", ".svg", ".pdf")
OfClass = Annotated[
    str | None,
    typer.Option("--class", metavar="NAME", help="One class, where each has a map of its own."),
]
OfGroup = Annotated[
    str | None, typer.Option("--group", metavar="NAME", help="One group, of a map by group.")
]
Picture = Annotated[Path | None, option("FILE", f"Draw it too: {', '.join(PICTURES)}.")]


@command(
    "show map.safetensors",
    "show map.safetensors --class cat",
    "show map.safetensors --picture map.png",
)
def show(
    fitted: MapFile,
    *,
    of_class: OfClass = None,
    of_group: OfGroup = None,
    picture: Picture = None,
    output: OutputOptions,
) -> None:
    """Say what a saved map is, and what it makes of claims.

    It tells the family, its numbers, and the chance that some claims become. Of a map by group it
    is the common one's, beside a line for each group; --group tells of one.
    From Python a map is served by `calibrant.load("map.safetensors")(probs)`: chances of an array.
    """
    from ..groups import GroupMap
    from ..reporting.description import describe
    from ..reporting.map_page import map_page

    target = None if picture is None else writable(picture, PICTURES)
    whole = load_map(fitted)
    known = one_map(whole, of_group)
    found = describe(known, of_class)
    page: list[object] = [map_page(found)]
    told = found.to_dict()
    if isinstance(whole, GroupMap) and of_group is None:
        told["groups"] = whole.rule.to_dict()
        page += ["\nBy group:", group_table(whole)]
    if target is None:
        output.tell(told, *page)
        return
    from ..reporting.picture import picture as drawn

    write_whole(target, drawn(known, target.suffix.lower(), of_class))
    told["picture"] = str(target)
    output.tell(told, *page, f"\nWrote {target}.", wrote=target)
