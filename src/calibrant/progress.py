"""A bar for long work: seen on a terminal, silent elsewhere and where it is to be quiet."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

_IS_QUIET = ContextVar("is_quiet", default=False)


@contextmanager
def progress(what: str, steps: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal, nothing elsewhere; what is given advances it a step, from any thread."""
    if _IS_QUIET.get() or not sys.stderr.isatty():
        yield _nothing
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield partial(bar.advance, bar.add_task(what, total=steps))


@contextmanager
def row_progress(what: str, rows: int) -> Iterator[Callable[[int], None]]:
    """The same for so many rows: what is given advances the bar by some, which tells how fast."""
    if _IS_QUIET.get() or not sys.stderr.isatty():
        yield _no_rows
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    words = "{task.completed:,.0f} rows, {task.fields[rate]}"
    columns = [TextColumn(what), BarColumn(), TextColumn(words), TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=rows, rate="")

        def advance(count: int) -> None:
            bar.advance(task, count)
            speed = bar.tasks[0].speed
            if speed:
                bar.update(task, rate=f"{speed:,.0f} rows/s")

        yield advance


@contextmanager
def quiet() -> Iterator[None]:
    """Within it no bar is shown."""
    token = _IS_QUIET.set(True)
    try:
        yield
    finally:
        _IS_QUIET.reset(token)


def _nothing() -> None:
    """A step where no bar is shown."""


def _no_rows(rows: int) -> None:
    """Rows where no bar is shown."""
