"""What a summary costs beside a bare scan of the same columns, and how far it is from the rows.

`--work FOLDER` is where 3.7 GB of Parquet files may lie for a while.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean

import numpy as np
import polars as pl
from machine import stamp

from calibrant import (
    Isotonic,
    PiecewiseLinear,
    Predictions,
    Smooth,
    View,
    calibration_error,
    ece,
    kde_error,
    ks_error,
    one_class,
    samples,
    smece,
    top_label,
)
from calibrant.inputs.paths import write_whole
from calibrant.scale import Sketch, scan_parquet

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "scale.md"
FILES = 100
ROWS = 1_000_000  # a file
DIFFERENT = 10  # files; the others are links to these
NOISE = 1.0
BARS = {"top label": 0.3, "top label and class-wise": 0.12}
MEASURES: dict[str, tuple[Callable[[View], float], float]] = {
    "ECE, 15 bins": (ece, 1e-5),
    "KS": (ks_error, 1e-5),
    "isotonic": (lambda view: calibration_error(view, Isotonic()), 1e-4),
    "Smooth": (lambda view: calibration_error(view, Smooth()), 1e-4),
    "PL3": (lambda view: calibration_error(view, PiecewiseLinear(segments=3)), 1e-4),
    "KDE": (lambda view: kde_error(view, bandwidth=0.01), 1e-4),
    "smECE": (smece, 1e-4),
}
TITLE = "# Any number of rows"
SPEED = """Rows of 10 float32 chances and a label: rows of the sample c10-resnet18, drawn with \
replacement, with normal noise of standard deviation 1 added to the logits; {different} files of \
10^6 rows, {links} of which each stand for ten, as links. Each run is a process of its own, one \
after the other, the bare scan beside it: `scan_parquet(...).select(all().sum())`, streaming. \
Processor seconds are those of both cores together; the machine had other work to do."""
BOUND = """## How far a summary is from the rows

The largest difference over {n} sets of predictions (samples and saved predictions of others), of \
the top label and of one class; aims and bounds are those of [At scale](../guides/at-scale.md)."""


def write_rows(folder: Path, files: int = DIFFERENT, rows: int = ROWS) -> None:
    """Files of rows that look like those of a network."""
    _, test = samples.load("c10-resnet18")
    random = np.random.default_rng(0)
    for number in range(files):
        drawn = random.integers(0, test.n, rows)
        z = test.values[drawn].astype(np.float32)
        z += NOISE * random.standard_normal(z.shape, np.float32)
        z -= z.max(1, keepdims=True)
        np.exp(z, out=z)
        z /= z.sum(1, keepdims=True)
        columns = {f"prob_{j}": z[:, j] for j in range(z.shape[1])}
        frame = pl.DataFrame({**columns, "label": test.labels[drawn].astype(np.int32)})
        frame.write_parquet(folder / f"part-{number:03d}.parquet", row_group_size=1 << 18)


def paths(folder: Path, files: int) -> list[Path]:
    """So many files, links where they are more than were written."""
    found = []
    for number in range(files):
        path = folder / f"part-{number:03d}.parquet"
        if not path.exists():
            path.hardlink_to(folder / f"part-{number % DIFFERENT:03d}.parquet")
        found.append(path)
    return found


def bare(files: list[Path]) -> None:
    """Read the same columns and add them up."""
    pl.scan_parquet(files).select(pl.all().sum()).collect(engine="streaming")


WORK: dict[str, Callable[[list[Path]], object]] = {
    "bare scan": bare,
    "top label": lambda files: scan_parquet(files, views=("top_label",)),
    "top label and class-wise": lambda files: scan_parquet(files),
}


def one(name: str, folder: Path, files: int) -> None:
    """One run of one piece of work, told as json."""
    found = paths(folder, files)
    before = time.perf_counter(), time.process_time()
    WORK[name](found)
    wall, processor = time.perf_counter() - before[0], time.process_time() - before[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(json.dumps({"wall": wall, "processor": processor, "peak": peak}))


def measured(folder: Path, sizes: list[int]) -> pl.DataFrame:
    """Every run, in a process of its own; a first scan, uncounted, brings the files into memory for all alike."""
    rows: list[dict[str, object]] = []
    for files in sizes:
        bare(paths(folder, files))
        for name in WORK:
            command = [sys.executable, __file__, "--one", name, "--files", str(files)]
            told = subprocess.run(
                [*command, "--work", str(folder)], check=True, capture_output=True, text=True
            )
            rows.append({"work": name, "n": files * ROWS, **json.loads(told.stdout)})
            print(rows[-1], flush=True)
    return pl.DataFrame(rows)


def speed_table(found: pl.DataFrame) -> Iterator[str]:
    yield (
        "| rows | work | wall s | processor s | rows per processor s "
        "| of the bare scan's, wall | processor | bar | peak GB |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for n in found["n"].unique(maintain_order=True):
        part = found.filter(pl.col("n") == n)
        scan = part.row(0, named=True)
        for row in part.iter_rows(named=True):
            bar = BARS.get(row["work"], "")
            wall, processor = scan["wall"] / row["wall"], scan["processor"] / row["processor"]
            yield (
                f"| 10^{round(np.log10(n))} | {row['work']} | {row['wall']:.2f} | {row['processor']:.2f} | "
                f"{n / row['processor']:.3g} | {wall:.2f} | {processor:.2f} | {bar} | {row['peak']:.2f} |"
            )


def linear(found: pl.DataFrame) -> Iterator[str]:
    """How far the cost of the middle size is from the line through the others."""
    for name in BARS:
        part = found.filter(pl.col("work") == name)
        n, cost = part["n"].to_numpy(), part["processor"].to_numpy()
        slope = (cost[-1] - cost[0]) / (n[-1] - n[0])
        line = cost[0] + slope * (n - n[0])
        off = np.abs(cost / line - 1).max()
        yield (
            f"- {name}: processor time is within {np.ceil(100 * off):.0f}% of a straight line in n, "
            f"of {1e9 * slope:.0f} ns a row."
        )


def sets(real: Path | None) -> Iterator[tuple[str, Predictions]]:
    for name in ("c10-resnet18", "c10-lenet5", "c100-resnet18"):
        yield name, samples.load(name)[1]
    for path in sorted(real.glob("*.npz")) if real else []:
        archive = np.load(path)
        kind = next((each for each in ("logits", "probs") if f"test_{each}" in archive), None)
        if kind is not None:
            from calibrant import from_logits, from_probs

            make = from_logits if kind == "logits" else from_probs
            yield path.stem, make(archive[f"test_{kind}"], archive["test_labels"])


def accuracy_table(real: Path | None) -> Iterator[str]:
    off: dict[str, list[tuple[float, str]]] = {name: [] for name in MEASURES}
    names = []
    for name, pred in sets(real):
        names.append(name)
        sketch = Sketch().update(pred)
        pairs = [(sketch.view(), top_label(pred)), (sketch.view("class_1"), one_class(pred, 1))]
        for measure_name, (measure, _) in MEASURES.items():
            differences = [abs(measure(found) - measure(exact)) for found, exact in pairs]
            off[measure_name].append((max(differences), name))
        print(name, {each: f"{found[-1][0]:.1e}" for each, found in off.items()}, flush=True)
    yield BOUND.format(n=len(names))
    yield ""
    yield "| measure | aim | largest difference | of | mean |"
    yield "|---|---|---|---|---|"
    for name, (_, bound) in MEASURES.items():
        most, where = max(off[name])
        yield f"| {name} | {bound:.0e} | {most:.1e} | {where} | {fmean(each for each, _ in off[name]):.1e} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path("/tmp/calibrant-scale"))
    parser.add_argument("--real", type=Path, help="a folder of saved predictions, .npz")
    parser.add_argument("--quick", action="store_true", help="no more than 10^7 rows, and not kept")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--files", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        one(asked.one, asked.work, asked.files)
        return
    asked.work.mkdir(parents=True, exist_ok=True)
    if not (asked.work / f"part-{DIFFERENT - 1:03d}.parquet").exists():
        write_rows(asked.work)
    found = measured(asked.work, [1, 10] if asked.quick else [1, 10, FILES])
    about = SPEED.format(different=FILES, links=DIFFERENT)
    lines = [TITLE, "", about, "", *speed_table(found), "", *linear(found), ""]
    lines += [*accuracy_table(asked.real), "", stamp("polars")]
    text = "\n".join(lines) + "\n"
    print(text)
    if not asked.quick:
        write_whole(PAGE, text.encode())


if __name__ == "__main__":
    main()
