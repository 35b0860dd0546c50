"""The command `calibrant`: it parses, calls and prints, and computes nothing itself."""

import json
import math
import re
import shlex
import sys
from collections.abc import Callable
from dataclasses import MISSING, asdict, fields, is_dataclass, replace
from difflib import get_close_matches
from importlib import import_module
from importlib.resources import as_file, files
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

import calibrant

from .columns import Wanted
from .files import WRITERS, take, writable

if TYPE_CHECKING:
    from .choosing import Measured, Selection
    from .families import Family, Map

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
# A bad parameter is a usage error in every version of typer; the class itself has moved between them.
UsageError: type[typer.BadParameter] = typer.BadParameter.__bases__[0]
SAMPLE: Final = "c100-resnet18"
# What is compared where nothing is named, the simplest first.
OF_VECTORS: Final = (
    "temperature", "ensemble-temperature", "order-preserving", "vector-scaling", "structured-matrix"
)  # fmt: skip
OF_CHANCES: Final = ("platt", "beta", "smooth", "spline", "isotonic", "venn-abers", "bbq", "histogram-binning")

File = Annotated[Path, typer.Argument(metavar="FILE", help="Predictions: .npz, .csv, .parquet or .jsonl.")]
Label = Annotated[str | None, typer.Option(metavar="COLUMN", help="The true class of each row.")]
Probs = Annotated[str | None, typer.Option(metavar="COLUMNS", help="A list column, a prefix such as prob_, or a,b,c.")]
Logits = Annotated[str | None, typer.Option(metavar="COLUMNS", help="The same, for logits.")]
Confidence = Annotated[str | None, typer.Option(metavar="COLUMN", help="One chance a row, instead of a vector.")]
Correct = Annotated[str | None, typer.Option(metavar="COLUMN", help="Whether that chance came true, as 0/1.")]
Weight = Annotated[str | None, typer.Option(metavar="COLUMN", help="How many observations a row stands for.")]
Classes = Annotated[str | None, typer.Option(metavar="NAMES", help="The classes of a list column, as a,b,c.")]
FitOn = Annotated[
    str | None, typer.Option(metavar="FILE", help="Other rows of the model to fit on: a file, or a split such as val.")
]
Split = Annotated[str | None, typer.Option(metavar="NAME", help="One part of the file, such as val or test.")]
MapFile = Annotated[Path, typer.Argument(metavar="MAP", help="A map that calibrant fit wrote.")]
OUT: Final = "The file to write; or MAP.onnx, for where the model is served."
NEXT: Final = {
    ".safetensors": "Next: calibrant apply {} FILE -o OUT",
    ".onnx": "It is for other programs; for calibrant apply, fit with -o MAP.safetensors.",
}
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def _examples(*lines: str) -> str:
    # typer does not join the lines of a paragraph that begins with a backspace.
    return "\b\nExamples:\n" + "\n".join(f"  calibrant {line}" for line in lines)


def main() -> None:
    """Run the command: exit 2 and one line on stderr for bad input, 130 for Ctrl-C."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command on these arguments, for its exit code."""
    try:
        return app(arguments, prog_name="calibrant", standalone_mode=False) or 0
    except UsageError as error:
        return _refuse(f"{error.format_message().rstrip('.')}; see calibrant --help")
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (ValueError, ImportError) as error:  # an extra that is absent says how to install it
        return _refuse(str(error))
    except (KeyboardInterrupt, typer.Abort):
        return 130


@app.callback(
    invoke_without_command=True,
    epilog=_examples("demo", "report predictions.csv", "fit validation.csv --select -o map.safetensors"),
)
def about(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """How far a classifier's probabilities can be trusted, where they lie, and how to mend them.

    A file of predictions has a column of labels, and one column a class (prob_cat, prob_dog, ...) or one column of
    lists (probs or logits). Or it has a column confidence and a column correct.
    """
    if context.invoked_subcommand is None:
        typer.echo(f"calibrant {calibrant.__version__}" if version else context.get_help())


@app.command(epilog=_examples("demo"))
def demo(*, as_json: Json = False) -> None:
    """Report on predictions that come with calibrant, and mend them."""
    fit_on, test = calibrant.samples.load(SAMPLE)
    found = calibrant.report(test, fit_on=fit_on)
    with as_file(files(calibrant.samples) / f"{SAMPLE}.npz") as path:
        sample = shlex.quote(str(path))
    return (
        _print_json(found.to_dict())
        if as_json
        else _print(
            "A ResNet-18 trained on CIFAR-100: can its probabilities be trusted?\n",
            found,
            "\nThe same, step by step:",
            f"  calibrant report {sample}",
            f"  calibrant fit {sample} -o map.safetensors",
            f"  calibrant apply map.safetensors {sample} -o mended.npz",
            "  calibrant report mended.npz",
            "\nYour own predictions, in a file with columns label, prob_cat, prob_dog, ...:",
            "  calibrant report predictions.csv",
        )
    )


@app.command(
    epilog=_examples(
        "report predictions.csv",
        "report test.csv --fit-on validation.csv",
        "report answers.jsonl --confidence p --correct is_right",
    )
)
def report(
    file: File,
    *,
    fit_on: FitOn = None,
    label: Label = None,
    probs: Probs = None,
    logits: Logits = None,
    confidence: Confidence = None,
    correct: Correct = None,
    weight: Weight = None,
    classes: Classes = None,
    split: Split = None,
    as_json: Json = False,
) -> None:
    """Say how far probabilities can be trusted. Of several splits it takes test.

    With --fit-on it also says what maps fitted on other rows would mend.
    """
    wanted = Wanted(label, probs, logits, confidence, correct, weight, classes)
    x = take(file, wanted, split, "test").x
    other = None if fit_on is None else _rows_to_fit_on(fit_on, file, wanted)
    found = calibrant.report(x, fit_on=other)
    return _print_json(found.to_dict()) if as_json else _print(found)


@app.command(
    epilog=_examples(
        "fit validation.csv -o map.safetensors",
        "fit validation.npz --family isotonic -o map.safetensors",
        "fit validation.npz --select -o map.safetensors",
    )
)
def fit(
    file: File,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="MAP.safetensors", help=OUT)],
    family: Annotated[
        str | None, typer.Option(metavar="NAME", help="Usually temperature, and smooth for one chance a row.")
    ] = None,
    select: Annotated[
        bool, typer.Option("--select", help="Choose by cross-validation: the simplest that is as good as the best.")
    ] = False,
    label: Label = None,
    probs: Probs = None,
    logits: Logits = None,
    confidence: Confidence = None,
    correct: Correct = None,
    weight: Weight = None,
    classes: Classes = None,
    split: Split = None,
    as_json: Json = False,
) -> None:
    """Fit a map that mends probabilities, and save it. Of several splits it takes val.

    The rows should be new to the model, and not those it will be tested on.
    """
    from .reporting.description import describe
    from .reporting.summary import described
    from .reporting.terminal import caution, facts, optimum, selection_page

    if select and family is not None:
        raise ValueError(f"--select chooses a family and --family {family} names one: leave one of them out")
    target = writable(out, list(NEXT))
    save = _saver(target)
    x = take(file, Wanted(label, probs, logits, confidence, correct, weight, classes), split, "val").x
    usual = "temperature" if isinstance(x, calibrant.Predictions) else "smooth"
    selection = _in_words(calibrant.cross_validate(x)) if select else None
    fitted = (_family(family or usual) if selection is None else selection.chosen).fit(x)
    save(fitted)
    found = describe(fitted)
    if as_json:
        chosen = {} if selection is None else {"selection": asdict(selection) | {"chosen": selection.name}}
        return _print_json({**found.to_dict(), "fitted_on": described(x), "map": str(target), **chosen})
    return _print(
        *([] if selection is None else [selection_page(selection)]),
        f"Fitted {found.family} on {described(x)}.",
        *([facts(found.facts)] if found.facts else []),
        *([caution(found.caution)] if found.caution else []),
        *([optimum(found.certificate)] if found.certificate else []),
        f"Wrote {target}. {NEXT[target.suffix.lower()].format(shlex.quote(str(target)))}",
    )


@app.command(epilog=_examples("apply map.safetensors test.csv -o mended.csv"))
def apply(
    fitted: MapFile,
    file: File,
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="OUT", help="The file to write: .npz, .csv, .parquet or .jsonl.")
    ],
    label: Label = None,
    probs: Probs = None,
    logits: Logits = None,
    confidence: Confidence = None,
    correct: Correct = None,
    weight: Weight = None,
    classes: Classes = None,
    split: Split = None,
    as_json: Json = False,
) -> None:
    """Mend the probabilities in a file with a map. Of several splits it takes test.

    From one table to another the other columns are kept. Labels may be absent: then nothing is scored.
    """
    from .choosing import calibrated
    from .reporting.summary import standing
    from .reporting.terminal import comparison

    target = writable(out, list(WRITERS))
    if target.resolve() == file.resolve():
        raise ValueError(f"{out}: -o must not be the file that is read; write to another")
    wanted = Wanted(label, probs, logits, confidence, correct, weight, classes)
    source = take(file, wanted, split, "test", needs_outcomes=False)
    mended = calibrated(_load(fitted), source.x)
    calibrant.write(target, mended, source=source)
    pairs = [("before", source.x), ("after", mended)] if source.has_outcomes else []
    scores = [standing(name, x) for name, x in pairs]
    if as_json:
        before, after = (asdict(each) for each in scores) if scores else (None, None)
        return _print_json({"before": before, "after": after, "out": str(target)})
    told = comparison(scores) if scores else f"{file} tells no labels or outcomes, so nothing is scored."
    return _print(told, f"\nWrote {target}.")


@app.command(
    epilog=_examples(
        "compare predictions.npz",
        "compare test.csv --fit-on validation.csv --families temperature,isotonic",
        "compare resnet.npz vit.npz",
    )
)
def compare(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Predictions of one model, or of several.")],
    *,
    fit_on: FitOn = None,
    names: Annotated[
        str | None, typer.Option("--families", metavar="NAMES", help="Families, as temperature,isotonic.")
    ] = None,
    label: Label = None,
    probs: Probs = None,
    logits: Logits = None,
    confidence: Confidence = None,
    correct: Correct = None,
    weight: Weight = None,
    classes: Classes = None,
    split: Split = None,
    as_json: Json = False,
) -> None:
    """Rank families on one file, or the models of several. Of several splits it takes test.

    Families are fitted on other rows, by default the split val. Models are scored as they are.
    """
    from .reporting.ranking import rank_families, rank_models
    from .reporting.terminal import ranking_page

    wanted = Wanted(label, probs, logits, confidence, correct, weight, classes)
    if len(files) == 1:
        entered = {} if names is None else {name: _family(name) for name in names.replace(" ", "").lower().split(",")}
        x = take(files[0], wanted, split, "test").x
        found = rank_families(_rows_to_fit_on(fit_on or "val", files[0], wanted), x, entered or _usual(x))
    elif fit_on is not None or names is not None:
        raise ValueError("--fit-on and --families compare families on one file: name one file, or leave them out")
    else:
        stems = [file.stem for file in files]
        called = stems if len(set(stems)) == len(files) else map(str, files)
        given = [take(file, wanted, split, "test").x for file in files]
        found = rank_models(list(zip(called, given, strict=True)))
    return _print_json(found.to_dict()) if as_json else _print(ranking_page(found))


@app.command(epilog=_examples("show map.safetensors", "show map.safetensors --class cat"))
def show(
    fitted: MapFile,
    *,
    of_class: Annotated[
        str | None, typer.Option("--class", metavar="NAME", help="One class, where each has a map of its own.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what a saved map is: its family, what it was fitted on, its numbers, and what it makes of claims."""
    from .reporting.description import describe
    from .reporting.terminal import map_page

    found = describe(_load(fitted), of_class)
    return _print_json(found.to_dict()) if as_json else _print(map_page(found))


def families() -> dict[str, "type[Family]"]:
    """The public families that need no arguments, by their names in lower case with hyphens."""
    from .families import Family

    rooms = [import_module(f".{room}", __package__) for room in ("chances", "vectors")]
    homes = [import_module(f"{room.__name__}.{found.name}") for room in rooms for found in iter_modules(room.__path__)]
    public = {name: thing for home in homes for name, thing in vars(home).items() if name in dir(calibrant)}
    return {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower(): thing
        for name, thing in sorted(public.items())
        if isinstance(thing, type) and issubclass(thing, Family) and is_dataclass(thing)
        if all(field.default is not MISSING for field in fields(thing))
    }


def _rows_to_fit_on(named: str, file: Path, wanted: Wanted) -> "Measured":
    """Those of another file, or of a split of this one: a file has a suffix and a split has none."""
    if Path(named).suffix:
        return take(named, wanted, None, "val").x
    try:
        return take(file, wanted, named, named).x
    except ValueError as error:
        way_out = "name the rows to fit on with --fit-on, a file or a split, or choose with calibrant fit --select"
        text = str(error).replace("leave split out", way_out).replace("choose one with split", way_out)
        raise ValueError(text) from error


def _usual(x: "Measured") -> "dict[str, Family]":
    vectors = OF_VECTORS if isinstance(x, calibrant.Predictions) else OF_VECTORS[:1]
    table = families()
    return {name: table[name]() for name in (*vectors, *OF_CHANCES)}


def _in_words(found: "Selection") -> "Selection":
    """The same, its families called as the command calls them."""
    names = {repr(made): name for name, kind in families().items() for made in (kind(), calibrant.OneVsRest(kind()))}
    return replace(
        found,
        name=names.get(found.name, found.name),
        rows=tuple(replace(row, name=names.get(row.name, row.name)) for row in found.rows),
        failures=tuple((names.get(name, name), why) for name, why in found.failures),
    )


def _saver(target: Path) -> "Callable[[Map], None]":
    """How to write a map; what it needs is looked for before the work is done."""
    if target.suffix.lower() != ".onnx":
        return lambda fitted: fitted.save(target)
    from .onnx import export

    return lambda fitted: export(fitted, target)


def _load(path: Path) -> "Map":
    if path.suffix.lower() == ".onnx":
        raise ValueError(f"{path}: an ONNX model is for other programs; fit with -o MAP.safetensors and name that")
    return calibrant.load(path)


def _family(name: str) -> "Family":
    table = families()
    if name.lower() not in table:
        near = get_close_matches(name.lower(), table, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ValueError(f"there is no family {name!r}; {hint}the families are {', '.join(table)}")
    return table[name.lower()]()


def _print(*parts: object) -> None:
    from rich.console import Console

    from .reporting.terminal import MOST_WIDTH

    console = Console(highlight=False, markup=False)
    console.width = min(console.width, MOST_WIDTH)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, str))


def _print_json(thing: dict[str, Any]) -> None:
    typer.echo(json.dumps(_finite(thing), allow_nan=False))


def _finite(thing: Any) -> Any:  # noqa: ANN401 - whatever json holds
    """The same without infinity, which JSON has not, and a temperature can be: it is told as null."""
    if isinstance(thing, dict):
        return {name: _finite(value) for name, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [_finite(value) for value in thing]
    return None if isinstance(thing, float) and math.isinf(thing) else thing


def _refuse(reason: str) -> int:
    typer.echo(f"calibrant: {' '.join(reason.split())}", err=True)
    return 2
