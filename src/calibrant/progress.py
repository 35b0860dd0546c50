"""A bar for long work: seen on a terminal, silent elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial


@contextmanager
def ticking(what: str, steps: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal, nothing elsewhere; what is given moves it on by a step, from any thread."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield partial(bar.advance, bar.add_task(what, total=steps))
