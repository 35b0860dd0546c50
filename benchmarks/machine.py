"""Where, when and with what a benchmark ran: the line beneath every table."""

import platform
from datetime import UTC, datetime
from importlib.metadata import version

from calibrant.fitting.blocks import CORES


def stamp(*packages: str) -> str:
    """One line for the foot of a table."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("calibrant", "numpy", *packages))
    today = datetime.now(UTC).date().isoformat()
    return f"{today}, {CORES} cores of {_processor()}, Python {platform.python_version()}, {versions}."


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:  # noqa: PTH123 - a kernel's file, not a path of ours
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()
