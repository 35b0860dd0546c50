"""What a report is filed with: which files, columns and command it comes of."""

import shlex
from collections import Counter
from contextvars import ContextVar
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..inputs.contents import Contents
    from ..reporting.evidence import Origin
    from .inputs import InputOptions

# What was asked of the command, as it was written.
ARGUMENTS: ContextVar[tuple[str, ...]] = ContextVar("arguments", default=())


def command_line() -> str:
    """The command that runs, as a shell takes it."""
    return shlex.join(["calibrant", *ARGUMENTS.get()])


def origin_of(
    source: "Contents", inputs: "InputOptions", paths: "Sequence[Path]", fit_on: str | None = None
) -> "Origin":
    """Where the rows of a report come from, those to fit on too."""
    from ..reporting.evidence import Origin, source_files

    files = tuple(file for path in paths for file in source_files(path, "reported on"))
    if fit_on is not None and inputs.is_path(fit_on):
        files += source_files(Path(fit_on), "fitted on")
    return Origin(
        files=files,
        columns=tuple(source.used),
        skipped=source.skipped,
        lacking=tuple(source.lacking.items()),
        command=command_line(),
        path=str(paths[0]),
        fit_on=fit_on,
        reading=_reading(inputs),
    )


def origin_of_sample(path: Path, fit_on: str) -> "Origin":
    """Where the rows of a sample that comes with the package come from."""
    from ..reporting.evidence import Origin, source_files

    files = source_files(path, "reported on")
    return Origin(files=files, command=command_line(), path=str(path), fit_on=fit_on)


def origin_of_many(sources: "Sequence[Contents]", paths: "Sequence[Path]") -> "Origin":
    """Where the rows of several models come from."""
    from ..reporting.evidence import Origin, source_files

    lacking: Counter[str] = Counter()
    for source in sources:
        lacking.update(source.lacking)
    return Origin(
        files=tuple(file for path in paths for file in source_files(path, "compared")),
        columns=tuple(dict.fromkeys(name for source in sources for name in source.used)),
        skipped=lacking.total(),
        lacking=tuple(lacking.items()),
        command=command_line(),
    )


def _reading(inputs: "InputOptions") -> str:
    """The options that say which columns are what, as they were given."""
    given = asdict(inputs)
    del given["split"], given["skip_missing"], given["max_gb"]
    words = []
    for name, value in given.items():
        words += [] if value is None else [f"--{name}", value]
    return shlex.join(words)
