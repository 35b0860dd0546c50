"""The commands that make something: a map with fit, mended probabilities with apply."""

import shlex
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

import calibrant

from ..inputs.paths import WRITABLE, files_at, writable
from .names import family as family_named
from .names import in_words
from .options import FamilyName, File, InputOptions, MapFile, OutputOptions, command, load_map

if TYPE_CHECKING:
    from ..families.family import Map

MAP_HELP: Final = "The file to write; or MAP.onnx, for where the model is served."
OUT_HELP: Final = f"The file to write: {', '.join(WRITABLE)}."
NEXT: Final = {
    ".safetensors": "Next: calibrant apply {} FILE -o OUT",
    ".onnx": "It is for other programs; for calibrant apply, fit with -o MAP.safetensors.",
}


@command(
    "fit validation.csv -o map.safetensors",
    "fit validation.npz --family isotonic -o map.safetensors",
    "fit validation.npz --select -o map.safetensors",
)
def fit(
    file: File,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="MAP.safetensors", help=MAP_HELP)],
    family: FamilyName = None,
    select: Annotated[
        bool,
        typer.Option(
            "--select", help="Choose by cross-validation: the simplest that is as good as the best."
        ),
    ] = False,
    reading: InputOptions,
    manner: OutputOptions,
) -> None:
    """Fit a map that mends probabilities, and save it. Of several splits it takes val.

    The rows should be new to the model, and not those it will be tested on.
    """
    from ..reporting.description import describe
    from ..reporting.summary import described
    from ..reporting.terminal import caution, facts, optimum, selection_page

    if select and family is not None:
        raise ValueError(
            f"--select chooses a family and --family {family} names one: leave one of them out"
        )
    named = None if family is None else family_named(family)
    target = writable(out, list(NEXT))
    save = _saver(target)
    x = reading.read(file, "val").x
    usual = family_named("temperature" if isinstance(x, calibrant.Predictions) else "smooth")
    selection = in_words(calibrant.cross_validate(x)) if select else None
    fitted = (named or usual if selection is None else selection.chosen).fit(x)
    save(fitted)
    found = describe(fitted)
    chosen = (
        {} if selection is None else {"selection": asdict(selection) | {"chosen": selection.name}}
    )
    manner.tell(
        {**found.to_dict(), "fitted_on": described(x), "map": str(target), **chosen},
        *([] if selection is None else [selection_page(selection)]),
        f"Fitted {found.family} on {described(x)}.",
        *([facts(found.facts)] if found.facts else []),
        *([caution(found.caution)] if found.caution else []),
        *([optimum(found.certificate)] if found.certificate else []),
        f"Wrote {target}. {NEXT[target.suffix.lower()].format(shlex.quote(str(target)))}",
        wrote=target,
    )


@command("apply map.safetensors test.csv -o mended.csv")
def apply(
    fitted: MapFile,
    file: File,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help=OUT_HELP)],
    reading: InputOptions,
    manner: OutputOptions,
) -> None:
    """Mend the probabilities in a file with a map. Of several splits it takes test.

    From one table to another the other columns are kept. Labels may be absent: then nothing is scored.
    """
    from ..choosing import calibrated
    from ..reporting.recalibration import standing
    from ..reporting.terminal import comparison

    target = writable(out, WRITABLE)
    source = reading.read(file, "test", needs_outcomes=False)
    if target.resolve() in [each.resolve() for each in files_at(file)]:
        raise ValueError(f"{out}: -o must not be a file that is read; write to another")
    mended = calibrated(load_map(fitted), source.x)
    calibrant.write(target, mended, source=source)
    pairs = [("before", source.x), ("after", mended)] if source.has_outcomes else []
    scores = [standing(name, x) for name, x in pairs]
    before, after = (asdict(each) for each in scores) if scores else (None, None)
    told = (
        comparison(scores)
        if scores
        else f"{file} tells no labels or outcomes, so nothing is scored."
    )
    manner.tell(
        {"before": before, "after": after, "out": str(target)},
        told,
        f"\nWrote {target}.",
        wrote=target,
    )


def _saver(target: Path) -> "Callable[[Map], None]":
    """How to write a map; what it needs is looked for before the work is done."""
    if target.suffix.lower() != ".onnx":
        return lambda fitted: fitted.save(target)
    from ..onnx import export

    return lambda fitted: export(fitted, target)
