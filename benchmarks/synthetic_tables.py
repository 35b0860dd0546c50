"""The tables of docs/benchmarks/synthetic.md: ours beside Kängsepp et al. 2022, and paired differences."""

from collections.abc import Iterable

import numpy as np
import polars as pl
from evaluators import FAMILIES, NO_SLACK, OURS
from pages import head
from printed import SYNTHETIC, Table
from scipy.stats import spearmanr

from calibrant import PiecewiseLinear
from calibrant.simulate import SHAPES

CAPTIONS: dict[Table, str] = {
    "F20": "distance of the fitted map from the true one, x 1000",
    "F21": "|estimated - true calibration error|, x 1000",
    "F22": "the same of squared errors, x 1000",
    "F23": "rank correlation of estimated and true errors",
}
ROWS = [
    row
    for name, family in FAMILIES.items()
    for row in ((name, name + NO_SLACK) if isinstance(family, PiecewiseLinear) else (name,))
]
COLUMNS = (*SHAPES, "mean")
_SPREADS = "**Biases and standard deviations**"
# Our figures of a table as they are shown, by row and column.
Figures = dict[str, dict[str, str]]


def digits(table: Table) -> int:
    """Decimals, as printed."""
    return 4 if table == "F23" else 2


def by_draw(found: pl.DataFrame, table: str) -> pl.DataFrame:
    """A table's figure for each row, shape, n and seed."""
    keys = ["row", "shape", "n", "seed"]
    if table != "F23":
        known = found.filter(pl.col(table).is_not_null())
        return known.group_by(keys).agg(value=pl.col(table).mean())
    whole = found.filter(pl.col("estimate").is_not_null())
    ranks = [
        (*key, spearmanr(part["estimate"], part["true"]).statistic)
        for key, part in whole.group_by(keys)
    ]
    return pl.DataFrame(ranks, schema=[*keys, "value"], orient="row")


def figures(found: pl.DataFrame, table: Table) -> Figures:
    """Means over draws, by shape, and the mean of these."""
    means = by_draw(found, table).group_by("row", "shape").agg(pl.col("value").mean())
    by_row: dict[str, dict[str, float]] = {}
    for row, shape, value in means.iter_rows():
        by_row.setdefault(row, {})[shape] = value
    return {row: _shown(values, table) for row, values in by_row.items()}


def _shown(values: dict[str, float], table: Table) -> dict[str, str]:
    mean = float(np.mean(list(values.values())))
    return {name: f"{value:.{digits(table)}f}" for name, value in (values | {"mean": mean}).items()}


def printed(table: Table) -> Figures:
    """What is printed; no mean is, so that of the rounded figures stands for it."""
    by_row: dict[str, dict[str, float]] = {
        row: dict(zip(map(str, SHAPES), values, strict=True))
        for row, values in SYNTHETIC[table].items()
    }
    return {row: _shown(values, table) for row, values in by_row.items()}


def beside_published(ours: Figures, table: Table) -> list[str]:
    """A table whose cells hold our figure and, in brackets, the printed one; bold where a digit differs."""
    theirs = printed(table)
    lines = []
    for row in dict.fromkeys([*ROWS, *theirs]):
        pairs = [(ours.get(row, {}).get(at, ""), theirs.get(row, {}).get(at, "")) for at in COLUMNS]
        cells = [_beside(*pair) for pair in pairs]
        cells[-1] = cells[-1].replace("**", "")
        if any(cells):
            lines.append(f"| {row} | {' | '.join(cells)} |")
    return [f"**{table}**: {CAPTIONS[table]}.", "", *head("", *COLUMNS), *lines, ""]


def _beside(ours: str, theirs: str) -> str:
    together = f"{ours} ({theirs})".strip() if theirs else ours
    return f"**{together}**" if ours and theirs and ours != theirs else together


def figures_on(page: str, table: Table) -> Figures:
    """Our figures of a table of a page, read back."""
    _, _, rest = page.partition(f"**{table}**")
    whole, _, _ = rest.partition("\n\n**")
    lines = [line.strip("| ").split(" | ") for line in whole.splitlines() if line.startswith("| ")]
    read = {}
    for row, *cells in lines[1:]:
        values = [cell.strip("* ").partition("(")[0].strip() for cell in cells]
        known = {name: value for name, value in zip(COLUMNS, values, strict=True) if value}
        read[row] = known
    return read


def favourable(ours: dict[Table, Figures]) -> list[str]:
    """Where what is printed is better than our figure of the same method, and where it is better than OURS."""
    same, best = [], []
    for table, rows in ours.items():
        theirs = printed(table)
        for row in theirs:
            at = [name for name in SHAPES if _ahead(theirs[row], rows.get(row, {}), name, table)]
            told = [f"{name} {theirs[row][name]} ({rows[row][name]})" for name in at]
            same += [f"{table}, {row}: {'; '.join(told)}"] * bool(told)
        for name in COLUMNS:
            ahead = [row for row in theirs if _ahead(theirs[row], rows[OURS], name, table)]
            told = [f"{row} {theirs[row][name]}" for row in ahead]
            best += [f"{table}, {name}, {rows[OURS][name]}: {'; '.join(told)}"] * bool(told)
    return [
        "**Where the paper's figure is better than ours** of the same method, ours in brackets:",
        "",
        *(f"- {line}." for line in same),
        "",
        f"And where any printed row is better than {OURS}, whose figure stands first:",
        "",
        *(f"- {line}." for line in best),
        "",
    ]


def _ahead(theirs: dict[str, str], ours: dict[str, str], at: str, table: Table) -> bool:
    """Whether a printed figure is the better one; nothing of ours is no comparison."""
    sign = -1 if table == "F23" else 1
    return at in ours and sign * float(theirs[at]) < sign * float(ours[at])


def spreads(found: pl.DataFrame) -> dict[str, str]:
    """Mean of estimated less true error, and the standard deviation over seeds, by n: a line a row."""
    maps = found.filter(pl.col("estimate").is_not_null())
    bias = maps.group_by("row", "n").agg(pl.col("bias").mean())
    spread = (
        maps.group_by("row", "n", "shape", "error")
        .agg(pl.col("bias").std())
        .group_by("row", "n")
        .agg(sd=pl.col("bias").mean())
    )
    at_zero = maps.filter(error=0.0).group_by("row", "n").agg(zero=pl.col("bias").mean())
    joined = bias.join(spread, ["row", "n"]).join(at_zero, ["row", "n"]).sort("n")
    lines: dict[str, str] = {}
    for row, _, mean, sd, zero in joined.iter_rows():
        begun = lines.get(row, f"| {row} |")
        lines[row] = f"{begun} {mean:+.2f} | {sd:.2f} | {zero:+.2f} |"
    return lines


def spreads_on(page: str) -> dict[str, str]:
    """The lines of the first table of biases of a page."""
    _, _, rest = page.partition(_SPREADS)
    whole, _, _ = rest.partition("\n\n## ")
    lines = [line for line in whole.splitlines() if line.startswith("| ")]
    return {line.strip("| ").partition(" | ")[0]: line for line in lines[1:]}


def spread_table(lines: dict[str, str], sizes: Iterable[int]) -> list[str]:
    """The table of biases, rows in their order."""
    columns = [f"{what}, n = {n}" for n in sizes for what in ("bias", "sd", "bias at 0")]
    return [
        f"{_SPREADS} of estimated errors, x 1000: estimate less truth, means over shapes and true errors; standard "
        "deviation over seeds; and the bias where claims are right.",
        "",
        *head("", *columns),
        *(lines[row] for row in ROWS if row in lines),
        "",
    ]


def against_ours(found: pl.DataFrame, table: Table) -> list[str]:
    """A table of means over seeds, each with what it lies above Smooth's and the paired standard error of that."""
    lines = []
    for row in [*ROWS, *(["KCE"] if table == "F22" else [])]:
        part = found.filter(row=row)
        if not len(part) or (
            table == "F23" and part["error"].n_unique() < found["error"].n_unique()
        ):
            continue
        beside = found.filter(row=OURS).join(
            part.select("shape", "error", "n", "seed"), ["shape", "error", "n", "seed"]
        )
        pairs = [by_draw(each, table) for each in (part, beside)]
        columns = [*([shape] for shape in SHAPES), list(SHAPES)]
        by_column = [[each.filter(pl.col("shape").is_in(of)) for each in pairs] for of in columns]
        cells = [
            _paired(values, ours, digits(table), own=row == OURS) for values, ours in by_column
        ]
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return [f"**{table}**: {CAPTIONS[table]}.", "", *head("", *COLUMNS), *lines, ""]


def _paired(row: pl.DataFrame, ours: pl.DataFrame, digits: int, *, own: bool) -> str:
    values, beside = (
        each.group_by("seed").agg(pl.col("value").mean()).sort("seed")["value"].to_numpy()
        for each in (row, ours)
    )
    if own:
        return f"{values.mean():.{digits}f}"
    above = values - beside
    se = above.std(ddof=1) / np.sqrt(len(above))
    return f"{values.mean():.{digits}f} ({above.mean():+.{digits}f} ± {se:.{digits}f})"
