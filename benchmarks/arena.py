"""Every family on every file, fitted on one half and scored on the other; writes docs/benchmarks/arena.md.

Needs the files beside the checkout, and probmetrics for its structured matrix.
"""

import argparse
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from machine import stamp
from models import REAL, ZOO, halves
from studies import gather, parts_of

import calibrant as c
from calibrant.inputs.paths import write_whole

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "arena.md"
FAMILIES: dict[str, c.Family] = {
    "temperature": c.Temperature(),
    "ensemble temperature": c.EnsembleTemperature(),
    "vector": c.VectorScaling(),
    "MS-ODIR": c.MatrixScaling(off_diagonal="cv", intercept="cv"),
    "Dirichlet-ODIR": c.Dirichlet(),
    "structured vector": c.StructuredVector(),
    "structured matrix": c.StructuredMatrix(),
    "matrix, then order": c.Chain((c.StructuredMatrix(), c.OrderPreserving())),
    "order, diagonal": c.OrderPreserving(kind="diagonal"),
    "order, invariant": c.OrderPreserving(),
    "order, preserving": c.OrderPreserving(kind="preserving"),
    "isotonic": c.Isotonic(),
    "beta": c.Beta(),
    "smooth": c.Smooth(),
    "ranked smooth": c.Ranked(c.Smooth()),
}
NONE, SELECT = "as they are", "select"
PEER = "SMS (probmetrics)"
PEERS = (PEER, "SVS (probmetrics)")
ALL, FEW = 0, 500  # rows to fit on
HARM = 1.0005  # times the NLL of the claims as they are
# Apart, so that a change of one makes no other anew.
CONTENDERS = ((NONE, *FAMILIES), (SELECT,), PEERS)
Job = tuple[Path, int, tuple[str, ...]]
# A minute each where classes are many.
SLOW, MANY = ("MS-ODIR", "Dirichlet-ODIR"), 100


def scores(job: Job) -> list[dict[str, Any]]:
    """NLL and Brier score of contenders on one file, both ways, fitted on so many rows of a half or on all."""
    path, few, names = job
    found = []
    for way, (fit_on, test) in enumerate(halves(path)):
        rows = fit_on[:few] if few else fit_on
        for name in names:
            if name in SLOW and test.k >= MANY:
                continue
            start = time.perf_counter()
            try:
                found_of = mended(name, rows, test)
                nll, brier = c.nll(found_of), c.brier(found_of)
            except Exception as error:
                nll = brier = float("nan")
                print(f"{path.stem}, way {way}: {name} failed: {error!r}"[:300])
            seconds = time.perf_counter() - start
            found.append({"file": path.stem, "few": few, "way": way, "k": test.k, "name": name,
                          "nll": nll, "brier": brier, "seconds": seconds})  # fmt: skip
    return found


def mended(name: str, fit_on: c.Predictions, test: c.Predictions) -> c.Predictions:
    """What a contender makes of other rows."""
    if name == NONE:
        return test
    if name == SELECT:
        return c.select(fit_on).apply(test)
    if name in PEERS:
        from probmetrics.calibrators import SMSCalibrator, SVSCalibrator

        peer = SMSCalibrator() if name == PEER else SVSCalibrator()
        peer.fit(fit_on.probs.astype(np.float32), fit_on.labels)
        q = peer.predict_proba(test.probs.astype(np.float32)).astype(np.float64)
        return c.from_probs(q / q.sum(1, keepdims=True), test.labels)
    return FAMILIES[name].fit(fit_on).apply(test)


def ratios(found: pl.DataFrame, score: str) -> pl.DataFrame:
    """Scores as shares of what the claims as they are score, a column a contender and a row a task."""
    wide = found.pivot(on="name", index=["file", "way", "k"], values=score)
    return wide.with_columns(pl.exclude("file", "way", "k", NONE) / pl.col(NONE)).drop(NONE)


def of_select(found: pl.DataFrame) -> str:
    """In how many tasks `select` does harm, and how far it lies from the best in hindsight, itself left out."""
    table = ratios(found, "nll")
    chosen = table[SELECT].to_numpy()
    others = table.drop("file", "way", "k", SELECT).to_numpy().astype(np.float64)
    best = np.minimum(np.nanmin(others, axis=1), 1)
    ratio = chosen / best
    return (
        f"`select` is worse than the claims as they are, by more than .05%, in {(chosen > HARM).sum()} of "
        f"{len(chosen)} tasks. Its NLL is {ratio.mean():.4f} times that of the best in hindsight on the mean over "
        f"tasks, {ratio.max():.4f} times at most; in {(ratio < 1).sum()} tasks it is ahead of all."
    )


def summary(found: pl.DataFrame) -> list[str]:
    """A line a contender: mean shares, where the peer fails too, and how often it is the best of its kind."""
    by = {score: ratios(found, score) for score in ("nll", "brier")}
    names = [name for name in by["nll"].columns if name not in ("file", "way", "k")]
    families = [name for name in names if name != SELECT]
    common = by["nll"].filter(pl.col(PEER).is_not_nan())
    many = by["nll"].filter(pl.col("k") >= 100)
    lines = []
    for name in names:
        wins = [
            _wins(by[score], name, families) if name in families else ""
            for score in ("nll", "brier")
        ]
        means = [
            _mean(by["nll"], name),
            _mean(common, name),
            _mean(many, name),
            _mean(by["brier"], name),
        ]
        harms = int((by["nll"][name] > HARM).sum())
        seconds = found.filter(pl.col("name") == name)["seconds"].sum()
        lines.append(_row(name, *means, *wins, harms, f"{seconds:.0f}"))
    head = ("", "NLL", f"NLL where {PEER} works", "NLL, k = 100", "Brier", "best NLL", "best Brier",
            "harms", "seconds in all")  # fmt: skip
    return [_row(*head), _row(*["---"] * len(head)), *lines]


def by_file(found: pl.DataFrame) -> list[str]:
    """A line a file: NLL as a share, mean of both ways; the best family in bold."""
    means = ratios(found, "nll").group_by("file", maintain_order=True).mean().drop("way")
    names = [name for name in means.columns if name not in ("file", "k")]
    lines = [_row("", "k", *names), _row(*["---"] * (len(names) + 2))]
    for record in means.iter_rows(named=True):
        known = {n: record[n] for n in names if record[n] is not None and not np.isnan(record[n])}
        best = min(value for n, value in known.items() if n != SELECT)
        cells = [
            ""
            if n not in known
            else f"**{known[n]:.4f}**"
            if known[n] == best
            else f"{known[n]:.4f}"
            for n in names
        ]
        lines.append(_row(record["file"], int(record["k"]), *cells))
    return lines


def _wins(table: pl.DataFrame, name: str, families: list[str]) -> str:
    columns = np.nan_to_num(table.select(families).to_numpy().astype(np.float64), nan=np.inf)
    return f"{100 * float((columns.argmin(1) == families.index(name)).mean()):.0f}%"


def _mean(table: pl.DataFrame, name: str) -> str:
    values = table[name].to_numpy().astype(np.float64)
    return "-" if np.isnan(values).all() else f"{float(np.nanmean(values)):.4f}"


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def page(found: pl.DataFrame, files: int) -> str:
    """What was found, as a page."""
    whole, few = found.filter(pl.col("few") == ALL), found.filter(pl.col("few") == FEW)
    return "\n".join([
        "# The arena",
        "",
        f"{files} files of saved predictions, each shuffled and cut in halves: fitted on one half, scored on the "
        "other, both ways. NLL and Brier score are means of shares: 1 is the claims as they are, less is better. "
        "\"best\" says in how many of the tasks a family has the least score of all families and peers; \"harms\" "
        "in how many the NLL is more than .05% above that of the claims as they are. The list from which `select` "
        "chooses was drawn up after a look at one of the two ways; that a matrix is followed by an order-preserving "
        "map in it, and that no exact 0 is left as it is, after a look at both. "
        f"{' and '.join(SLOW)} were not run on {MANY} classes, so their means are over fewer tasks.",
        "",
        of_select(whole),
        "",
        *summary(whole),
        "",
        *(_few(few) if len(few) else []),
        "## File by file, NLL",
        "",
        *by_file(whole),
        "",
        stamp("scipy", "probmetrics", "torch"),
        "",
    ])  # fmt: skip


def _few(found: pl.DataFrame) -> list[str]:
    return [
        f"## Few rows: {FEW} of the half to fit on",
        "",
        of_select(found),
        "",
        *summary(found),
        "",
    ]


def main() -> None:
    """Run the arena and write the page, whole or not at all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--all-rows-only", action="store_true", help="leave out the part with few rows to fit on"
    )
    sizes = [ALL] if parser.parse_args().all_rows_only else [ALL, FEW]
    files, parts = [*ZOO, *REAL], parts_of(PAGE)
    for size in sizes:
        found = gather(
            scores,
            list(product(files, sizes[: sizes.index(size) + 1], CONTENDERS)),
            "files",
            parts,
        )
        text = page(found, len(files))
        write_whole(PAGE, text.encode())
    print(text)
    parts.unlink()


if __name__ == "__main__":
    main()
