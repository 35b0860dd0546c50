"""Rows of docs/benchmarks/synthetic.md run apart on the published draws, and merged into its tables.

Rows that stand there already may be named too: the page then says whether they came out as before.
"""

import argparse

import polars as pl
from evaluators import FAMILIES, NO_SLACK
from machine import stamp
from pages import publish_text
from printed import Table
from studies import gather, parts_of
from synthetic import FRESH_TITLE, PAGE, PUBLISHED, PUBLISHED_TITLE, judge, opening
from synthetic_tables import (
    CAPTIONS,
    Figures,
    beside_published,
    figures,
    figures_on,
    spread_table,
    spreads,
    spreads_on,
)

APART = "Run apart"


def merged(page: str, found: pl.DataFrame, note: str) -> str:
    """The page with rows that were found anew, and a note of their own beneath its first tables."""
    before = {table: figures_on(page, table) for table in CAPTIONS}
    new = {table: figures(found, table) for table in CAPTIONS}
    ours = {table: before[table] | new[table] for table in CAPTIONS}
    _, _, rest = page.partition(PUBLISHED_TITLE)
    published, _, fresh = rest.partition(FRESH_TITLE)
    about = published.strip().partition("\n")[0]
    notes = [line for line in published.splitlines() if line.startswith(APART)]
    lines = [
        *opening(ours),
        about,
        "",
        *(line for table in CAPTIONS for line in beside_published(ours[table], table)),
        *spread_table(spreads_on(page) | spreads(found), PUBLISHED.sizes),
        *(text for each in [*notes, f"{note}{_as_before(before, new)}"] for text in (each, "")),
    ]
    return "\n".join(lines) + "\n" + FRESH_TITLE + fresh


def _as_before(before: dict[Table, Figures], new: dict[Table, Figures]) -> str:
    """How many figures of rows that stood on the page came out the same."""
    same = [
        old == new[table][row][at]
        for table, rows in before.items()
        for row, cells in rows.items()
        if row in new[table]
        for at, old in cells.items()
    ]
    if not same:
        return ""
    return f" {sum(same)} of {len(same)} figures that stood here before came out the same."


def main() -> None:
    """Run the rows that are named and write the page, whole or not at all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rows", nargs="+", choices=list(FAMILIES), metavar="ROW")
    named = tuple(parser.parse_args().rows)
    parts = parts_of(PAGE.with_stem("synthetic_rows"))
    found = gather(judge, PUBLISHED._replace(named=named).jobs, "published draws", parts)
    minutes = found["seconds"].sum() / 60
    note = (
        f"{APART}, in {minutes:.0f} minutes of one core: {'; '.join(named)}. "
        f"{stamp('scipy', 'polars')}"
    )
    text = merged(PAGE.read_text(), found.filter(pl.col("row").is_in(_rows(named))), note)
    publish_text(PAGE, text, parts)


def _rows(named: tuple[str, ...]) -> list[str]:
    return [row for name in named for row in (name, name + NO_SLACK)]


if __name__ == "__main__":
    main()
