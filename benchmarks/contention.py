"""What busy neighbours cost: our fits and the peers' with 0, 1, 2 and 4 busy processes beside; writes a page of docs.

It needs the environments of `make peers`. Each round has all numbers of neighbours and both sides, in turn, so that
what else the machine does falls on all alike; before each round it waits a while for an idle machine, and says how
idle it was.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from machine import stamp
from peers.data import vectors
from peers.match import Library
from rich.progress import track

from calibrant.fitting.blocks import CORES
from calibrant.inputs.paths import write_whole

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "contention.md"
NEIGHBOURS = (0, 1, 2, 4)
PEERS = {
    "structured": "probmetrics",
    "vector": "probmetrics",
    "temperature": "probmetrics",
    "isotonic_rest": "netcal",
}
OURS = "calibrant"
Key = tuple[str, str, int]
Times = dict[Key, list[tuple[float, float]]]
# How idle is idle enough.
IDLE = 0.9


def idle_share(seconds: float = 1.0) -> float:
    """The share of all cores' time in which nobody worked, from now on."""

    def ticks() -> tuple[int, int]:
        numbers = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        return numbers[3] + numbers[4], sum(numbers)

    idle, every = ticks()
    time.sleep(seconds)
    idle_then, every_then = ticks()
    return (idle_then - idle) / (every_then - every)


def quiet_moment(patience: float) -> float:
    """Wait for an idle machine, but only so many seconds; how idle it was."""
    until = time.monotonic() + patience
    share = idle_share()
    while share < IDLE and time.monotonic() < until:
        share = idle_share()
    return share


@contextmanager
def neighbours(number: int) -> Iterator[None]:
    """So many processes that never rest."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in busy:
            process.send_signal(signal.SIGKILL)
            process.wait()


def measured(
    rows: int, classes: int, rounds: int, patience: int
) -> tuple[Times, list[float], list[float]]:
    """Seconds of clock and processor of every fit, and how idle and how loaded the machine was before each round."""
    times: Times = {}
    idle, loads = [], []
    sides = {name: Library(name, CORES) for name in (OURS, *set(PEERS.values()))}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, **vars(vectors(rows, classes)))
        for task, peer in PEERS.items():
            for name in (OURS, peer):
                sides[name].ask("begin", task, str(path))
                sides[name].ask("time")
            for _ in track(range(rounds), task):
                idle.append(quiet_moment(patience))
                loads.append(os.getloadavg()[0])
                for number in NEIGHBOURS:
                    with neighbours(number):
                        for name in (OURS, peer):
                            told = sides[name].ask("time")
                            pair = told["clock"], told["processor"]
                            times.setdefault((task, name, number), []).append(pair)
    for side in sides.values():
        side.end()
    return times, idle, loads


def lines(times: Times) -> Iterator[str]:
    """A row of the table for each task and side."""
    for task, peer in PEERS.items():
        for name in (OURS, peer):
            quiet = times[task, name, 0]
            cells = [f"{median(clock for clock, _ in quiet):.2f} s"]
            for part in (0, 1):
                for number in NEIGHBOURS[1:]:
                    pairs = zip(times[task, name, number], quiet, strict=True)
                    cells.append(f"{median(one[part] / other[part] for one, other in pairs):.2f}")
            yield f"| {task} | {name} | {' | '.join(cells)} |"


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, number in (("rows", 50_000), ("classes", 100), ("rounds", 5), ("patience", 60)):
        parser.add_argument(f"--{name}", type=int, default=number)
    asked = parser.parse_args()
    times, idle, loads = measured(asked.rows, asked.classes, asked.rounds, asked.patience)
    beside = [f"{number} beside" for number in NEIGHBOURS[1:]]
    head = [
        "fit and apply",
        "by",
        "none beside",
        *beside,
        *(f"{cell}, processor" for cell in beside),
    ]
    page = [
        "# Busy neighbours",
        "",
        f"{asked.rows:,} rows of {asked.classes} classes in float32, {CORES} cores, as many threads for everyone. "
        "Ratios of the time with so many processes beside it that never rest to the time without: of the clock, then "
        "of the processor, which grows where threads wait for one another in a spin. A fair share of two cores beside "
        f"four busy processes is 3 for two threads. Medians of {asked.rounds} rounds, each with all of them in turn.",
        "",
        f"Before each round the machine was waited for, {asked.patience} s at most. It was idle for "
        f"{min(idle):.0%} to {max(idle):.0%} of the next second (median {median(idle):.0%}); its load over the last "
        f"minute, these neighbours included, was {min(loads):.1f} to {max(loads):.1f} (median {median(loads):.1f}). "
        "Where it was not idle, “none beside” is not none, and the ratios of the clock are too small.",
        "",
        f"| {' | '.join(head)} |",
        f"| {' | '.join(['---'] * len(head))} |",
        *lines(times),
        "",
        stamp("scipy"),
        "",
    ]
    write_whole(PAGE, "\n".join(page).encode())
    print("\n".join(page))


if __name__ == "__main__":
    main()
