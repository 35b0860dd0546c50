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
def quiet() -> Iterator[None]:
    """Within it no bar is shown."""
    token = _IS_QUIET.set(True)
    try:
        yield
    finally:
        _IS_QUIET.reset(token)


def _nothing() -> None:
    """A step where no bar is shown."""
