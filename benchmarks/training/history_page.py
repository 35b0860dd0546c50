"""What CalibrationHistory costs, and what the checkpoint it names is worth; writes docs/benchmarks/history.md.

PYTHONPATH=src:benchmarks python -m training.history_page, after training.study.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from machine import stamp

import calibrant as c
from calibrant.inputs.paths import write_whole
from calibrant.torch.callback import CalibrationHistory

from .records import RESULTS, Record, read_all
from .tables import By, by_setting, estimate, filled, shown, table

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks" / "history.md"
SIZES = ((5_000, 10), (5_000, 100), (50_000, 10), (50_000, 1000))
BATCH = 256
EPOCHS = 3


class Cost(NamedTuple):
    """Processor seconds of an epoch's updates and of its end, and how far its numbers are off."""

    updates: float
    end: float
    off: float


def cost(n: int, k: int) -> Cost:
    """The median over epochs, of rows that a network is too sure of."""
    random = torch.Generator().manual_seed(0)
    labels = torch.randint(k, (n,), generator=random)
    logits = torch.randn(n, k, generator=random)
    logits[torch.arange(n), labels] += 3
    history = CalibrationHistory()
    seconds = []
    for epoch in range(EPOCHS):
        scaled = (1 + epoch) * logits
        start = time.process_time()
        for rows in torch.split(torch.arange(n), BATCH):
            history.update(scaled[rows], labels[rows])
        middle = time.process_time()
        history.end_epoch()
        seconds.append((middle - start, time.process_time() - middle))
    updates, end = np.median(seconds, axis=0)
    return Cost(float(updates), float(end), _off(history, c.from_logits(scaled, labels)))


def _off(history: CalibrationHistory, pred: c.Predictions) -> float:
    """The largest difference of the last epoch's numbers from the library's of all rows at once."""
    fitted = c.Temperature().fit(pred)
    found = history.epochs[-1]
    expected = {
        "nll": c.nll(pred),
        "tempered_nll": c.nll(fitted.apply(pred)),
        "error": 1 - c.accuracy(pred),
        "ece": c.ece(pred),
        "ks": c.ks_error(pred),
        "entropy": c.entropy(pred),
    }
    return max(abs(getattr(found, name) - value) for name, value in expected.items())


def costs() -> Iterator[list[str]]:
    """A line a size."""
    for n, k in SIZES:
        found = cost(n, k)
        millions = 1e6 * (found.updates + found.end) / n
        yield [
            f"{n:,}",
            f"{k:,}",
            f"{found.updates:.3f}",
            f"{found.end:.3f}",
            f"{millions:.1f}",
            f"{found.off:.0e}",
        ]


def checkpoints(record: Record) -> tuple[float, float, float]:
    """Test NLL after temperature of the last epoch, that of least NLL, and the one `best` names."""
    tests = record.curve("test_nll_after")
    lowest = record.curve("val_nll").argmin()
    best = record.curve("val_nll_after").argmin()
    return float(tests[-1]), float(tests[lowest]), float(tests[best])


def worth(title: str, records: Sequence[Record]) -> list[str]:
    """What the named checkpoint gains, over runs."""
    found = np.array([checkpoints(record) for record in records])
    last, lowest, best = found.T
    return [
        title,
        str(len(records)),
        *(f"{column.mean():.4f}" for column in (last, lowest, best)),
        shown(estimate((last - best).tolist()), 4, sign="+"),
        shown(estimate((lowest - best).tolist()), 4, sign="+"),
    ]


def groups(by: By) -> Iterator[list[str]]:
    """A line a group of runs."""
    records = [record for runs in by.values() for record in runs.values()]
    plain = [each for each in records if each.run.loss == "cross-entropy"]
    kept = {
        "cross-entropy, CIFAR-10, base": [
            each for each in plain if each.run.part == "losses" and each.run.data == "c10"
        ],
        "cross-entropy, CIFAR-10, causes": [each for each in plain if each.run.part == "causes"],
        "cross-entropy, CIFAR-10, long": [each for each in plain if each.run.part == "long"],
        "cross-entropy, CIFAR-100": [each for each in plain if each.run.data == "c100"],
        "other losses": [each for each in records if each.run.loss != "cross-entropy"],
    }
    for title, some in kept.items():
        if some:
            yield worth(title, some)


def page(by: By, prices: str) -> str:
    """The page as Markdown."""
    head = ("runs", "number", "last", "least NLL", "named", "named gains on last", "on least NLL")
    return filled(
        "history.md", costs=prices, checkpoints=table(head, groups(by)), stamp=stamp("torch")
    )


def main() -> None:
    """Time, compare and write the page."""
    torch.set_num_threads(1)
    head = ("rows", "classes", "updates, s", "end of epoch, s", "µs a row", "off by at most")
    prices = table(head, costs())
    text = page(by_setting(read_all(RESULTS)), prices)
    print(text)
    write_whole(PAGE, text.encode())


if __name__ == "__main__":
    main()
