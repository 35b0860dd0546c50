"""What `calibrant fit` without options does to every file, fitted on one half; writes docs/benchmarks/first_fits.md."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
from models import REAL, ZOO, halves
from pages import head, publish
from studies import Records, gather, is_quick, parts_of

from calibrant import Predictions, Temperature
from calibrant.before_after import Change, changes
from calibrant.choosing import usual_or_chosen
from calibrant.families.defaults import fitted_family
from calibrant.families.family import Family
from calibrant.families.names import name_of

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "first_fits.md"
FILES = {path.stem: path for path in (*ZOO, *REAL)}
NOISE = 2.0  # standard errors


def found(name: str) -> Records:
    """Scores before and after, of what is chosen without options and of one temperature."""
    return list(_records(name))


def _records(name: str) -> Iterator[dict[str, Any]]:
    for way, (fit_on, test) in enumerate(halves(FILES[name])):
        chosen = usual_or_chosen(fit_on, fitted_family(fit_on))
        for way_of_fitting, family in {"chosen": chosen, "temperature": Temperature()}.items():
            for change in _changes(family, fit_on, test):
                yield {
                    "file": name,
                    "way": way,
                    "k": test.k,
                    "fit": way_of_fitting,
                    "family": _in_short(family),
                    "score": change.score,
                    "before": change.before,
                    "after": change.after,
                    "error": change.error,
                    "growth": _growth(change),
                }


def _in_short(family: Family) -> str:
    """A family's name without the shares of a blend."""
    name, shares, _ = name_of(family).partition(", shares")
    return f"{name})" if shares else name


def _growth(change: Change) -> float:
    """How much a score grew, in standard errors of the change."""
    growth = change.after - change.before
    return growth / change.error if growth else 0.0


def _changes(family: Family, fit_on: Predictions, test: Predictions) -> tuple[Change, ...]:
    mended = family.fit(fit_on).apply(test)
    return changes([test], [mended], None)


def _table(records: pl.DataFrame) -> list[str]:
    lines = head("file", "k", "family chosen", "NLL", "Brier score", "ECE, points")
    for (name, way), rows in records.group_by("file", "way", maintain_order=True):
        k, family = rows["k"][0], rows["family"][0]
        cells = [_cell(record) for record in rows.iter_rows(named=True)]
        lines.append(f"| {name}, half {way + 1} | {k} | {family} | {' | '.join(cells)} |")
    return lines


def _cell(record: dict[str, Any]) -> str:
    points = 100 if record["score"] == "ECE" else 1
    digits = 2 if record["score"] == "ECE" else 4
    before, after, error = (
        f"{points * record[each]:.{digits}f}" for each in ("before", "after", "error")
    )
    text = f"{before} to {after} (± {error})"
    return f"**{text}**" if record["growth"] > NOISE else text


def _worse(records: pl.DataFrame) -> str:
    """How many scores got worse, by how much at most."""
    growth = records["growth"].to_numpy()
    beyond, grown = int((growth > NOISE).sum()), int((growth > 0).sum())
    furthest = records.row(int(growth.argmax()), named=True)
    return (
        f"{beyond} of {len(growth)} (of {grown} that grew at all; furthest the {furthest['score']} of "
        f"{furthest['file']}, by {furthest['growth']:.1f} standard errors)"
    )


def page(records: pl.DataFrame) -> list[str]:
    """What was found, as a page."""
    chosen = records.filter(pl.col("fit") == "chosen")
    temperature = records.filter(pl.col("fit") == "temperature")
    return [
        "# Does a fit without options do harm?",
        "",
        f"{records['file'].n_unique()} files, each shuffled and cut in halves: what `calibrant fit` chooses on one "
        "half, scored on the other, both ways. After ± is the standard error of the change, row by row. A change for "
        f"the worse by more than {NOISE:g} of them is in bold.",
        "",
        "Scores that got worse by more than noise:",
        "",
        f"- as chosen: {_worse(chosen)},",
        f"- with one temperature: {_worse(temperature)}.",
        "",
        *_table(chosen),
        "",
        "## One temperature",
        "",
        *_table(temperature),
    ]  # fmt: skip


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    names = ["modeldata_hpc_cv", "zygmuntz_adult_rf"] if quick else list(FILES)
    parts = None if quick else parts_of(PAGE)
    publish(PAGE, page(gather(found, names, "files", parts)), parts, "scipy", "polars")


if __name__ == "__main__":
    main()
