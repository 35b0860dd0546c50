"""Many runs at once on a card, each on a stream of its own."""

import gc
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

import torch

from .loop import Training
from .outcomes import Pictures, outcome, written
from .records import Save
from .runs import Run

# Chunks of steps that a run may have ahead of the card.
AHEAD = 2
# A card's memory is given back after so many runs.
TIDY = 24


@dataclass
class Lane:
    """A run under way on a stream of its own."""

    training: Training
    work: Iterator[None]
    stream: Any
    begun: float
    marks: deque[Any] = field(default_factory=deque)

    def has_room(self) -> bool:
        """Whether it may be given more to do."""
        while self.marks and self.marks[0].query():
            self.marks.popleft()
        return len(self.marks) < AHEAD

    def go_on(self) -> bool:
        """Give it a chunk; whether there was one."""
        with torch.cuda.stream(self.stream):
            for _ in self.work:
                mark = torch.cuda.Event()  # type: ignore[no-untyped-call, unused-ignore]
                mark.record()
                self.marks.append(mark)
                return True
        return False


def on_card(runs: list[Run], save: Save, until: float, lanes: int) -> None:
    """So many at once; files are written by other processes."""
    pictures = Pictures()
    streams = deque(torch.cuda.Stream() for _ in range(lanes))  # type: ignore[no-untyped-call, unused-ignore]
    waiting = deque(runs)
    under_way: list[Lane] = []
    writing: list[tuple[str, Future[bytes]]] = []
    reading: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call, unused-ignore]
    longest = 0.0
    finished = 0
    gc.disable()
    with ProcessPoolExecutor(12, get_context("spawn"), initializer=_alone) as pool:
        while under_way or (waiting and time.monotonic() + longest < until):
            while streams and waiting and time.monotonic() + longest < until:
                under_way.append(_lane(waiting.popleft(), pictures, streams.popleft()))
            for lane in tuple(under_way):
                run = lane.training.run
                try:
                    if not lane.has_room() or lane.go_on():
                        continue
                except RuntimeError as reason:
                    print(f"{run.name} broke off: {reason}", flush=True)
                    under_way.remove(lane)
                    streams.append(torch.cuda.Stream())  # type: ignore[no-untyped-call, unused-ignore]
                    continue
                under_way.remove(lane)
                streams.append(lane.stream)
                # On a stream of its own, so that memory for all pairs of rows is taken once.
                reading.wait_stream(lane.stream)
                with torch.cuda.stream(reading):
                    found = outcome(lane.training, lane.begun)
                writing.append((run.name, pool.submit(written, *found)))
                # Of runs like those that still wait.
                longest = max(0.7 * longest, time.monotonic() - lane.begun)
                finished += 1
                if not finished % TIDY:
                    gc.collect()
                    torch.cuda.empty_cache()
                    print(
                        f"{finished} runs, {len(waiting)} wait, {until - time.monotonic():.0f} s left",
                        flush=True,
                    )
            writing = _written(writing, save, wait=False)
            if time.monotonic() > until + 10:
                break
        _written(writing, save, wait=True)
    print(f"{finished} runs in all, {len(waiting)} left", flush=True)


def _lane(run: Run, pictures: Pictures, stream: Any) -> Lane:  # noqa: ANN401 - torch's streams
    images = pictures.of(run)
    stream.wait_stream(torch.cuda.default_stream())
    with torch.cuda.stream(stream):
        training = Training(run, images)
    return Lane(training, training.work(), stream, time.monotonic())


def _written(
    writing: list[tuple[str, Future[bytes]]], save: Save, *, wait: bool
) -> list[tuple[str, Future[bytes]]]:
    left = []
    for name, future in writing:
        if wait or future.done():
            save(name, future.result())
        else:
            left.append((name, future))
    return left


def _alone() -> None:
    torch.set_num_threads(1)
