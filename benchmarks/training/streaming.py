"""How far streamed metrics are from the exact ECE of 10^8 confidences; writes docs/benchmarks/streaming.md.

It needs torch and torchmetrics: PYTHONPATH=benchmarks .venv/bin/python benchmarks/training/streaming.py
"""

import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import torch
from machine import stamp
from numpy.typing import NDArray
from rich.progress import track
from torch import Tensor
from torchmetrics.classification import BinaryCalibrationError

import calibrant as c
from calibrant.inputs.paths import write_whole
from calibrant.measures.smooth_ece import smece
from calibrant.torch.metrics import CalibrationError, Measure

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks" / "streaming.md"
ROWS = (10**5, 10**6, 10**7, 10**8)
BATCH = 10**5
N_BINS = 15
# Confidences of ten classes are at least 1/10: in float32 they are whole numbers of 2^-28.
PARTS = 2**28
EDGES = np.linspace(0, 1, N_BINS + 1)[1:-1]


def batch(number: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Confidences that pile up near 1, as those of networks do, here too high and there too low."""
    random = np.random.default_rng(number)
    p = (1 - np.float32(0.9) * random.random(BATCH, np.float32) ** 3).clip(0.1, 1)
    return p, random.random(BATCH, np.float32) < p + (1 - p) * np.sin(20 * p) / 10


def batches(rows: int) -> Iterator[tuple[NDArray[np.float32], NDArray[np.bool_]]]:
    return (batch(number) for number in range(rows // BATCH))


def exact_ece(rows: int) -> Fraction:
    """In whole numbers, with nothing rounded."""
    claims, events = [0] * N_BINS, [0] * N_BINS
    for p, y in batches(rows):
        k = np.searchsorted(EDGES, p.astype(np.float64))
        # Below 2^53 float64 adds whole numbers without rounding.
        summed, happened = (
            np.bincount(k, p.astype(np.float64) * PARTS, N_BINS),
            np.bincount(k, y, N_BINS),
        )
        claims = [a + int(b) for a, b in zip(claims, summed, strict=True)]
        events = [a + int(b) for a, b in zip(events, happened, strict=True)]
    gaps = sum(
        abs(PARTS * happened - claimed) for happened, claimed in zip(events, claims, strict=True)
    )
    return Fraction(gaps, PARTS * rows)


def streamed(measure: Measure, rows: int, size: int = BATCH) -> tuple[CalibrationError, float]:
    """The metric of so many rows, in batches of `size`, and the seconds that updates took."""
    metric = CalibrationError(measure, input="probs", n_bins=N_BINS)
    took = 0.0
    for p, y in batches(rows):
        begun = time.perf_counter()
        for start in range(0, BATCH, size):
            some = slice(start, start + size)
            metric.update(torch.from_numpy(p[some]), torch.from_numpy(y[some]))
        took += time.perf_counter() - begun
    return metric, took


def peer(rows: int) -> tuple[float, float]:
    """The ECE of torchmetrics, which keeps every confidence, and how many MB it keeps."""
    metric = BinaryCalibrationError(n_bins=N_BINS, validate_args=False)
    for p, y in batches(rows):
        metric.update(torch.from_numpy(p), torch.from_numpy(y.astype(np.int8)))
    kept: list[Tensor] = [*metric.confidences, *metric.accuracies]
    return metric.compute().item(), sum(x.nbytes for x in kept) / 1e6


def row(rows: int) -> str:
    exact = exact_ece(rows)
    metric, took = streamed("ece", rows)
    ours, (theirs, kept) = metric.compute().item(), peer(rows)
    off, off_by = (float(abs(Fraction(value) - exact)) for value in (ours, theirs))
    memory = f"{metric.sums.nbytes} bytes"
    return f"| {rows:,} | {float(exact):.12f} | {off:.1e} | {off_by:.1e} | {memory} | {kept:,.1f} MB | {took:.1f} s |"


def other(measure: Measure, rows: int) -> str:
    """A measure that sees claims in cells, beside the library's, which sees them all."""
    p, y = (np.concatenate(parts) for parts in zip(*batches(rows), strict=True))
    whole = {"ks": c.ks_error, "smece": smece}[measure](c.binary(p, y))
    found = streamed(measure, rows)[0].compute().item()
    return f"| {measure} | {rows:,} | {whole:.9f} | {abs(found - whole):.1e} |"


def main() -> None:
    """Stream, compare and write the page."""
    torch.set_num_threads(1)
    rows = [row(n) for n in track(ROWS, "streams")]
    cells = [other("ks", 10**7), other("smece", 10**7)]
    sizes = {size: streamed("ece", 10**6, size)[0].compute().item() for size in (BATCH, 4096, 63)}
    same = "to the last bit" if len(set(sizes.values())) == 1 else f"not: {sizes}"
    page = [
        "# Calibration errors of a stream",
        "",
        f"Top-label confidences in float32, in batches of {BATCH:,}, {N_BINS} bins. The exact ECE is worked out in "
        "whole numbers. `CalibrationError` adds whole numbers too and keeps only its sums; `BinaryCalibrationError` of "
        "torchmetrics keeps every confidence and adds them up in float32. Seconds are those of all updates of ours, on "
        "one thread.",
        "",
        "| rows | exact ECE | calibrant off by | torchmetrics off by | calibrant keeps | torchmetrics keeps | time |",
        "|---|---|---|---|---|---|---|",
        *rows,
        "",
        "What sees claims in 2^16 cells, beside the library's measure of all claims at once:",
        "",
        "| measure | rows | library | stream off by |\n|---|---|---|---|",
        *cells,
        "",
        f"A million rows in batches of {', '.join(f'{size:,}' for size in sizes)} give the same ECE: {same}.",
        "",
        stamp("torch", "torchmetrics"),
        "",
    ]
    write_whole(PAGE, "\n".join(page).encode())
    print("\n".join(page))


if __name__ == "__main__":
    main()
