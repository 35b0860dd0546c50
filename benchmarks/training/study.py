"""The training study: every run of a queue that has no file yet, on a processor or many at once on a card.

PYTHONPATH=src:benchmarks python -m training.study --size small. Stopped, it goes on where it was; its pages are
written by losses_page.py and causes_page.py. With --packs files go into a few tar files of that folder.
"""

import argparse
import os
import time
from collections.abc import Iterable
from pathlib import Path

# Streams of a card that do not wait for one another.
os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")

import torch

from calibrant.inputs.paths import write_whole

from .card import on_card
from .loop import Training
from .outcomes import DEVICE, Pictures, machine, outcome, written
from .records import RESULTS, Packs, Save, path_of, unpacked
from .runs import Run, Size, queue


def on_processor(runs: Iterable[Run], save: Save, until: float) -> None:
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


def main() -> None:
    """Run what is left of the queue."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", choices=("small", "full", "tiny"), default="small")
    parser.add_argument(
        "--seconds", type=float, default=1e9, help="nothing is begun that would end later"
    )
    parser.add_argument("--packs", type=Path, help="a folder for tar files; else a file a run")
    parser.add_argument("--unpack", type=Path, help="a folder of such tar files to take runs from")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--lanes", type=int, default=24, help="runs at once on a card")
    parser.add_argument("--only", default="", help="runs whose name contains this")
    asked = parser.parse_args()
    if asked.unpack:
        take(asked.unpack, asked.results)
        return
    until = time.monotonic() + asked.seconds
    size: Size = asked.size
    asked_for = [run for run in queue(size) if asked.only in run.name]
    # Looked at again before each run, so that several may work at one queue.
    runs = (run for run in asked_for if not path_of(run, asked.results).exists())
    print(f"{len(asked_for)} runs are asked for, on {machine()}", flush=True)
    save = _saver(asked.packs, asked.results)
    if DEVICE.type == "cuda":
        on_card(list(runs), save, until, asked.lanes)
    else:
        on_processor(runs, save, until)


def take(packs: Path, results: Path) -> None:
    """Write every file of the packs to the results."""
    results.mkdir(parents=True, exist_ok=True)
    for name, content in unpacked(packs):
        write_whole(results / name, content)


def _saver(packs: Path | None, results: Path) -> Save:
    if packs is not None:
        of_packs = Packs(packs)
        return lambda name, content: of_packs.add(f"{name}.npz", content)
    results.mkdir(parents=True, exist_ok=True)
    return lambda name, content: write_whole(results / f"{name}.npz", content)


if __name__ == "__main__":
    main()
