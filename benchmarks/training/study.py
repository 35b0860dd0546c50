"""The training study: every run of a queue that has no file yet, on a processor or many at once on a card.

PYTHONPATH=src:benchmarks python -m training.study --size small. Stopped, it goes on where it was; its pages are
written by losses_page.py and causes_page.py. With --packs files go into a few tar files of that folder.
"""

import argparse
import gc
import os
import platform
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

# Streams of a card that do not wait for one another.
os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")

import numpy as np
import torch

from calibrant.inputs.paths import write_whole

from .images import Images, Sheets, load
from .loop import Training
from .measures import Rows, canonical_errors, measured, row_losses
from .records import RESULTS, Packs, Record, path_of
from .runs import Run, Size, queue

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
# Chunks of steps that a run may have ahead of the card.
AHEAD = 2
# A card's memory is given back after so many runs.
TIDY = 24
# Parts of the study whose runs keep something of each row.
WITH_ROWS = ("losses", "held", "binary")
Save = Callable[[str, bytes], None]


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


class Pictures:
    """Images, loaded once."""

    def __init__(self) -> None:
        self.loaded: dict[tuple[str, int], Images] = {}

    def of(self, run: Run) -> Images:
        """Those of a run."""
        name: Sheets = "c100" if run.data == "c100" else "c10"
        key = (name, run.side)
        if key not in self.loaded:
            self.loaded[key] = load(name, run.side, DEVICE)
        found = self.loaded[key].first(run.images, run.validation, run.test)
        return found.vehicles() if run.data == "vehicles" else found


def on_processor(runs: list[Run], save: Save, until: float) -> None:
    """One after another."""
    pictures = Pictures()
    # Steps are so short that a second thread would cost more than it does.
    torch.set_num_threads(1)
    for run in runs:
        if time.monotonic() > until:
            return
        begun = time.monotonic()
        training = Training(run, pictures.of(run))
        for _ in training.work():
            pass
        content = written(*outcome(training, begun))
        save(run.name, content)
        print(f"{run.name}: {time.monotonic() - begun:.0f} s", flush=True)


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


def outcome(training: Training, begun: float) -> tuple[Record, Rows]:
    """What a finished run has found, but for the measures of its end."""
    curves = training.curves()
    val, test = training.parts
    rows = Rows(
        val.logits.cpu().numpy().astype(np.float16),
        val.labels.cpu().numpy(),
        test.logits.cpu().numpy().astype(np.float16),
        test.labels.cpu().numpy(),
    )
    errors = {}
    if np.isfinite(curves.values[-1]).all():
        temperature = float(curves.values[-1, curves.names.index("temperature")])
        for name, part in (("val", val), ("test", test)):
            for when, scale in (("", 1.0), ("_after", 1 / temperature)):
                # As they are kept, in half precision.
                logits = part.logits.half().double() * scale
                errors[name + when] = canonical_errors(logits, part.labels, null=name == "test")
    seconds = time.monotonic() - begun
    values = curves.values.astype(np.float32)
    record = Record(training.run, machine(), seconds, errors, curves.names, values, {})
    return record, rows


def written(record: Record, rows: Rows) -> bytes:
    """The whole file."""
    measures = record.measures
    kept: dict[str, Any] = {}
    if measures:
        found = measured(rows)
        measures = {part: found[part] | measures[part] for part in found}
        kept = row_losses(rows)
    run = record.run
    if run.part not in WITH_ROWS:
        kept = {}
    elif run.data != "c100":
        # Of these, losses of rows follow from logits.
        kept = {"val_logits": rows.val_logits, "test_logits": rows.test_logits}
        kept |= {
            "val_labels": rows.val_labels.astype(np.uint8),
            "test_labels": rows.test_labels.astype(np.uint8),
        }
    return replace(record, measures=measures, rows=kept).to_bytes()


def machine() -> str:
    """Where it runs."""
    name = (
        torch.cuda.get_device_name() if DEVICE.type == "cuda" else f"{platform.machine()} processor"
    )
    return f"{name}, torch {torch.__version__}"


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


def main() -> None:
    """Run what is left of the queue."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", choices=("small", "full", "tiny"), default="small")
    parser.add_argument(
        "--seconds", type=float, default=1e9, help="nothing is begun that would end later"
    )
    parser.add_argument("--packs", type=Path, help="a folder for tar files; else a file a run")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--lanes", type=int, default=24, help="runs at once on a card")
    parser.add_argument("--only", default="", help="runs whose name contains this")
    asked = parser.parse_args()
    until = time.monotonic() + asked.seconds
    size: Size = asked.size
    runs = [
        run
        for run in queue(size)
        if asked.only in run.name and not path_of(run, asked.results).exists()
    ]
    print(f"{len(runs)} runs to do on {machine()}", flush=True)
    save = _saver(asked.packs, asked.results)
    if DEVICE.type == "cuda":
        on_card(runs, save, until, asked.lanes)
    else:
        on_processor(runs, save, until)


def _saver(packs: Path | None, results: Path) -> Save:
    if packs is not None:
        of_packs = Packs(packs)
        return lambda name, content: of_packs.add(f"{name}.npz", content)
    results.mkdir(parents=True, exist_ok=True)
    return lambda name, content: write_whole(results / f"{name}.npz", content)


if __name__ == "__main__":
    main()
