"""The commands that look: demo, report, compare and show."""

import shlex
from importlib.resources import as_file, files
from itertools import count
from pathlib import Path
from typing import Annotated, Final

import typer

import calibrant

from ..inputs.paths import writable
from .names import measure as measure_named
from .names import named_families, usual_families
from .options import (
    FamilyNames,
    File,
    FitOn,
    HtmlFile,
    InputOptions,
    MapFile,
    MeasureName,
    OutputOptions,
    app,
    command,
    load_map,
    of_columns,
    shown,
)

SAMPLE: Final = "c100-resnet18"
PAGES: Final = [".html", ".htm"]
PICTURES: Final = [".png", ".svg", ".pdf"]
WROTE: Final = "Wrote {}: open it in a browser, or send it to a colleague."


@app.callback(
    invoke_without_command=True,
    epilog=shown(
        "demo",
        "report predictions.csv --html report.html",
        "fit validation.csv --select -o map.safetensors",
        "apply map.safetensors test.csv -o mended.csv",
    ),
)
def about(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """How far a classifier's probabilities can be trusted, where they lie, and how to mend them.

    A file of predictions has a column of labels, and one column a class (prob_cat, prob_dog, ...) or one column of
    lists (probs or logits). Or it has a column confidence and a column correct. Columns of other names are named with
    options: see calibrant report --help.
    """
    if context.invoked_subcommand is None:
        typer.echo(f"calibrant {calibrant.__version__}" if version else context.get_help())


@command("demo", "demo --html page.html")
def demo(*, html: HtmlFile = None, manner: OutputOptions) -> None:
    """Report on predictions that come with calibrant, and mend them.

    It writes report.html, or report-2.html where that is taken, and so on.
    """
    target = writable(_free("report", ".html") if html is None else html, PAGES)
    fit_on, test = calibrant.samples.load(SAMPLE)
    found = calibrant.report(test, fit_on=fit_on)
    found.to_html(target)
    with as_file(files(calibrant.samples) / f"{SAMPLE}.npz") as path:
        sample = shlex.quote(str(path))
    manner.tell(
        {**found.to_dict(), "html": str(target)},
        "A ResNet-18 trained on CIFAR-100: can its probabilities be trusted?\n",
        found,
        f"\n{WROTE.format(target)}",
        "\nThe same, step by step:",
        f"  calibrant report {sample} --fit-on val --html {shlex.quote(str(target))}",
        f"  calibrant fit {sample} -o map.safetensors",
        f"  calibrant apply map.safetensors {sample} -o mended.npz",
        "  calibrant report mended.npz",
        "\nYour own predictions, in a file with columns label, prob_cat, prob_dog, ...:",
        "  calibrant report predictions.csv --html report.html",
        wrote=target,
    )


@command(
    "report predictions.csv",
    "report test.csv --fit-on validation.csv --html report.html",
    "report 'part-*.parquet' --label y --probs p_ --by site,year",
    "report answers.jsonl --confidence p --correct is_right",
    "report probs.npy --label labels.npy",
)
def report(
    file: File,
    *,
    html: HtmlFile = None,
    fit_on: FitOn = None,
    families: FamilyNames = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS",
            help="Ask of each group too, as site,year.",
            autocompletion=of_columns,
        ),
    ] = None,
    intervals: Annotated[
        bool,
        typer.Option("--intervals/--no-intervals", help="How sure each number is; takes longer."),
    ] = False,
    reading: InputOptions,
    manner: OutputOptions,
) -> None:
    """Say how far probabilities can be trusted. Of several splits it takes test.

    With --fit-on it also says what maps fitted on other rows would mend.
    """
    target = None if html is None else writable(html, PAGES)
    if families is not None and fit_on is None:
        raise ValueError(
            "--families are fitted on other rows: name those with --fit-on, a file or a split"
        )
    entered = None if families is None else named_families(families)
    source = reading.read(file, "test")
    groups = (
        None
        if by is None
        else {name.strip(): source.column(name.strip()) for name in by.split(",")}
    )
    other = None if fit_on is None else reading.rows_to_fit_on(fit_on, file)
    found = calibrant.report(
        source.x, fit_on=other, families=entered, by=groups, intervals=intervals
    )
    if target is None:
        return manner.tell(found.to_dict(), found)
    found.to_html(target)
    return manner.tell(
        {**found.to_dict(), "html": str(target)}, found, f"\n{WROTE.format(target)}", wrote=target
    )


@command(
    "compare predictions.npz",
    "compare test.csv --fit-on validation.csv --families temperature,isotonic",
    "compare resnet.npz vit.npz --measure ece",
)
def compare(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Predictions of one model, or of several.")
    ],
    *,
    fit_on: FitOn = None,
    families: FamilyNames = None,
    measure: MeasureName = None,
    reading: InputOptions,
    manner: OutputOptions,
) -> None:
    """Rank families on one file, or the models of several. Of several splits it takes test.

    Families are fitted on other rows, by default the split val. Models are scored as they are.
    """
    from ..reporting.ranking import rank_families, rank_models
    from ..reporting.terminal import ranking_page

    if len(files) == 1:
        if measure is not None:
            raise ValueError(
                "--measure compares models: name the files of several, or leave it out"
            )
        entered = {} if families is None else named_families(families)
        x = reading.read(files[0], "test").x
        found = rank_families(
            reading.rows_to_fit_on(fit_on or "val", files[0]), x, entered or usual_families(x)
        )
        return manner.tell(found.to_dict(), ranking_page(found))
    if fit_on is not None or families is not None:
        raise ValueError(
            "--fit-on and --families compare families on one file: name one file, or leave them out"
        )
    if len(set(files)) < len(files):
        raise ValueError("a file is named twice: a model is compared with others, name each once")
    measured = None if measure is None else measure_named(measure)
    stems = [file.stem for file in files]
    called = stems if len(set(stems)) == len(files) else [str(file) for file in files]
    models = {name: reading.read(file, "test").x for name, file in zip(called, files, strict=True)}
    found = rank_models(list(models.items()))
    if measured is None:
        return manner.tell(found.to_dict(), ranking_page(found))
    differences = calibrant.compare_models(models, measured)
    told = {**found.to_dict(), "measure": measure, "differences": differences.to_dict()}
    return manner.tell(
        told, ranking_page(found), f"\n{measure}, each against {called[0]}:", str(differences)
    )


@command(
    "show map.safetensors",
    "show map.safetensors --class cat",
    "show map.safetensors --picture map.png",
)
def show(
    fitted: MapFile,
    *,
    of_class: Annotated[
        str | None,
        typer.Option("--class", metavar="NAME", help="One class, where each has a map of its own."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help=f"Draw it too: {', '.join(PICTURES)}.")
    ] = None,
    manner: OutputOptions,
) -> None:
    """Say what a saved map is: its family, its numbers, and what it makes of claims."""
    from ..reporting.description import describe
    from ..reporting.terminal import map_page

    target = None if picture is None else writable(picture, PICTURES)
    known = load_map(fitted)
    found = describe(known, of_class)
    if target is None:
        return manner.tell(found.to_dict(), map_page(found))
    from ..deploy.store import write_whole
    from ..reporting.picture import picture as drawn

    write_whole(target, drawn(known, target.suffix.lower(), of_class))
    told = {**found.to_dict(), "picture": str(target)}
    return manner.tell(told, map_page(found), f"\nWrote {target}.", wrote=target)


def _free(stem: str, suffix: str) -> Path:
    """A file that is not there yet, in this folder: nothing that is there is lost."""
    names = (f"{stem}{suffix}" if i == 1 else f"{stem}-{i}{suffix}" for i in count(1))
    return next(path for path in map(Path, names) if not path.exists())
