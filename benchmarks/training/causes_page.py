"""What depth, width, weight decay and batch normalisation do, and how NLL overfits; writes docs/training/causes.md.

PYTHONPATH=src:benchmarks python -m training.causes_page, after training.study.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import calibrant as c
from calibrant import Interval
from calibrant.inputs.paths import write_whole

from . import causes_pictures
from .records import Record, read_all
from .runs import UNNORMED_RATE, Run
from .tables import (
    By,
    about,
    asked_for,
    beyond,
    by_setting,
    estimate,
    filled,
    last,
    measure,
    over_seeds,
    shown,
    table,
)

BASE = Run("losses", "c10")
Step = tuple[str, dict[int, Record]]
Curve = NDArray[np.floating]


@dataclass(frozen=True)
class Cause:
    """What is varied, in steps that the paper says make claims worse; and the paper's words."""

    title: str
    steps: dict[str, Run]
    paper: str

    def settings(self, by: By) -> dict[str, dict[int, Record]]:
        """The runs of each step, of those there are."""
        of = {replace(run, part=""): runs for run, runs in by.items()}
        asked = {name: replace(run, part="") for name, run in self.steps.items()}
        return {name: of[run] for name, run in asked.items() if run in of}


STEPS = (
    "what is varied",
    "",
    "train error, %",
    "test error, %",
    "ECE, %",
    "ECE after T, %",
    "NLL",
    "NLL after T",
    "T",
)
DIRECTIONS = (
    "from, to",
    "error, points",
    "ECE, points",
    "NLL after T",
    "Guo et al. 2017",
    "ECE rises here",
)
TURNS = (
    "runs",
    "epochs",
    "NLL least after epoch",
    "error least after epoch",
    "NLL since, nats",
    "error since, points",
    "NLL after T since, nats",
)
UNNORMED = replace(BASE, rate=UNNORMED_RATE, normed=False)
NORMED = replace(UNNORMED, normed=True)
DEPTHS = {f"{depth}": replace(BASE, depth=depth) for depth in (3, 6, 9)}
WIDTHS = {f"{width}": replace(BASE, width=width) for width in (8, 16, 24, 48)}
DECAYS = {f"{decay:g}": replace(BASE, decay=decay) for decay in (1e-2, 2e-3, 5e-4, 0.0)}
NORMS = {"without": UNNORMED, "with": NORMED, "with, rate 0.1": BASE}
WIDE = replace(BASE, part="causes", width=48)
TURNING = {
    "base": BASE,
    "no weight decay": replace(BASE, part="causes", decay=0.0),
    "width 48": WIDE,
    "depth 6": replace(BASE, part="causes", depth=6),
    "60 epochs, weight decay 1e-4": replace(BASE, part="long", epochs=60, decay=1e-4),
}
CAUSES = (
    Cause("depth", DEPTHS, "ECE grows substantially with depth, while the error may fall"),
    Cause("width", WIDTHS, "ECE grows substantially with width"),
    Cause("batch normalisation", NORMS, "worse ECE with it, though the error improves slightly"),
    Cause("weight decay", DECAYS, "less decay, worse ECE, also beyond the decay of least error"),
)


def steps(cause: Cause, by: By) -> Iterator[list[str]]:
    """A line a step."""
    for value, runs in cause.settings(by).items():
        parts = [("test", "ece"), ("test_after", "ece"), ("test", "nll"), ("test_after", "nll")]
        ece, ece_after, nll, nll_after = (
            over_seeds(runs, measure(part, name)) for part, name in parts
        )
        yield [
            cause.title,
            value,
            shown(over_seeds(runs, last("train_error")), 1, 100),
            shown(over_seeds(runs, last("test_error")), 1, 100),
            shown(ece, 1, 100),
            shown(ece_after, 1, 100),
            shown(nll, 3),
            shown(nll_after, 3),
            shown(over_seeds(runs, last("temperature"))),
        ]


def directions(cause: Cause, by: By) -> Iterator[list[str]]:
    """From the first step to the later ones, paired by seed, beside the paper's words."""
    found = list(cause.settings(by).items())
    for end, runs in found[1:]:
        yield direction(cause, found[0], (end, runs))


def direction(cause: Cause, start: Step, stop: Step) -> list[str]:
    """From one step to another."""
    (first, base), (end, runs) = start, stop
    ece = beyond(runs, base, measure("test", "ece"))
    after = beyond(runs, base, measure("test_after", "nll"))
    return [
        f"{cause.title}: {first} to {end}",
        shown(beyond(runs, base, last("test_error")), 1, 100, sign="+"),
        shown(ece, 1, 100, sign="+"),
        shown(after, 3, sign="+"),
        cause.paper,
        verdict(ece),
    ]


def verdict(rise: Interval) -> str:
    """Whether ECE rises as the paper says, by its interval."""
    if rise.low > 0:
        return "yes"
    return "no: it falls" if rise.high < 0 else "not shown"


def curves(runs: dict[int, Record], name: str) -> Curve:
    """By seed and epoch."""
    return np.stack([record.curve(name) for _, record in sorted(runs.items())])


def turning(title: str, runs: dict[int, Record]) -> list[str]:
    """Where test NLL is least, and what happens to it and to the error from there to the end."""
    nll, error = curves(runs, "test_nll"), curves(runs, "test_error")
    after = curves(runs, "test_nll_after")
    lowest = nll.argmin(1)
    seeds = np.arange(len(nll))
    changes = (nll[:, -1] - nll[seeds, lowest], error[:, -1] - error[seeds, lowest])
    tempered = after[:, -1] - after[seeds, lowest]
    risen, fallen, refined = (estimate(each.tolist()) for each in (*changes, tempered))
    return [
        title,
        str(nll.shape[1]),
        ", ".join(str(epoch + 1) for epoch in lowest),
        ", ".join(str(epoch + 1) for epoch in error.argmin(1)),
        shown(risen, 3, sign="+"),
        shown(fallen, 1, 100, sign="+"),
        shown(refined, 3, sign="+"),
    ]


def right_claims(runs: dict[int, Record]) -> str:
    """The ECE that as many rows show where claims are right, those of the base after temperature."""
    levels = []
    for record in runs.values():
        val, test = (
            c.from_logits(record.rows[f"{part}_logits"], record.rows[f"{part}_labels"])
            for part in ("val", "test")
        )
        claims = c.Temperature().fit(val).apply(test)
        levels.append(c.null_level(c.ece, claims).mean)
    return f"{100 * np.mean(levels):.1f}"


def page(records: Sequence[Record], by: By) -> str:
    """The page as Markdown."""
    used = [each for each in records if each.run.data == "c10" and each.run.loss == BASE.loss]
    return filled(
        "causes.md",
        steps=table(STEPS, [line for cause in CAUSES for line in steps(cause, by)]),
        directions=table(DIRECTIONS, [line for cause in CAUSES for line in directions(cause, by)]),
        turns=table(
            TURNS, [turning(title, by[run]) for title, run in TURNING.items() if run in by]
        ),
        right=right_claims(by[BASE]),
        about=about(used),
    )


def write(results: Path, docs: Path) -> None:
    """The page and its pictures."""
    records = read_all(results)
    by = by_setting(records)
    images = docs / "images"
    images.mkdir(parents=True, exist_ok=True)
    four = {cause.title: cause.settings(by) for cause in CAUSES}
    causes_pictures.causes(four, images / "causes.png")
    runs = by.get(WIDE) or by[BASE]
    causes_pictures.overfitting(runs, images / "overfitting.png")
    causes_pictures.entropies(runs, images / "entropy.png")
    write_whole(docs / "causes.md", page(records, by).encode())


if __name__ == "__main__":
    write(*asked_for(__doc__))
