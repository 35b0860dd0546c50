"""One library in a process and an environment of its own: `python -m peers.worker LIBRARY`.

It reads orders line by line and answers each with a line of JSON; see ORDERS. It imports nothing but numpy and the
library asked.
"""

import ctypes
import gc
import inspect
import json
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from .calls.call import Call

SECONDS = 300
Told = dict[str, Any]


class Side:
    """The work of one library on one file at a time."""

    def __init__(self, library: str) -> None:
        self.calls: dict[str, Call] = import_module(f"peers.calls.{library}").CALLS
        self.call = Call(lambda _: None)
        self.given: Any = None
        self.result: Any = None

    def tasks(self) -> Told:
        """What it has a call for."""
        return {"tasks": list(self.calls)}

    def has(self, *names: str) -> Told:
        """Which names are there."""
        return {"there": [_is_there(name) for name in names]}

    def begin(self, task: str, path: str) -> Told:
        """Read the data of a task and bring them into the library's form."""
        self.given = self.result = None
        with np.load(path) as arrays:
            data = SimpleNamespace(**{name: arrays[name] for name in arrays.files})
        self.call = self.calls[task]
        self.given = self.call.prepare(data)
        return {}

    def time(self) -> Told:
        """Seconds of the processor, all threads added up, and of the clock."""
        self.result = None
        gc.collect()
        clock, processor = time.perf_counter(), time.process_time()
        self.result = self.call.work(self.given)
        return {
            "processor": time.process_time() - processor,
            "clock": time.perf_counter() - clock,
        }

    def memory(self) -> Told:
        """Bytes at the peak of the work beyond those held before it."""
        self.result = None
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
        before = _kilobytes("VmRSS")
        self.call.work(self.given)
        return {"bytes": 1024 * (_kilobytes("VmHWM") - before)}

    def answer(self, path: str) -> Told:
        """The numbers found, in a file."""
        np.save(path, np.asarray(self.call.answer(self.result, self.given)))
        return {}


ORDERS: dict[str, Callable[..., Told]] = {
    "tasks": Side.tasks,
    "has": Side.has,
    "begin": Side.begin,
    "time": Side.time,
    "memory": Side.memory,
    "answer": Side.answer,
}


def _is_there(name: str) -> bool:
    """Whether an object is there, `package.module:name.name`, and takes an argument, `...(argument)`."""
    path, _, argument = name.rstrip(")").partition("(")
    module, _, names = path.partition(":")
    try:
        found: Any = import_module(module)
        for part in names.split("."):
            found = getattr(found, part)
        return not argument or argument in inspect.signature(found).parameters
    except (ImportError, AttributeError):
        return False


def _kilobytes(key: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))


def _too_long(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


def _obeyed(side: Side, order: str, *words: str) -> Told:
    signal.alarm(SECONDS)
    try:
        return ORDERS[order](side, *words)
    except Exception as error:  # whatever a library raises is what the page says of it
        return {"failed": f"{type(error).__name__}: {str(error).strip()[:200]}"}
    finally:
        signal.alarm(0)


def main() -> None:
    """Obey until the input ends; what libraries print goes to the errors."""
    told = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _too_long)
    side = Side(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(_obeyed(side, *line.split())), file=told)


if __name__ == "__main__":
    main()
