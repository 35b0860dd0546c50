"""calibrant report: how far the probabilities of a file can be trusted."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

import calibrant

from ..inputs.paths import writable
from .commands import command
from .completion import of_columns
from .families import families_written, with_selected
from .inputs import InputOptions
from .options import PAGES, WROTE_PAGE, FamilyNames, Files, FitOn, HtmlFile, Seed, Title, option
from .origin import origin_of
from .outputs import OutputOptions
from .parts import Streamed, StreamOptions

if TYPE_CHECKING:
    from ..inputs.contents import Contents

TABLES: Final = (".csv",)
WROTE_NUMBERS: Final = "Wrote {}: every number, a line each."
CsvFile = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Write every number as a table.")
]
NEEDS_ROWS: Final = (
    "--families are fitted on other rows: name those with --fit-on, a file or a split"
)
By = Annotated[str | None, option("COLUMNS", "Ask of each group too, as site,year.", of_columns)]
Intervals = Annotated[
    bool,
    typer.Option(
        "--intervals/--no-intervals",
        help="How sure each number is; takes longer.",
        show_default=False,
    ),
]


@command(
    "report predictions.csv",
    "report test.csv --fit-on validation.csv --html report.html",
    "report 'part-*.parquet' --label y --probs p_ --by site,year",
    "report answers.jsonl --confidence p --correct is_right",
    "report probs.npy --label labels.npy",
    "report big/*.parquet --memory 2GB --skip-bad",
)
def report(
    files: Files,
    *,
    html: HtmlFile = None,
    csv: CsvFile = None,
    title: Title = None,
    seed: Seed = 0,
    fit_on: FitOn = None,
    families: FamilyNames = None,
    by: By = None,
    intervals: Intervals = False,
    inputs: InputOptions,
    streams: StreamOptions,
    output: OutputOptions,
) -> None:
    """Say how far probabilities can be trusted. Of several splits it takes test.

    With --fit-on it also says what maps fitted on other rows would mend. Parquet files of any size
    are read part by part, and summaries of calibrant sketch are files too.
    """
    file = files[0]
    target = None if html is None else writable(html, PAGES)
    table = None if csv is None else writable(csv, TABLES)
    if families is not None and fit_on is None:
        raise ValueError(NEEDS_ROWS)
    named = None if families is None else families_written(families)
    streamed = streams.read(files, inputs, "test")
    source = inputs.read(file, "test") if streamed is None else streamed.contents()
    groups = None if by is None else _groups(source if streamed is None else streamed, by)
    other = None if fit_on is None else inputs.rows_to_fit_on(fit_on, file)
    entered = None if named is None or other is None else with_selected(named, other)
    found = calibrant.report(
        source.x,
        fit_on=other,
        families=entered,
        by=groups,
        intervals=intervals,
        title=title,
        seed=seed,
        origin=origin_of(source, inputs, files, fit_on),
    )
    _write(found, target, table, output)


def _groups(source: "Contents | Streamed", by: str) -> "dict[str, Any]":
    names = [name.strip() for name in by.split(",")]
    if isinstance(source, Streamed):
        return source.groups(names)
    return {name: source.column(name) for name in names}


def _write(
    found: "calibrant.Report", page: Path | None, table: Path | None, output: OutputOptions
) -> None:
    told = found.to_dict()
    said: list[object] = []
    if page is not None:
        found.to_html(page)
        told["html"] = str(page)
        said.append(f"\n{WROTE_PAGE.format(page)}")
    if table is not None:
        found.to_csv(table)
        told["csv"] = str(table)
        said.append(f"\n{WROTE_NUMBERS.format(table)}")
    output.tell(told, found, *said, wrote=page or table)
