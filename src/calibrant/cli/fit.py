"""calibrant fit: a map that mends probabilities, fitted and written to a file."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

import calibrant

from ..inputs.paths import writable
from .commands import command
from .completion import of_families
from .families import is_select
from .inputs import InputOptions
from .map_files import SUFFIXES, check_extra, write_map
from .options import File
from .outputs import OutputOptions

if TYPE_CHECKING:
    from ..contenders import Selection
    from ..families.family import Family
    from ..inputs.views import Data
    from ..reporting.description import Description

OUT_HELP: Final = (
    "The file to write; or MAP.onnx, for where the model is served, or MAP.sql, for a database."
)
FAMILY_HELP: Final = (
    "As isotonic or 'spline(knots=14)', or select; "
    "usually temperature, and smooth for one chance a row."
)
SELECT_HELP: Final = "Choose by cross-validation: the simplest that is as good as the best."
Out = Annotated[Path, typer.Option("--out", "-o", metavar="MAP.safetensors", help=OUT_HELP)]
FamilyName = Annotated[
    str | None, typer.Option(metavar="NAME", help=FAMILY_HELP, autocompletion=of_families)
]
Select = Annotated[bool, typer.Option("--select", help=SELECT_HELP)]


@command(
    "fit validation.csv -o map.safetensors",
    "fit validation.npz --family isotonic -o map.safetensors",
    "fit answers.jsonl --family 'spline(knots=14)' -o map.sql",
    "fit validation.npz --select -o map.safetensors",
)
def fit(
    file: File,
    *,
    out: Out,
    family: FamilyName = None,
    select: Select = False,
    inputs: InputOptions,
    output: OutputOptions,
) -> None:
    """Fit a map that mends probabilities, and save it. Of several splits it takes val.

    The rows should be new to the model, and not those it will be tested on.
    """
    from ..families.defaults import fitted_family
    from ..reporting.data_summary import data_in_words
    from ..reporting.description import describe

    named = _named_family(family, select=select)
    target = writable(out, SUFFIXES)
    check_extra(target)
    source = inputs.read(file, "val")
    selection = None
    chosen = named or fitted_family(source.x)
    if select or is_select(family):
        selection = _selection(source.x)
        chosen = selection.chosen
    fitted = chosen.fit(source.x)
    use = write_map(fitted, source, target)
    found = describe(fitted)
    told = {**found.to_dict(), "fitted_on": data_in_words(source.x), "map": str(target)}
    if selection is not None:
        told["selection"] = asdict(selection) | {"chosen": selection.name}
    page = _page(found, source.x, selection)
    output.tell(told, *page, f"Wrote {target}. {use}", wrote=target)


def _named_family(family: str | None, *, select: bool) -> "Family | None":
    from ..families.names import family_of

    if family is None or is_select(family):
        return None
    if select:
        raise ValueError(
            f"--select chooses a family and --family {family} names one: leave one of them out"
        )
    return family_of(family)


def _selection(x: "Data") -> "Selection":
    """What cross-validation finds, its families named as people write them."""
    from ..families.defaults import selection_candidates
    from ..families.names import name_of

    names = {repr(family): name_of(family) for family in selection_candidates(x)}
    found = calibrant.cross_validate(x)
    rows = [replace(row, name=names.get(row.name, row.name)) for row in found.rows]
    failures = [(names.get(name, name), why) for name, why in found.failures]
    name = names.get(found.name, found.name)
    return replace(found, name=name, rows=tuple(rows), failures=tuple(failures))


def _page(found: "Description", x: "Data", selection: "Selection | None") -> Iterator[object]:
    from ..reporting.data_summary import data_in_words
    from ..reporting.map_page import caution, fact_table, optimum
    from ..reporting.terminal import selection_page

    if selection is not None:
        yield selection_page(selection)
    yield f"Fitted {found.family} on {data_in_words(x)}."
    if found.facts:
        yield fact_table(found.facts)
    if found.rounded is not None:
        yield f"{found.rounded}."
    if found.caution is not None:
        yield caution(found.caution)
    if found.certificate is not None:
        yield optimum(found.certificate)
