"""The options that commands share, and how a function becomes a command."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, get_type_hints

import typer

import calibrant

from ..inputs.paths import files_at
from ..progress import quiet
from .names import MEASURES, OF_CHANCES, OF_VECTORS, families
from .printing import print_json, print_page

if TYPE_CHECKING:
    from ..choosing import Measured
    from ..families.family import Map
    from ..inputs.columns import ColumnNames
    from ..inputs.files import Contents

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
NAMES: Final = ", ".join((*OF_VECTORS, *OF_CHANCES))
SUFFIXES: Final = ".npz, .npy, .csv, .parquet, .arrow or .jsonl"


def of_columns(context: typer.Context, incomplete: str) -> list[str]:
    """The columns of the file that stands on the command line, to complete the name of one."""
    try:
        from ..inputs.tables import header

        # An option without its value stops the parser, which leaves what came before among the other arguments.
        names = header(files_at(Path(context.args[-1]))[0])
    except Exception:  # a file that cannot be read completes nothing, whatever ails it
        return []
    return [name for name in names if name.startswith(incomplete)]


def of_families(incomplete: str) -> list[str]:
    """The families, to complete the name of one, the last of several where commas part them."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in families() if name.startswith(last)]


def of_measures(incomplete: str) -> list[str]:
    """The measures, to complete the name of one."""
    return [name for name in MEASURES if name.startswith(incomplete)]


def _column(metavar: str, text: str) -> Any:  # noqa: ANN401 - as typer declares it
    return typer.Option(metavar=metavar, help=text, autocompletion=of_columns)


File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help=f"Predictions: {SUFFIXES}; a folder, or a pattern in quotes."
    ),
]
MapFile = Annotated[Path, typer.Argument(metavar="MAP", help="A map that calibrant fit wrote.")]
FitOn = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Other rows of the model to fit on: a file, or a split such as val."
    ),
]
HtmlFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the report as one page for a browser.")
]
FamilyName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"Usually temperature, and smooth for one chance a row. Known are {NAMES} and others.",
        autocompletion=of_families,
    ),
]
FamilyNames = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Families, as temperature,isotonic; see calibrant fit --help for their names.",
        autocompletion=of_families,
    ),
]
MeasureName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"Of several models, which differ in it by more than chance: {', '.join(MEASURES)}.",
        autocompletion=of_measures,
    ),
]


def load_map(path: Path) -> "Map":
    """A saved map; one for other programs is refused."""
    if path.suffix.lower() == ".onnx":
        raise ValueError(
            f"{path}: an ONNX model is for other programs; fit with -o MAP.safetensors and name that"
        )
    return calibrant.load(path)


@dataclass(frozen=True)
class InputOptions:
    """Which columns and which rows of a file to take."""

    label: Annotated[str | None, _column("COLUMN", "The true class of each row.")] = None
    probs: Annotated[
        str | None, _column("COLUMNS", "A list column, a prefix such as prob_, or a,b,c.")
    ] = None
    logits: Annotated[str | None, _column("COLUMNS", "The same, for logits.")] = None
    confidence: Annotated[
        str | None, _column("COLUMN", "One chance a row, instead of a vector.")
    ] = None
    correct: Annotated[str | None, _column("COLUMN", "Whether that chance came true, as 0/1.")] = (
        None
    )
    weight: Annotated[str | None, _column("COLUMN", "How many observations a row stands for.")] = (
        None
    )
    classes: Annotated[
        str | None, typer.Option(metavar="NAMES", help="The classes of a list column, as a,b,c.")
    ] = None
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="One part of the file, such as val or test.")
    ] = None

    @property
    def wanted(self) -> "ColumnNames":
        """The columns alone."""
        from ..inputs.columns import ColumnNames

        return ColumnNames(
            **{name: value for name, value in vars(self).items() if name != "split"}, sign="--"
        )

    def read(self, file: Path, usual_split: str, *, needs_outcomes: bool = True) -> "Contents":
        """What these options say of a file; of several splits the usual one, if none is named."""
        from ..inputs.files import read_contents

        return read_contents(
            file, self.wanted, self.split, usual_split, needs_outcomes=needs_outcomes
        )

    def rows_to_fit_on(self, named: str, file: Path) -> "Measured":
        """Those of another file, or of a split of this one: a file exists or has a suffix, a split neither."""
        from ..inputs.files import read_contents

        if Path(named).suffix or Path(named).exists():
            return read_contents(named, self.wanted, None, "val").x
        way_out = "name the rows to fit on with --fit-on, a file or a split, or choose with calibrant fit --select"
        return read_contents(file, self.wanted, named, named, way_out=way_out).x


@dataclass(frozen=True)
class OutputOptions:
    """How to tell what was found."""

    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", help="Show no progress, and say nothing where a file is written."
        ),
    ] = False

    def tell(self, found: dict[str, Any], *page: object, wrote: object = None) -> None:
        """Print what was found, as one object or as a page; what was written to a file need not be said."""
        if self.as_json:
            print_json(found)
        elif not self.quiet or wrote is None:
            print_page(*page)


def command(*examples: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command: a parameter that is a group of options becomes those options."""

    def register(act: Callable[..., None]) -> Callable[..., None]:
        own = signature(act, eval_str=True)
        groups: dict[str, Any] = {
            name: each.annotation
            for name, each in own.parameters.items()
            if is_dataclass(each.annotation)
        }

        @wraps(act)
        def call(**given: Any) -> None:  # noqa: ANN401 - whatever the options hold
            for name, kind in groups.items():
                given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            with quiet() if given["manner"].quiet else nullcontext():
                act(**given)

        apart = [each for each in own.parameters.values() if each.name not in groups]
        options = [option for kind in groups.values() for option in _options(kind)]
        call.__signature__ = own.replace(parameters=[*apart, *options])  # type: ignore[attr-defined]
        return app.command(epilog=shown(*examples))(call)

    return register


def shown(*examples: str) -> str:
    """Examples at the foot of a page of help."""
    # typer does not join the lines of a paragraph that begins with a backspace.
    return "\b\nExamples:\n" + "\n".join(f"  calibrant {line}" for line in examples)


def _options(kind: Any) -> Iterator[Parameter]:  # noqa: ANN401 - a dataclass
    annotated = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        yield Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=annotated[field.name],
        )
