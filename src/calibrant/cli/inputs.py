"""What is read: the options that say which columns and which rows of a file to take."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .completion import of_columns
from .printing import say_left_out

if TYPE_CHECKING:
    from ..inputs.column_names import ColumnNames
    from ..inputs.contents import Contents
    from ..inputs.views import Data

NAME_THEM = (
    "name the rows to fit on with --fit-on, a file or a split, "
    "or choose with calibrant fit --select"
)


def _column(text: str) -> Any:  # noqa: ANN401 - as typer declares it
    return typer.Option(metavar="COLUMN", help=text, autocompletion=of_columns)


def _columns(text: str) -> Any:  # noqa: ANN401 - as typer declares it
    return typer.Option(metavar="COLUMNS", help=text, autocompletion=of_columns)


def _names(metavar: str, text: str) -> Any:  # noqa: ANN401 - as typer declares it
    return typer.Option(metavar=metavar, help=text)


Label = Annotated[str | None, _column("The true class of each row.")]
Probs = Annotated[str | None, _columns("A list column, a prefix such as prob_, or a,b,c.")]
Logits = Annotated[str | None, _columns("The same, for logits.")]
Confidence = Annotated[str | None, _column("One chance a row, instead of a vector.")]
Correct = Annotated[str | None, _column("Whether that chance came true, as 0/1.")]
Weight = Annotated[str | None, _column("How many observations a row stands for.")]
Classes = Annotated[str | None, _names("NAMES", "The classes of a list column, as a,b,c.")]
Event = Annotated[str | None, _names("WORDS", "What a confidence is of, as 'the answer is right'.")]
Split = Annotated[str | None, _names("NAME", "One part of the file, such as val or test.")]
SkipMissing = Annotated[
    bool, typer.Option("--skip-missing", help="Leave rows out that lack a value, and count them.")
]
MaxGb = Annotated[
    float, typer.Option("--max-gb", metavar="GB", help="What a small file may unpack to, in GB.")
]


@dataclass(frozen=True)
class InputOptions:
    """Which columns and which rows of a file to take."""

    label: Label = None
    probs: Probs = None
    logits: Logits = None
    confidence: Confidence = None
    correct: Correct = None
    weight: Weight = None
    classes: Classes = None
    event: Event = None
    split: Split = None
    skip_missing: SkipMissing = False
    max_gb: MaxGb = 1.0

    @property
    def columns(self) -> "ColumnNames":
        """The columns alone."""
        from ..inputs.column_names import ColumnNames

        named = asdict(self)
        del named["split"], named["skip_missing"], named["max_gb"]
        return ColumnNames(**named, sign="--")

    def read(self, file: Path, usual_split: str, *, needs_outcomes: bool = True) -> "Contents":
        """What these options say of a file; of several splits the usual one, if none is named."""
        return self._read(file, self.split, usual_split, needs_outcomes=needs_outcomes)

    def rows_to_fit_on(self, named: str, file: Path) -> "Data":
        """Those of another file, or of a split of this one.

        A file exists or has a suffix, a split neither.
        """
        if self.is_path(named):
            return self._read(Path(named), None, "val").x
        return self._read(file, named, named, way_out=NAME_THEM).x

    def is_path(self, named: str) -> bool:
        """Whether rows to fit on are a file's, not a split."""
        return named == "-" or bool(Path(named).suffix) or Path(named).exists()

    def _read(self, file: Path, split: str | None, usual_split: str, **how: Any) -> "Contents":  # noqa: ANN401 - as `read_contents` takes it
        from ..inputs.files import read_contents

        found = read_contents(
            file,
            self.columns,
            split,
            usual_split,
            skip_missing=self.skip_missing,
            max_gb=self.max_gb,
            **how,
        )
        if found.skipped:
            say_left_out(file, found.x.n + found.skipped, found.lacking)
        return found
