"""calibrant compare: families on one file, or the models of several, ranked."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

import calibrant

from .commands import command
from .completion import of_measures
from .families import families_written, with_selected
from .inputs import InputOptions
from .measures import MEASURES, measure_called
from .options import FamilyNames, FitOn
from .outputs import OutputOptions

if TYPE_CHECKING:
    from ..families.family import Family
    from ..inputs.views import Data

Files = Annotated[
    list[Path], typer.Argument(metavar="FILE", help="Predictions of one model, or of several.")
]
MEASURE_HELP: Final = (
    f"Which of several models differ in it by more than random variation: {', '.join(MEASURES)}."
)
MeasureName = Annotated[
    str | None, typer.Option(metavar="NAME", help=MEASURE_HELP, autocompletion=of_measures)
]
OF_MODELS: Final = "--measure compares models: name the files of several, or leave it out"
OF_FAMILIES: Final = (
    "--fit-on and --families compare families on one file: name one file, or leave them out"
)
TWICE: Final = "a file is named twice: a model is compared with others, name each once"


@command(
    "compare predictions.npz",
    "compare test.csv --fit-on val.csv --families temperature,isotonic",
    "compare resnet.npz vit.npz --measure ece",
)
def compare(
    files: Files,
    *,
    fit_on: FitOn = None,
    families: FamilyNames = None,
    measure: MeasureName = None,
    inputs: InputOptions,
    output: OutputOptions,
) -> None:
    """Rank families on one file, or the models of several. Of several splits it takes test.

    Families are fitted on other rows, by default the split val. Models are scored as they are.
    """
    if len(files) > 1:
        if fit_on is not None or families is not None:
            raise ValueError(OF_FAMILIES)
        _compare_models(files, measure, inputs, output)
    elif measure is not None:
        raise ValueError(OF_MODELS)
    else:
        _compare_families(files[0], fit_on or "val", families, inputs, output)


def _compare_families(
    file: Path, fit_on: str, names: str | None, inputs: InputOptions, output: OutputOptions
) -> None:
    from ..reporting.ranking import rank_families
    from ..reporting.terminal import ranking_page

    named = None if names is None else families_written(names)
    x = inputs.read(file, "test").x
    other = inputs.rows_to_fit_on(fit_on, file)
    entered = _usual_families(x) if named is None else with_selected(named, other)
    found = rank_families(other, x, entered)
    output.tell(found.to_dict(), ranking_page(found))


def _usual_families(x: "Data") -> "dict[str, Family]":
    from ..families.defaults import compared_families
    from ..families.names import name_of

    return {name_of(family): family for family in compared_families(x)}


def _compare_models(
    files: list[Path], measure: str | None, inputs: InputOptions, output: OutputOptions
) -> None:
    from ..reporting.ranking import rank_models
    from ..reporting.terminal import ranking_page

    if len(set(files)) < len(files):
        raise ValueError(TWICE)
    measured = None if measure is None else measure_called(measure)
    models = {}
    for name, file in zip(_model_names(files), files, strict=True):
        models[name] = inputs.read(file, "test").x
    found = rank_models(list(models.items()))
    page = ranking_page(found)
    if measured is None:
        output.tell(found.to_dict(), page)
        return
    differences = calibrant.compare_models(models, measured)
    told = {**found.to_dict(), "measure": measure, "differences": differences.to_dict()}
    first = next(iter(models))
    output.tell(told, page, f"\n{measure}, each against {first}:", str(differences))


def _model_names(files: list[Path]) -> list[str]:
    """The names of the files without folder and suffix, where these differ."""
    stems = [file.stem for file in files]
    return stems if len(set(stems)) == len(files) else [str(file) for file in files]
