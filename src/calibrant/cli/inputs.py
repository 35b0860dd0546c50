"""What is read: the options that say which columns and which rows of a file to take."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .completion import of_columns
from .options import option
from .printing import say_left_out

if TYPE_CHECKING:
    from ..inputs.column_names import ColumnNames
    from ..inputs.contents import Contents
    from ..inputs.views import Data

NAME_THEM = (
    "name the rows to fit on with --fit-on, a file or a split, "
    "or choose with calibrant fit --select"
)

Label = Annotated[str | None, option("COLUMN", "The true class of each row.", of_columns)]
Probs = Annotated[
    str | None, option("COLUMNS", "A list column, a prefix such as prob_, or a,b,c.", of_columns)
]
Logits = Annotated[str | None, option("COLUMNS", "The same, for logits.", of_columns)]
Confidence = Annotated[
    str | None, option("COLUMN", "One chance a row, instead of a vector.", of_columns)
]
Correct = Annotated[
    str | None, option("COLUMN", "Whether that chance came true, as 0/1.", of_columns)
]
Weight = Annotated[
    str | None, option("COLUMN", "How many observations a row stands for.", of_columns)
]
Classes = Annotated[str | None, option("NAMES", "The classes of a list column, as a,b,c.")]
Event = Annotated[str | None, option("WORDS", "What a confidence is of, as 'the answer is right'.")]
Split = Annotated[str | None, option("NAME", "One part of the file, such as val or test.")]
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
