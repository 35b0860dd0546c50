"""How the time of a fit grows with rows and classes, beside what Guo et al. 2017, section 5, say of it."""

import time
from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np
from inputs import multiclass_logits
from rich.progress import track

import calibrant as c

ROWS = (5000, 10_000, 20_000, 40_000, 80_000)
CLASSES = (10, 20, 50, 100)
# Where the other varies: their validation sets of CIFAR have 5,000 rows.
AT_CLASSES, AT_ROWS = 10, 5000
ROUNDS = 5
SAID = {
    "histogram binning": "linear in rows; an order more than temperature",
    "isotonic": "linear in rows; an order more than temperature",
    "BBQ": "linear in rows; about three orders more than temperature",
    "temperature": "linear in rows; by far the fastest",
    "vector": "linear in rows and classes; at least two orders more than temperature with 100 classes",
    "matrix": "linear in rows, quadratic in classes",
}


def fit_times(families: Mapping[str, tuple[c.Family, ...]]) -> list[str]:
    """A section: seconds of processor time by method, by rows and by classes, with the powers that they grow by."""
    fits = {name: family for name, (family,) in families.items() if name in SAID}
    by_rows = {rows: _seconds(fits, rows, AT_CLASSES) for rows in track(ROWS, "rows")}
    by_classes = {k: _seconds(fits, AT_ROWS, k) for k in track(CLASSES, "classes")}
    most = by_classes[CLASSES[-1]]
    body = [
        [
            name,
            _power(ROWS, [by_rows[rows][name] for rows in ROWS]),
            _power(CLASSES, [by_classes[k][name] for k in CLASSES]),
            f"{1e3 * by_rows[AT_ROWS][name]:.1f}",
            f"{1e3 * most[name]:.1f}",
            f"{most[name] / most['temperature']:.1f}",
            said,
        ]
        for name, said in SAID.items()
    ]
    head = [
        "",
        "power of rows",
        "power of classes",
        f"ms, {AT_ROWS:,} x {AT_CLASSES}",
        f"ms, {AT_ROWS:,} x {CLASSES[-1]}",
        "times temperature's",
        "Guo et al.",
    ]
    return [
        "## Time against rows and classes",
        "",
        "Guo et al. 2017, section 5, say how long their fits take. Ours, in milliseconds of processor time, all "
        f"threads added up (median of {ROUNDS} in turn; other work ran on the machine). The powers are slopes "
        f"of log time over {ROWS[0]:,} to {ROWS[-1]:,} rows of {AT_CLASSES} classes and over {CLASSES[0]} "
        f"to {CLASSES[-1]} classes of {AT_ROWS:,} rows: 1 is linear, 2 quadratic.",
        "",
        *(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *body)),
    ]


def _seconds(fits: Mapping[str, c.Family], rows: int, classes: int) -> dict[str, float]:
    logits, labels = multiclass_logits(rows, classes)
    found: dict[str, list[float]] = {name: [] for name in fits}
    # The first round warms up and does not count.
    for _ in range(ROUNDS + 1):
        for name, family in fits.items():
            start = time.process_time()
            family.fit(c.from_logits(logits, labels))
            found[name].append(time.process_time() - start)
    return {name: median(taken[1:]) for name, taken in found.items()}


def _power(sizes: Sequence[int], seconds: Sequence[float]) -> str:
    slope, _ = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return f"{slope:.2f}"
