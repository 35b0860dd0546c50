"""Long studies on all cores, that go on where they were interrupted."""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import polars as pl
from machine import workers
from rich.progress import track

Job = TypeVar("Job")
Records = list[dict[str, Any]]


def is_quick(about: str | None) -> bool:
    """Whether the command line asks for a tiny part, printed and not kept; `about` is the study's own docstring."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument(
        "--quick", action="store_true", help="a tiny part of it, printed and not kept"
    )
    return bool(parser.parse_args().quick)


def parts_of(page: Path) -> Path:
    """Where a study keeps what it found until its page is written: a line for each job."""
    return Path(__file__).parent / f".{page.stem}.json"


def gather(
    work: Callable[[Job], Records], jobs: Sequence[Job], title: str, parts: Path | None
) -> pl.DataFrame:
    """What is found for each job, in their order; with `parts`, nothing that was found before is done again."""
    kept: dict[str, Records] = {}
    if parts is not None and parts.exists():
        kept = dict(json.loads(line) for line in parts.read_text().splitlines())
    left = [job for job in jobs if repr(job) not in kept]
    pool = workers()
    try:
        for job, found in track(zip(left, pool.map(work, left), strict=True), title, len(left)):
            kept[repr(job)] = found
            if parts is not None:
                with parts.open("a") as file:
                    file.write(
                        json.dumps([repr(job), found], default=lambda number: number.item()) + "\n"
                    )
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return pl.DataFrame(
        [record for job in jobs for record in kept[repr(job)]], infer_schema_length=None
    )
