"""calibrant compare: families on one file, or the models of several, ranked."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

import calibrant

from ..inputs.paths import writable, write_whole
from .commands import command
from .completion import of_measures
from .families import families_written, with_selected
from .inputs import InputOptions
from .measures import MEASURES, measure_called
from .options import PAGES, WROTE_PAGE, FamilyNames, FitOn, HtmlFile, Seed, Title, option
from .origin import origin_of, origin_of_many
from .outputs import OutputOptions

if TYPE_CHECKING:
    from ..families.family import Family
    from ..inference.comparison import Differences
    from ..inputs.views import Data
    from ..reporting.evidence import Origin
    from ..reporting.ranking import Ranking

Files = Annotated[
    list[Path], typer.Argument(metavar="FILE", help="Predictions of one model, or of several.")
]
MEASURE_HELP: Final = (
    f"Which of several models differ in it by more than random variation: {', '.join(MEASURES)}."
)
MeasureName = Annotated[str | None, option("NAME", MEASURE_HELP, of_measures)]
OF_MODELS: Final = "--measure compares models: name the files of several, or leave it out"
OF_FAMILIES: Final = (
    "--fit-on and --families compare families on one file: name one file, or leave them out"
)
TWICE: Final = "a file is named twice: a model is compared with others, name each once"


@command(
    "compare predictions.npz",
    "compare test.csv --fit-on val.csv --families temperature,isotonic",
    "compare resnet.npz vit.npz --measure ece --html models.html",
)
def compare(
    files: Files,
    *,
    fit_on: FitOn = None,
    families: FamilyNames = None,
    measure: MeasureName = None,
    html: HtmlFile = None,
    title: Title = None,
    seed: Seed = 0,
    inputs: InputOptions,
    output: OutputOptions,
) -> None:
    """Rank families on one file, or the models of several. Of several splits it takes test.

    Families are fitted on other rows, by default the split val. Models are scored as they are.
    """
    target = None if html is None else writable(html, PAGES)
    filing = Filing(title, seed, target, output)
    if len(files) > 1:
        if fit_on is not None or families is not None:
            raise ValueError(OF_FAMILIES)
        _compare_models(files, measure, inputs, filing)
    elif measure is not None:
        raise ValueError(OF_MODELS)
    else:
        _compare_families(files[0], fit_on or "val", families, inputs, filing)


@dataclass(frozen=True)
class Filing:
    """How what was found is told and filed: its title and seed, the page, what is printed."""

    title: str | None
    seed: int
    page: Path | None
    output: OutputOptions

    def file(
        self,
        found: "Ranking",
        origin: "Origin",
        measure: str | None = None,
        differences: "Differences | None" = None,
    ) -> None:
        """Print a ranking, and write its page if one is wanted."""
        from ..reporting.compare_page import compare_page
        from ..reporting.evidence import evidence
        from ..reporting.terminal import ranking_page

        filed = evidence(self.title, self.seed, origin)
        told = {**found.to_dict(), "evidence": filed.to_dict()}
        said: list[object] = [ranking_page(found)]
        if differences is not None:
            told |= {"measure": measure, "differences": differences.to_dict()}
            first = differences.rows[0].name
            said += [f"\n{measure}, each against {first}:", str(differences)]
        if self.page is not None:
            page = compare_page(found, filed, measure=measure, differences=differences)
            write_whole(self.page, page.encode())
            told["html"] = str(self.page)
            said.append(f"\n{WROTE_PAGE.format(self.page)}")
        self.output.tell(told, *said, wrote=self.page)


def _compare_families(
    file: Path, fit_on: str, names: str | None, inputs: InputOptions, filing: Filing
) -> None:
    from ..reporting.ranking import rank_families

    named = None if names is None else families_written(names)
    source = inputs.read(file, "test")
    other = inputs.rows_to_fit_on(fit_on, file)
    entered = _usual_families(source.x) if named is None else with_selected(named, other)
    found = rank_families(other, source.x, entered)
    filing.file(found, origin_of(source, inputs, [file], fit_on))


def _usual_families(x: "Data") -> "dict[str, Family]":
    from ..families.defaults import compared_families
    from ..families.names import name_of

    return {name_of(family): family for family in compared_families(x)}


def _compare_models(
    files: list[Path], measure: str | None, inputs: InputOptions, filing: Filing
) -> None:
    from ..reporting.ranking import rank_models

    if len(set(files)) < len(files):
        raise ValueError(TWICE)
    measured = None if measure is None else measure_called(measure)
    sources = {
        name: inputs.read(file, "test")
        for name, file in zip(_model_names(files), files, strict=True)
    }
    models = {name: source.x for name, source in sources.items()}
    found = rank_models(list(models.items()))
    differences = None
    if measured is not None:
        differences = calibrant.compare_models(models, measured, seed=filing.seed)
    origin = origin_of_many(list(sources.values()), files)
    filing.file(found, origin, measure, differences)


def _model_names(files: list[Path]) -> list[str]:
    """The names of the files without folder and suffix, where these differ."""
    stems = [file.stem for file in files]
    return stems if len(set(stems)) == len(files) else [str(file) for file in files]
