"""A bar for long work: seen on a terminal, silent elsewhere and where it was quiet."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

_HUSHED = ContextVar("quiet", default=False)


@contextmanager
def progress(what: str, steps: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal, nothing elsewhere; what is given moves it on by a step, from any thread."""
    if _HUSHED.get() or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield partial(bar.advance, bar.add_task(what, total=steps))


@contextmanager
def quiet() -> Iterator[None]:
    """Within it no bar is shown."""
    token = _HUSHED.set(True)
    try:
        yield
    finally:
        _HUSHED.reset(token)
