"""What training losses buy before and after temperature scaling; writes docs/training/losses.md.

PYTHONPATH=src:benchmarks python -m training.losses_page, after training.study.
"""

from collections.abc import Iterator
from pathlib import Path

import calibrant as c
from calibrant.inputs.paths import write_whole

from . import losses_pictures
from .records import Record, read_all
from .runs import Run
from .tables import (
    FEWEST,
    WHEN,
    By,
    about,
    asked_for,
    by_setting,
    filled,
    last,
    losses,
    measure,
    over_seeds,
    shown,
    table,
    title,
)
from .worth import GAINS, NAMES, cells, counted

SCORES = ("runs", "accuracy, %", "NLL", "after T")
HEAD = (
    "loss",
    *SCORES,
    "ECE, %",
    "after T",
    "class-wise, %",
    "after T",
    "canonical, %",
    "after T",
)
BINARY = ("gamma", "runs", "error, %", "L2 error, %", "after T", "Brier", "NLL after T")
OTHERS = ("term", "its rows", *SCORES, "ECE, %", "after T", "class-wise, %", "after T")


def scores(runs: dict[int, Record]) -> list[str]:
    """How many runs, accuracy, and NLL before and after temperature."""
    nll = [over_seeds(runs, measure(part, "nll")) for part in WHEN]
    accuracy = over_seeds(runs, measure("test", "accuracy"))
    return [str(len(runs)), shown(accuracy, 1, 100), *(shown(each, 3) for each in nll)]


def errors(runs: dict[int, Record], *names: str) -> list[str]:
    """Errors in percent, before and after temperature."""
    found = [over_seeds(runs, measure(part, name)) for name in names for part in WHEN]
    return [shown(each, 2, 100) for each in found]


def lines(found: By, norm: int) -> Iterator[list[str]]:
    """A line a loss, by errors of that norm; of the kernel terms those of that norm."""
    names = [f"{view}-{norm}" for view in ("top_label", "classwise", "canonical")]
    for run, runs in found.items():
        if not run.is_kernel_term or run.loss in names:
            yield [title(run), *scores(runs), *errors(runs, *names)]


def strengths(by: By) -> Iterator[str]:
    """What choose_strength says of each kernel term, from validation rows."""
    of = losses(by, "c10")
    base = next(iter(of.values()), {})
    for loss in dict.fromkeys(run.loss for run in of if run.is_kernel_term):
        terms = {
            run.strength: runs
            for run, runs in of.items()
            if run.loss == loss and len(runs) >= FEWEST
        }
        seeds = sorted(set(base).intersection(*terms.values()))
        if terms:
            runs = {
                strength: [_validation(records[seed]) for seed in seeds]
                for strength, records in {0.0: base, **terms}.items()
            }
            tried = ", ".join(f"{strength:g}" for strength in sorted(terms))
            name = title(Run("losses", "c10", loss))
            found = c.choose_strength(runs).finding
            yield f"- **{name}**, strengths {tried}, {len(seeds)} seeds. {found}"


def _validation(record: Record) -> c.Predictions:
    return c.from_logits(record.rows["val_logits"], record.rows["val_labels"])


def binary(by: By) -> Iterator[list[str]]:
    """A line a gamma, of vehicles and animals."""
    found = {run: runs for run, runs in by.items() if run.part == "binary"}
    for run in sorted(found, key=lambda run: run.strength):
        runs = found[run]
        yield [
            f"{run.strength:g}",
            str(len(runs)),
            shown(over_seeds(runs, last("test_error")), 2, 100),
            *errors(runs, "classwise-2"),
            shown(over_seeds(runs, measure("test", "brier")), 4),
            shown(over_seeds(runs, measure("test_after", "nll")), 4),
        ]


def others(found: By) -> Iterator[list[str]]:
    """A line a setting, by where the rows of its term come from."""
    for run, runs in found.items():
        rows = str(run.term_batch or f"as the loss, {run.batch}")
        name = title(run) if run.strength else "none"
        yield [name, rows, *scores(runs), *errors(runs, "top_label-1", "classwise-1")]


def batches(by: By) -> By:
    """The terms of the batch study, also with the rows of the loss itself."""
    asked = {(run.loss, run.strength) for run in by if run.part == "batches"}
    found = {
        run: runs
        for run, runs in by.items()
        if run.data == "c10" and not run.held and (run.loss, run.strength) in asked
    }
    return {run: found[run] for run in sorted(found, key=lambda run: (run.loss, run.term_batch))}


def learnt(by: By) -> str:
    """How often networks are right where they learn and where they do not."""
    base = next(iter(losses(by, "c10").values()))
    train, test = (over_seeds(base, last(f"{part}_error")).estimate for part in ("train", "test"))
    return f"{100 - 100 * train:.0f}% of training images and {100 - 100 * test:.0f}% of test images"


def page(by: By, records: list[Record]) -> str:
    """The page as Markdown."""
    of = {data: losses(by, data) for data in NAMES}
    found = list(cells(by))
    used = [each for each in records if each.run.part not in ("causes", "long")]
    return filled(
        "losses.md",
        ten=table(HEAD, lines(of["c10"], 1)),
        hundred=table(HEAD, lines(of["c100"], 1)),
        squares=table(HEAD, lines(of["c10"], 2)),
        counted=counted(found),
        cells=table(GAINS, [cell.line() for cell in found]),
        strengths="\n".join(strengths(by)),
        learnt=learnt(by),
        binary=table(BINARY, binary(by)),
        held=table(OTHERS, others({run: runs for run, runs in by.items() if run.held})),
        batches=table(OTHERS, others(batches(by))),
        about=about(used),
    )


def write(results: Path, docs: Path) -> None:
    """The page and its pictures."""
    records = read_all(results)
    by = by_setting(records)
    images = docs / "images"
    images.mkdir(parents=True, exist_ok=True)
    for data, name in NAMES.items():
        losses_pictures.pareto(losses(by, data), name, images / f"pareto-{data}.png")
    losses_pictures.binary(by, images / "binary.png")
    write_whole(docs / "losses.md", page(by, records).encode())


if __name__ == "__main__":
    write(*asked_for(__doc__))
