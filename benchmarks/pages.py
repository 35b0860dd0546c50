"""Pages of studies: tables, what acts cost, and a stamp at the foot."""

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from machine import stamp

from calibrant.inference.closed_form import wilson
from calibrant.inputs.paths import write_whole


def head(*columns: str) -> list[str]:
    """The first two lines of a table."""
    return ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]


def costs(acts: Mapping[str, Callable[[], object]]) -> list[str]:
    """A table of what each act takes, once."""
    lines = head("what", "seconds of a core", "seconds")
    for name, act in acts.items():
        processor, clock = time.process_time(), time.perf_counter()
        act()
        spent = time.process_time() - processor
        lasted = time.perf_counter() - clock
        lines.append(f"| {name} | {spent:.1f} | {lasted:.1f} |")
    return lines


def at_most(share: float, n: int) -> float:
    """The upper end of the 95% interval of a share of n."""
    return wilson(share, n, 0.95)[1]


def publish(page: Path, lines: Iterable[str], parts: Path | None, *packages: str) -> None:
    """Print a page with its stamp and, with `parts`, write it."""
    text = "\n".join(lines).rstrip("\n")
    publish_text(page, f"{text}\n\n{stamp(*packages)}\n", parts)


def publish_text(page: Path, text: str, parts: Path | None) -> None:
    """Print a page and, with `parts`, write it whole; what was kept until then is no longer needed."""
    print(text)
    if parts is not None:
        write_whole(page, text.encode())
        parts.unlink()
