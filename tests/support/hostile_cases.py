"""What a call with hostile arguments may come to, and how a campaign of many counts it."""

import math
import resource
import signal
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import calibrant
from calibrant import Predictions, View

HOME = str(Path(calibrant.__file__).parent)
# Of the processor, so that a busy machine does not count.
MOST_SECONDS = 20.0
HANGS_AFTER = 120
MOST_MEMORY = 6 * 2**30
REFUSALS = (ValueError, ImportError)
Case = Callable[[], object]


class HangError(Exception):
    """A call that does not return."""


@dataclass
class Tally:
    """How many cases came to what, and the first of each kind that the contract does not allow."""

    counts: Counter[str] = field(default_factory=Counter)
    outside: dict[str, str] = field(default_factory=dict)

    def put(self, name: str, case: Case) -> None:
        """Run a case and count what it came to."""
        start = process_time()
        try:
            with guarded():
                found = case()
            kind, told = ("result", "") if is_sound(found) else ("nan", "a result with nan")
        except REFUSALS as error:
            told = _fault_of(error)
            kind = type(error).__name__ if told else "refused"
        except BaseException as error:  # a panic is no Exception
            if isinstance(error, KeyboardInterrupt):
                raise
            kind = type(error).__name__
            told = "".join(traceback.format_exception(error, limit=-3))
        if process_time() - start > MOST_SECONDS:
            kind, told = "slow", f"{process_time() - start:.0f} s"
        self.counts[kind] += 1
        if told:
            self.outside.setdefault(f"{kind} {_place(told)}", f"{name}\n{told}")

    def told(self) -> str:
        """Counts by outcome, then what is outside the contract."""
        lines = [f"{number:>9,} {kind}" for kind, number in self.counts.most_common()]
        return "\n".join([f"{self.counts.total():>9,} cases", *lines, *self.outside.values()])


@contextmanager
def guarded() -> Iterator[None]:
    """Within it a warning is an error, and what does not return is ended."""
    before = signal.signal(signal.SIGALRM, _ended)
    signal.alarm(HANGS_AFTER)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def bound_memory() -> None:
    """Make what takes too much memory a MemoryError, for the whole process."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def is_sound(thing: Any, depth: int = 4) -> bool:  # noqa: ANN401 - what calls return
    """Whether no number within a result is nan."""
    if isinstance(thing, np.ndarray):
        return thing.dtype.kind != "f" or not bool(np.isnan(thing).any())
    if isinstance(thing, float):
        return not math.isnan(thing)
    return depth == 0 or all(is_sound(each, depth - 1) for each in _within(thing))


def _within(thing: Any) -> Iterable[object]:  # noqa: ANN401 - what calls return
    if isinstance(thing, Predictions):
        return [thing.probs, thing.scores]
    if isinstance(thing, View):
        return [thing.p, thing.log_odds]
    if is_dataclass(thing):
        return [getattr(thing, each.name) for each in fields(thing)]
    if isinstance(thing, Mapping):
        return thing.values()
    return thing if isinstance(thing, list | tuple) else ()


def _fault_of(error: BaseException) -> str:
    """What is wrong with a refusal: it must be meant, in one line, and come of our own check."""
    is_ours = type(error) is ValueError or type(error).__module__.startswith("calibrant")
    last = traceback.extract_tb(error.__traceback__)[-1]
    is_raised_here = last.filename.startswith(HOME) and "raise" in (last.line or "")
    is_an_absence = isinstance(error, ImportError)
    if last.name == "_run":
        return ""  # printed by a command, and judged there
    if (is_ours and is_raised_here and len(str(error)) > 20) or is_an_absence:
        return ""
    return "".join(traceback.format_exception(error, limit=-3))


def _place(told: str) -> str:
    """The last line of our own in a traceback, by which like faults are told once."""
    lines = [line for line in told.splitlines() if line.lstrip().startswith("File")]
    return lines[-1].strip() if lines else told


def _ended(*_: object) -> None:
    raise HangError(f"no answer within {HANGS_AFTER} s")
