"""The arguments and options that commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from .completion import of_families

READABLE: Final = (
    ".csv, .jsonl, .parquet, .arrow, .json, .tsv (.gz too), .npz, .npy, .eval, - for stdin"
)
PAGES: Final = (".html", ".htm")
WROTE_PAGE: Final = "Wrote {}: open it in a browser, or send it to a colleague."
FILE_HELP: Final = f"Predictions: {READABLE}; a folder, or a pattern in quotes."
FIT_ON_HELP: Final = "Other rows of the model to fit on: a file, or a split such as val."
FAMILIES_HELP: Final = "Families to fit, as temperature,isotonic; calibrant fit --help lists them."


def option(metavar: str, text: str, among: Callable[..., list[str]] | None = None) -> Any:  # noqa: ANN401 - as typer declares it
    """An option of the name of its argument; `among` completes its value."""
    return typer.Option(metavar=metavar, help=text, autocompletion=among)


File = Annotated[Path, typer.Argument(metavar="FILE", help=FILE_HELP)]
FILES_HELP: Final = f"{FILE_HELP} Several .parquet files are read part by part."
Files = Annotated[list[Path], typer.Argument(metavar="FILE", help=FILES_HELP)]
MapFile = Annotated[Path, typer.Argument(metavar="MAP", help="A map that calibrant fit wrote.")]
FitOn = Annotated[str | None, option("FILE", FIT_ON_HELP)]
HtmlFile = Annotated[Path | None, option("FILE", "Write the report as one page for a browser.")]
FamilyNames = Annotated[str | None, option("NAMES", FAMILIES_HELP, of_families)]
Title = Annotated[str | None, option("TEXT", "A title to file it under.")]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Seed of all draws of intervals.")]
