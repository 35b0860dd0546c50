"""What is printed: the options that say how to tell what was found."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from .printing import print_json, print_page

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Show no progress, and say nothing where a file is written."
    ),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


@dataclass(frozen=True)
class OutputOptions:
    """How to tell what was found."""

    as_json: AsJson = False
    quiet: Quiet = False
    debug: Debug = False  # looked for where errors are told, as these may be of the options

    def tell(self, found: dict[str, Any], *page: object, wrote: object = None) -> None:
        """Print what was found, as one object or as a page.

        Where a file was written, quiet leaves the page out.
        """
        if self.as_json:
            print_json(found)
        elif not self.quiet or wrote is None:
            print_page(*page)
