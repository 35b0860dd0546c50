"""Every family on every file, fitted on one half and scored on the other; writes docs/benchmarks/arena.md.

Needs the files beside the checkout, and probmetrics for its structured matrix.
"""

import argparse
import os
import signal
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from machine import stamp
from models import REAL, ZOO, halves
from rich.progress import track

import calibrant as c
from calibrant.fitting.blocks import CORES
from calibrant.store import write_whole

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "arena.md"
FAMILIES: dict[str, c.Family] = {
    "temperature": c.Temperature(),
    "ensemble temperature": c.EnsembleTemperature(),
    "vector": c.VectorScaling(),
    "MS-ODIR": c.MatrixScaling(off_diagonal="cv", intercept="cv"),
    "Dirichlet-ODIR": c.Dirichlet(),
    "structured matrix": c.StructuredMatrix(),
    "order, diagonal": c.OrderPreserving(kind="diagonal"),
    "order, invariant": c.OrderPreserving(),
    "order, preserving": c.OrderPreserving(kind="preserving"),
    "isotonic": c.Isotonic(),
    "beta": c.Beta(),
    "smooth": c.Smooth(),
    "ranked smooth": c.Ranked(c.Smooth()),
}
NONE, SELECT, PEER = "as they are", "select", "SMS (probmetrics)"
FEW = 500


def scores(job: tuple[Path, int | None]) -> list[dict[str, Any]]:
    """NLL and Brier score of every contender on one file, both ways; with `few`, fitted on that many rows alone."""
    path, few = job
    found = []
    for way, (fit_on, test) in enumerate(halves(path)):
        rows = fit_on if few is None else fit_on[:few]
        for name in (NONE, *FAMILIES, SELECT, PEER):
            start = time.perf_counter()
            try:
                mended = _mended(name, rows, test)
                nll, brier = c.nll(mended), c.brier(mended)
            except Exception as error:
                nll = brier = float("nan")
                print(f"{path.stem}, way {way}: {name} failed: {error!r}"[:300])
            seconds = time.perf_counter() - start
            found.append({"file": path.stem, "few": few, "way": way, "k": test.k, "name": name,
                          "nll": nll, "brier": brier, "seconds": seconds})  # fmt: skip
    return found


def _mended(name: str, fit_on: c.Predictions, test: c.Predictions) -> c.Predictions:
    if name == NONE:
        return test
    if name == SELECT:
        return c.select(fit_on).apply(test)
    if name == PEER:
        from probmetrics.calibrators import SMSCalibrator

        peer = SMSCalibrator()
        peer.fit(fit_on.probs.astype(np.float32), fit_on.labels)
        q = peer.predict_proba(test.probs.astype(np.float32)).astype(np.float64)
        return c.from_probs(q / q.sum(1, keepdims=True), test.labels)
    return FAMILIES[name].fit(fit_on).apply(test)


def ratios(found: pl.DataFrame, score: str) -> pl.DataFrame:
    """Scores as shares of what the claims as they are score, a column a contender and a row a task."""
    wide = found.pivot(on="name", index=["file", "way", "k"], values=score)
    return wide.with_columns(pl.exclude("file", "way", "k", NONE) / pl.col(NONE)).drop(NONE)


def summary(found: pl.DataFrame) -> list[str]:
    """A line a contender: mean shares, where the peer fails too, and how often it is the best of its kind."""
    by = {score: ratios(found, score) for score in ("nll", "brier")}
    names = [name for name in by["nll"].columns if name not in ("file", "way", "k")]
    families = [name for name in names if name != SELECT]
    common = by["nll"].filter(pl.col(PEER).is_not_nan())
    many = by["nll"].filter(pl.col("k") >= 100)
    lines = []
    for name in names:
        wins = [_wins(by[score], name, families) if name in families else "" for score in ("nll", "brier")]
        means = [_mean(by["nll"], name), _mean(common, name), _mean(many, name), _mean(by["brier"], name)]
        harms = int((by["nll"][name] > 1.0005).sum())
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
        best = min(v for n in names if n != SELECT and not np.isnan(v := record[n]))
        cells = [f"**{record[n]:.4f}**" if record[n] == best else f"{record[n]:.4f}" for n in names]
        lines.append(_row(record["file"], int(record["k"]), *cells))
    return lines


def _wins(table: pl.DataFrame, name: str, families: list[str]) -> str:
    columns = np.nan_to_num(table.select(families).to_numpy(), nan=np.inf)
    return f"{100 * float((columns.argmin(1) == families.index(name)).mean()):.0f}%"


def _mean(table: pl.DataFrame, name: str) -> str:
    return f"{float(np.nanmean(table[name].to_numpy())):.4f}" if len(table) else "-"


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _run(jobs: Iterable[tuple[Path, int | None]]) -> pl.DataFrame:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    jobs = list(jobs)
    pool = ProcessPoolExecutor(
        CORES, get_context("spawn"), initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)
    )
    try:
        found = [record for part in track(pool.map(scores, jobs), "files", len(jobs)) for record in part]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return pl.DataFrame(found)


def main() -> None:
    """Run the arena and write the page, whole or not at all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="three files, printed and not kept")
    quick = parser.parse_args().quick
    files = [*ZOO, *REAL]
    files = files[:: len(files) // 3] if quick else files
    found = _run((path, few) for few in (None, FEW) for path in files)
    whole, few = found.filter(pl.col("few").is_null()), found.filter(pl.col("few").is_not_null())
    text = "\n".join([
        "# The arena",
        "",
        f"{len(files)} files of saved predictions, each shuffled and cut in halves: fitted on one half, scored on the "
        "other, both ways. NLL and Brier score are means of shares: 1 is the claims as they are, less is better. "
        "\"best\" says in how many of the tasks a family has the least score of all families and the peer; \"harms\" "
        "in how many the NLL is more than .05% above that of the claims as they are. The list from which `select` "
        "chooses was drawn up after a look at one of the two ways.",
        "",
        *summary(whole),
        "",
        f"## Few rows: {FEW} of the half to fit on",
        "",
        *summary(few),
        "",
        "## File by file, NLL",
        "",
        *by_file(whole),
        "",
        stamp("scipy", "probmetrics", "torch"),
        "",
    ])  # fmt: skip
    print(text)
    if not quick:
        write_whole(PAGE, text.encode())


if __name__ == "__main__":
    main()
