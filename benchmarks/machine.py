"""Where, when and with what a benchmark ran: the line beneath every table."""

import os
import platform
import signal
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import version
from multiprocessing import get_context

from calibrant.fitting import blocks
from calibrant.fitting.blocks import CORES


def workers() -> ProcessPoolExecutor:
    """Processes of one thread each, ours and those of peers, that leave Ctrl-C to their parent."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    return ProcessPoolExecutor(CORES, get_context("spawn"), initializer=_alone)


def _alone() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    blocks.CORES = 1


def stamp(*packages: str) -> str:
    """One line for the foot of a table."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("calibrant", "numpy", *packages))
    today = datetime.now(UTC).date().isoformat()
    return (
        f"{today}, {CORES} cores of {_processor()}, Python {platform.python_version()}, {versions}."
    )


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:  # noqa: PTH123 - a kernel's file, not a path of ours
            return next(
                line.split(":")[1].strip() for line in lines if line.startswith("model name")
            )
    except (OSError, StopIteration):
        return platform.machine()
