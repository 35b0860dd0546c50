"""calibrant fit: a map that mends probabilities, fitted and written to a file."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

import calibrant

from ..inputs.paths import writable
from .by_group import ByColumn, fitted_map, group_table, one_map
from .commands import command
from .completion import of_families
from .families import is_select
from .inputs import InputOptions
from .map_files import SUFFIXES, check_extra, write_map
from .options import File, option
from .outputs import OutputOptions

if TYPE_CHECKING:
    from ..before_after import BeforeAfter
    from ..contenders import Selection
    from ..families.family import Family
    from ..inputs.views import Data
    from ..reporting.description import Description

OUT_HELP: Final = (
    "The file to write; or MAP.onnx, for where the model is served, or MAP.sql, for a database."
)
FAMILY_HELP: Final = (
    "The quick way: one family, as isotonic or 'spline(knots=14)'; select, the usual, chooses."
)
SELECT_HELP: Final = (
    "Choose by cross-validation: a family, or a blend of some, by how they do on other rows. "
    "So it is without options too, but there of few rows none is chosen, of very many a sample is."
)
Out = Annotated[Path, typer.Option("--out", "-o", metavar="MAP.safetensors", help=OUT_HELP)]
FamilyName = Annotated[str | None, option("NAME", FAMILY_HELP, of_families)]
Select = Annotated[bool, typer.Option("--select", help=SELECT_HELP)]


@command(
    "fit validation.csv -o map.safetensors",
    "fit validation.npz --family isotonic -o map.safetensors",
    "fit answers.jsonl --family 'spline(knots=14)' -o map.sql",
    "fit validation.csv --family smooth --by region -o map.safetensors",
)
def fit(
    file: File,
    *,
    out: Out,
    family: FamilyName = None,
    select: Select = False,
    by: ByColumn = None,
    inputs: InputOptions,
    output: OutputOptions,
) -> None:
    """Fit a map that mends probabilities, and save it. Of several splits it takes val.

    The rows should be new to the model, and not those it will be tested on. Without --family
    cross-validation chooses one, or blends some. Scores before and after are told as maps have
    them that had not seen the rows. With --by it is a map for each group, which leans on that of
    all rows as far as the group's own cannot tell.
    """
    from ..reporting.data_summary import data_in_words
    from ..reporting.description import describe

    named = _named_family(family, select=select)
    target = writable(out, SUFFIXES)
    check_extra(target)
    source = inputs.read(file, "val")
    choice = _choice(source.x, named, on_all_rows=select or is_select(family))
    fitted = fitted_map(choice.family, source, by)
    use = write_map(fitted, source, target)
    found = describe(one_map(fitted, None))
    told = {**found.to_dict(), "fitted_on": data_in_words(source.x), "map": str(target)}
    if choice.selection is not None:
        told["selection"] = asdict(choice.selection) | {"chosen": choice.selection.name}
    scored, why_not = _scored(choice.family, source.x)
    told["cross_validated"] = None if scored is None else scored.to_dict()
    page = [*_page(found, source.x, choice)]
    if isinstance(fitted, calibrant.groups.GroupMap):
        told["groups"] = fitted.rule.to_dict()
        page += [f"By {by}, of which each group's map is a mean with that of all rows:"]
        page += [group_table(fitted)]
    output.tell(
        told,
        *page,
        *_scores(scored, why_not, source.x, named),
        f"Wrote {target}. {use}",
        wrote=target,
    )


class Choice(NamedTuple):
    """The family to fit, how it was chosen if it was, and a word on that."""

    family: "Family"
    selection: "Selection | None" = None
    note: str | None = None


def _choice(x: "Data", named: "Family | None", *, on_all_rows: bool) -> Choice:
    """The family named; else the one that cross-validation chooses, where rows are enough."""
    from ..choosing import LEAST_ROWS_TO_CHOOSE, can_choose, quick_rows
    from ..families.defaults import fitted_family
    from ..families.names import name_of

    if named is not None:
        return Choice(named)
    if on_all_rows:
        selection = _selection(x)
        return Choice(selection.chosen, selection)
    if not can_choose(x):
        usual = fitted_family(x)
        few = f"Fewer than {LEAST_ROWS_TO_CHOOSE} rows are too few to choose a family"
        return Choice(usual, None, f"{few}: {name_of(usual)} is the usual one.")
    drawn = quick_rows(x)
    selection = _selection(drawn)
    if drawn is x:
        return Choice(selection.chosen, selection)
    note = f"Chosen on {drawn.n:,} of {x.n:,} rows, drawn at random; --select looks at all."
    return Choice(selection.chosen, selection, note)


def _scored(family: "Family", x: "Data") -> "tuple[BeforeAfter | None, str]":
    """Scores by cross-validation; or none, and why."""
    from ..before_after import before_after

    try:
        return before_after(family, x), ""
    except ValueError as error:
        return None, str(error)


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


def _scores(
    scored: "BeforeAfter | None", why_not: str, x: "Data", named: "Family | None"
) -> Iterator[object]:
    from ..reporting.map_page import before_after_line, caution, worse_in_words

    if scored is None:
        yield caution(f"no scores by cross-validation: {why_not}")
        return
    yield before_after_line(scored, x.n)
    if scored.worse:
        yield caution(worse_in_words(scored, was_named=named is not None))


def _page(found: "Description", x: "Data", choice: Choice) -> Iterator[object]:
    from rich.text import Text

    from ..reporting.data_summary import data_in_words
    from ..reporting.data_warnings import unseen
    from ..reporting.map_page import caution, fact_table, optimum
    from ..reporting.terminal import selection_page

    if choice.selection is not None:
        yield selection_page(choice.selection)
    if choice.note is not None:
        yield Text(choice.note)
    yield f"Fitted {found.family} on {data_in_words(x)}."
    absent = unseen(x)
    if absent is not None:
        yield caution(absent)
    if found.facts:
        yield fact_table(found.facts)
    if found.rounded is not None:
        yield f"{found.rounded}."
    if found.caution is not None:
        yield caution(found.caution)
    if found.certificate is not None:
        yield optimum(found.certificate)
