"""What the pages are made of: runs by setting, means over seeds with intervals, lines of tables."""

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from string import Template

import numpy as np
from scipy.stats import t as student

from calibrant import Interval

from .images import Data
from .records import RESULTS, Record
from .runs import Run

Setting = Run
Value = Callable[[Record], float]
# Test rows before and after temperature scaling.
WHEN = ("test", "test_after")
By = dict[Setting, dict[int, Record]]
DOCS = Path(__file__).parents[2] / "docs" / "training"
PAGES = Path(__file__).parent / "pages"
LEVEL = 0.95
FEWEST = 3
TITLES = {
    "cross-entropy": "cross-entropy",
    "smoothing": "label smoothing",
    "focal": "focal",
    "focal53": "focal-53",
    "dual": "dual focal",
    "mmce": "MMCE",
    "canonical": "KDE canonical",
    "classwise": "KDE class-wise",
    "top_label": "KDE top label",
}


def by_setting(records: Iterable[Record]) -> By:
    """Runs that differ by their seed alone, together; those whose training broke off are left out."""
    found: By = {}
    for record in records:
        if record.is_finite:
            setting = replace(record.run, seed=0)
            found.setdefault(setting, {})[record.run.seed] = record
    return found


def measure(part: str, name: str) -> Value:
    """A number of the end of a run; of "canonical", what lies above that of right claims."""

    def value(record: Record) -> float:
        numbers = record.measures[part]
        if name.startswith("canonical"):
            return numbers[name] - numbers[f"{name}-null"]
        return numbers[name]

    return value


def last(name: str) -> Value:
    """The last number of a curve."""
    return lambda record: float(record.curve(name)[-1])


def estimate(values: Sequence[float]) -> Interval:
    """The mean over seeds with Student's interval; of fewer than three there is none."""
    mean = float(np.mean(values))
    if len(values) < FEWEST:
        return Interval(mean, np.nan, np.nan)
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    half = float(student.ppf((1 + LEVEL) / 2, len(values) - 1) * error)
    return Interval(mean, mean - half, mean + half)


def over_seeds(runs: dict[int, Record], value: Value) -> Interval:
    """A number of one setting."""
    return estimate([value(record) for record in runs.values()])


def beyond(runs: dict[int, Record], base: dict[int, Record], value: Value) -> Interval:
    """How far a number lies above the base's, seed by seed."""
    seeds = sorted(runs.keys() & base.keys())
    return estimate([value(runs[seed]) - value(base[seed]) for seed in seeds])


def shown(found: Interval, digits: int = 2, scale: float = 1, *, sign: str = "") -> str:
    """Mean and half the interval."""
    middle = f"{scale * found.estimate:{sign}.{digits}f}"
    half = scale * (found.high - found.estimate)
    return middle if np.isnan(half) else f"{middle} ± {half:.{digits}f}"


def title(run: Run) -> str:
    """A loss in words, with its strength."""
    name, _, norm = run.loss.partition("-")
    if run.loss in TITLES:
        words = TITLES[run.loss]
        given = f" {run.strength:g}" if run.strength else ""
        return words + given
    power = ", norm 2" if norm == "2" else ""
    given = f", {run.strength:g}" if run.strength else ""
    return f"{TITLES[name]}{power}{given}"


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table of Markdown."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def losses(by: By, data: Data) -> By:
    """Settings of the comparison of losses on one data set, plain cross-entropy first."""
    found = {run: runs for run, runs in by.items() if (run.part, run.data) == ("losses", data)}
    order = list(TITLES)

    def place(run: Run) -> tuple[int, str, float]:
        name, _, norm = run.loss.partition("-")
        return order.index(run.loss if run.loss in TITLES else name), norm, run.strength

    return {run: found[run] for run in sorted(found, key=place)}


def filled(name: str, **parts: str) -> str:
    """A page of the folder `pages`, its places filled."""
    text = (PAGES / name).read_text(encoding="utf-8")
    return Template(text).substitute(parts)


def about(records: Sequence[Record]) -> str:
    """How many runs, of how long, and where."""
    machines = sorted({record.machine for record in records})
    hours = sum(record.seconds for record in records) / 3600
    return f"{len(records)} runs, {hours:.1f} hours of a busy core in all; {'; '.join(machines)}."


def asked_for(about_it: str | None) -> tuple[Path, Path]:
    """Where results are and where pages go, by the command line."""
    parser = argparse.ArgumentParser(description=(about_it or "").partition("\n")[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--docs", type=Path, default=DOCS)
    asked = parser.parse_args()
    return asked.results, asked.docs
