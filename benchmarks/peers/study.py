"""Peers side by side: builds their environments, runs every task in one run and writes docs/benchmarks/peers.md.

`make peers`; `--only NAME,NAME` runs some tasks or cases again. What was found is kept, so that a run that was broken
off goes on.
"""

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from machine import stamp
from rich.progress import track

from calibrant.inputs.paths import write_whole

from .data import DATA
from .environments import FILES, build, version_of
from .features import features
from .match import Library, Side, play
from .page import OURS, page
from .tasks import TASKS
from .wrong import CASES, tried

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks" / "peers.md"
KEPT = Path(__file__).parents[1] / ".peers.json"
Found = dict[str, Any]
Work = Callable[[str, list[Library], Path], Found]


def main() -> None:
    """Build, run what is missing, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="tasks and cases to run again, by commas")
    again = parser.parse_args().only.split(",")
    names = [OURS, *sorted({path.stem for path in FILES.glob("*.txt")} - {OURS})]
    refused = build(names)
    found = _kept(is_whole=again == [""])
    libraries = [Library(name) for name in names if name not in refused]
    refused |= {library.name: library.failed for library in libraries if library.failed}
    libraries = [library for library in libraries if not library.failed]
    _fill(found, "tasks", list(TASKS), again, measured, libraries)
    _fill(found, "cases", list(CASES), again, tried, libraries)
    found["features"] = features(libraries)
    found["versions"] = {library.name: version_of(library.name) for library in libraries}
    found["refused"] = refused
    found["stamp"] = stamp("scipy")
    write_whole(KEPT, json.dumps(found).encode())
    write_whole(PAGE, page(found).encode())
    for library in libraries:
        library.end()


def _kept(*, is_whole: bool) -> Found:
    """What was found before; nothing, if all was and all is asked for again."""
    found: Found = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if not found or (is_whole and "stamp" in found):
        return {"tasks": {}, "cases": {}}
    return found


def _fill(
    found: Found,
    kind: str,
    names: list[str],
    again: list[str],
    work: Work,
    libraries: list[Library],
) -> None:
    with TemporaryDirectory() as folder:
        for name in track(names, kind):
            if name in again or name not in found[kind]:
                found[kind][name] = work(name, libraries, Path(folder) / "data.npz")
                write_whole(KEPT, json.dumps(found).encode())


def measured(name: str, libraries: list[Library], path: Path) -> Found:
    """Times, memory and errors of one task, and how busy the machine was before it."""
    task = TASKS[name]
    data = DATA[task.data]()
    np.savez(path, **vars(data))
    judge = task.judge(data)
    load = os.getloadavg()[0]
    sides = play(libraries, name, path)
    return {"load": load, "sides": {side.library.name: _told(side, judge) for side in sides}}


def _told(side: Side, judge: Callable[[Any], float]) -> Found:
    if side.failed:
        return {"failed": side.failed}
    return {
        "processor": side.processor,
        "clock": side.clock,
        "error": judge(side.answer),
        "megabytes": side.megabytes,
    }


if __name__ == "__main__":
    main()
