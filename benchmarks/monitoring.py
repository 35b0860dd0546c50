"""How often `Monitor` raises a false alarm, and how soon a true one; writes docs/benchmarks/monitoring.md."""

import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray
from pages import at_most, head, publish
from scipy.special import expit, logit, ndtr
from studies import gather, is_quick, parts_of

from calibrant import binary
from calibrant.monitoring import Monitor

Array = NDArray[np.floating[Any]]
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "monitoring.md"
ROWS, STREAMS, PER_JOB, ALPHA = 100_000, 500, 10, 0.05
AFTER, RUNS, WINDOW = 30_000, 100, 1000


class Change(NamedTuple):
    """From some row on true log odds are slope * claimed + shift."""

    name: str
    start: int
    slope: float
    shift: float


def _spread(random: Generator, n: int) -> Array:
    return expit(random.normal(0, 2, n))


def _piled_up(random: Generator, n: int) -> Array:
    return random.beta(8, 0.7, n)


def _rounded(random: Generator, n: int) -> Array:
    return np.round(random.beta(2, 2, n) * 0.8 + 0.1, 1)


def _rare(random: Generator, n: int) -> Array:
    return random.beta(0.5, 50, n)


CLAIMS: dict[str, Callable[[Generator, int], Array]] = {
    "spread": _spread,
    "piled up at 1": _piled_up,
    "rounded to tenths": _rounded,
    "rare events": _rare,
}
CHANGES = [
    Change(f"{what}, from row {start:,}", start, slope, shift)
    for start, (what, slope, shift) in product(
        (0, 20_000),
        (("log odds + 0.2", 1.0, 0.2), ("log odds + 0.5", 1.0, 0.5), ("log odds x 0.7", 0.7, 0.0)),
    )
]


def false_alarms(job: tuple[str, int, int]) -> list[dict[str, Any]]:
    """Streams whose claims are right."""
    claims, rows, first = job
    found = []
    for seed in range(first, first + PER_JOB):
        random = np.random.default_rng(seed)
        p = CLAIMS[claims](random, rows)
        view = binary(p, random.random(rows) < p)
        start = time.process_time()
        monitor = Monitor(alpha=ALPHA)
        monitor.update(view)
        found.append(
            {
                "kind": "right",
                "name": claims,
                "alarm": monitor.alarm,
                "seconds": time.process_time() - start,
            }
            | _windows(view.p, view.y, 0, rows)
        )
    return found


def true_alarms(job: tuple[int, int]) -> list[dict[str, Any]]:
    """Streams that change."""
    place, first = job
    change = CHANGES[place]
    rows = change.start + AFTER
    found = []
    for seed in range(first, first + PER_JOB):
        random = np.random.default_rng(10**6 + seed)
        p = _spread(random, rows)
        z = logit(p)
        truth = np.where(np.arange(rows) < change.start, z, change.slope * z + change.shift)
        view = binary(p, random.random(rows) < expit(truth))
        monitor = Monitor(alpha=ALPHA)
        monitor.update(view)
        at, onset = monitor.alarm_at, monitor.onset
        found.append(
            {
                "kind": "changed",
                "name": change.name,
                "alarm": at is not None,
                "early": at is not None and at <= change.start,
                "delay": None if at is None else float(at - change.start),
                "onset": None if onset is None else float(abs(onset - change.start)),
            }
            | _windows(view.p, view.y, change.start, rows)
        )
    return found


def _windows(p: Array, y: NDArray[np.bool_], start: int, rows: int) -> dict[str, Any]:
    """When a KS test of each full window first rejects, at level alpha each and at alpha over all."""
    ends = np.arange(WINDOW, rows + 1, WINDOW)
    shape = (len(ends), WINDOW)
    claimed = p[: ends[-1]].reshape(shape)
    residual = y[: ends[-1]].reshape(shape) - claimed
    order = np.argsort(claimed, axis=1)
    drift = np.cumsum(np.take_along_axis(residual, order, 1), axis=1)
    statistic = np.abs(drift).max(1) / np.sqrt((claimed * (1 - claimed)).sum(1))
    p_values = 4 * ndtr(-statistic)
    found: dict[str, Any] = {}
    for name, level in (("each", ALPHA), ("all", ALPHA / (ROWS / WINDOW))):
        rejects = ends[(p_values < level) & (ends > start)]
        found[f"ks_{name}"] = len(rejects) > 0
        found[f"delay_{name}"] = float(rejects[0] - start) if len(rejects) else None
    return found


def right_table(found: pl.DataFrame) -> list[str]:
    """Of streams with right claims the share with an alarm, by claims and of all."""
    by_windows = ("KS, each window at 5%", "KS, all at 5%")
    lines = head("claims", "streams", "alarms", "at most", *by_windows, "rows/s")
    parts = [(name, part) for (name,), part in found.group_by("name", maintain_order=True)]
    for name, part in [*parts, ("all", found)]:
        share, n = float(part["alarm"].to_numpy().mean()), len(part)
        speed = ROWS * n / part["seconds"].sum()
        each, every = (part[name].to_numpy().mean() for name in ("ks_each", "ks_all"))
        lines.append(
            f"| {name} | {n:,} | {100 * share:.1f}% | {100 * at_most(share, n):.1f}% "
            f"| {100 * each:.1f}% | {100 * every:.1f}% | {speed:,.0f} |"
        )
    return lines


def changed_table(found: pl.DataFrame) -> list[str]:
    """Of streams that change who notices, and how many rows later."""
    ours, others = ("noticed", "rows until"), ("KS noticed", "rows until")
    lines = head("change", "alarm before", *ours, *others, "onset off by", "9 in 10 below")
    for (name,), streams in found.group_by("name", maintain_order=True):
        early = streams["early"].to_numpy().mean()
        part = streams.filter(~pl.col("early"))
        onset = part["onset"].drop_nulls().to_numpy()
        lines.append(
            f"| {name} | {100 * early:.0f}% "
            f"| {100 * part['alarm'].to_numpy().mean():.0f}% | {_median(part['delay'])} "
            f"| {100 * part['ks_all'].to_numpy().mean():.0f}% | {_median(part['delay_all'])} "
            f"| {np.median(onset):,.0f} | {np.quantile(onset, 0.9):,.0f} |"
        )
    return lines


def _median(delays: pl.Series) -> str:
    """The median, where who never notices takes for ever."""
    late = float(np.median(delays.fill_null(np.inf).to_numpy()))
    return f"{late:,.0f}" if late < np.inf else "never"


def work(job: tuple[Any, ...]) -> list[dict[str, Any]]:
    """A job of either kind."""
    return true_alarms(job) if len(job) == 2 else false_alarms(job)


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    streams, runs, rows = (PER_JOB, PER_JOB, 5000) if quick else (STREAMS, RUNS, ROWS)
    jobs: list[tuple[Any, ...]] = [
        *product(CLAIMS, [rows], range(0, streams, PER_JOB)),
        *product(range(len(CHANGES)), range(0, runs, PER_JOB)),
    ]
    parts = None if quick else parts_of(PAGE)
    found = gather(work, jobs, "streams", parts)
    right = found.filter(pl.col("kind") == "right")
    changed = found.filter(pl.col("kind") == "changed")
    lines = [
        "# Monitors of streams",
        "",
        "## False alarms",
        "",
        f"`Monitor(alpha={ALPHA:g})` over {rows:,} rows of claims that are right, in {len(right):,} streams; it is "
        f"looked at after every row, and at most {100 * ALPHA:g}% of streams may ever raise an alarm. \"At most\": the "
        "upper end of the 95% interval of that share. Beside it the KS test of each window of "
        f"{WINDOW:,} rows, rejecting at {100 * ALPHA:g}% in each window, and at {100 * ALPHA:g}% over the "
        f"{ROWS // WINDOW} windows together (Bonferroni). Rows a second are those of one core.",
        "",
        *right_table(right),
        "",
        "## Power and delay",
        "",
        f"Claims that are spread, log odds normal with standard deviation 2, and become wrong; {runs} streams each, "
        f"which end {AFTER:,} rows after it. \"Alarm before\": a false one, while claims were right; all else is of "
        "the other streams. \"Noticed\": an alarm after the change; \"rows until\": the median "
        "from the change on. The KS test is the one that keeps 5% over all windows. Last, how far the estimated onset "
        "is from the change, in rows: the median, and what nine in ten stay below.",
        "",
        *changed_table(changed),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "polars")


if __name__ == "__main__":
    main()
