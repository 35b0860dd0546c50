"""All sides of one task: each in a process of its own, all in turn, each round in another order."""

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .environments import ROOT, python_of

# Seconds of the processor for all rounds of all sides; a first round does not count.
SECONDS, FEWEST, MOST = 3.0, 3, 15
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "CALIBRANT_THREADS",
)
Told = dict[str, Any]


class Library:
    """A worker, obeying one order at a time."""

    def __init__(self, name: str, threads: int = 1) -> None:
        self.name = name
        self.process = subprocess.Popen(
            [python_of(name), "-W", "ignore", "-m", "peers.worker", name.replace("-", "_")],
            cwd=ROOT / "benchmarks",
            env=os.environ | dict.fromkeys(THREADS, str(threads)),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        told = self.ask("tasks")
        self.tasks: list[str] = told.get("tasks", [])
        self.failed: str = told.get("failed", "")

    def ask(self, *words: str) -> Told:
        """What it says to an order."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(" ".join(words) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return {"failed": "the process ended"}
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"failed": "the process ended"}

    def end(self) -> None:
        """No more orders."""
        self.process.communicate()


@dataclass
class Side:
    """What was found of one library at one task."""

    library: Library
    processor: list[float] = field(default_factory=list)
    clock: list[float] = field(default_factory=list)
    megabytes: float = float("nan")
    answer: Any = None
    failed: str = ""

    def ask(self, *words: str) -> Told:
        """What the library says, unless it failed before."""
        told = {} if self.failed else self.library.ask(*words)
        self.failed = self.failed or told.get("failed", "")
        return told

    def work(self) -> float:
        """Once; the seconds of the processor."""
        told = self.ask("time")
        if self.failed:
            return 0.0
        self.processor.append(told["processor"])
        self.clock.append(told["clock"])
        return self.processor[-1]


def play(libraries: list[Library], task: str, data: Path, *, is_timed: bool = True) -> list[Side]:
    """Answers of all that have the task; their times and memory, if those are asked for."""
    sides = [Side(library) for library in libraries if task in library.tasks]
    for side in sides:
        side.ask("begin", task, str(data))
    slow = sum(side.work() for side in sides)
    if is_timed:
        _rounds(sides, slow)
    for side in sides:
        path = data.with_suffix(".npy")
        side.ask("answer", str(path))
        if not side.failed:
            side.answer = np.load(path)
        if is_timed:
            side.megabytes = side.ask("memory").get("bytes", np.nan) / 1e6
    return sides


def _rounds(sides: list[Side], slow: float) -> None:
    for side in sides:
        side.processor.clear()
        side.clock.clear()
    rounds = int(np.clip(SECONDS / max(slow, 1e-9), FEWEST, MOST))
    for number in range(rounds):
        turn = number % len(sides)
        for side in sides[turn:] + sides[:turn]:
            side.work()
