"""Every family of whole vectors on 25,000 rows of 1000 classes: time and peak memory; writes a page of docs.

Each runs in a process of its own, so that its memory is its own; `python many_classes.py NAME` runs one.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from inputs import multiclass_logits
from machine import stamp
from rich.progress import track

import calibrant as c
from calibrant.inputs.paths import write_whole
from calibrant.reporting.description import describe

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "many_classes.md"
# What was found so far: begun again, the study goes on from there.
PARTS = Path(__file__).parent / ".many_classes.json"
N, K = 25_000, 1000
FAMILIES: dict[str, c.Family] = {
    repr(family): family
    for family in (
        c.Temperature(),
        c.EnsembleTemperature(),
        c.VectorScaling(),
        c.StructuredMatrix(),
        c.OrderPreserving(kind="diagonal"),
        c.OrderPreserving(),
        c.OrderPreserving(kind="preserving"),
        c.Ranked(c.Smooth()),
        c.OneVsRest(c.Isotonic()),
        c.OneVsRest(c.Beta()),
        c.OneVsRest(c.Smooth()),
        c.Blend((c.Temperature(), c.VectorScaling())),
        c.Dirichlet(l2=1e-6),
        c.Dirichlet(),
        c.MatrixScaling(off_diagonal="cv", intercept="cv"),
        c.Dirichlet(off_diagonal=1.0, intercept=1.0),
        c.MatrixScaling(off_diagonal=1.0, intercept=1.0),
        c.MatrixScaling(),
    )
}


def one(name: str) -> dict[str, object]:
    """Fit one family; what it took and what it says of itself."""
    logits, labels = multiclass_logits(N, K)
    pred = c.from_logits(logits, labels)
    start = time.perf_counter()
    fitted = FAMILIES[name].fit(pred)
    seconds = time.perf_counter() - start
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"seconds": seconds, "gigabytes": gigabytes, "nll": c.nll(fitted.apply(pred)),
            "caution": describe(fitted).caution or ""}  # fmt: skip


def main() -> None:
    """Run all and write the page, whole or not at all."""
    if len(sys.argv) > 1:
        print(json.dumps(one(sys.argv[1])))
        return
    kept = {} if not PARTS.exists() else json.loads(PARTS.read_text())
    for name in track(FAMILIES, f"{N:,} x {K}"):
        if name not in kept:
            told = subprocess.run(
                [sys.executable, __file__, name], capture_output=True, check=True, text=True
            ).stdout
            kept[name] = json.loads(told.splitlines()[-1])
            write_whole(PARTS, json.dumps(kept).encode())
            write_whole(PAGE, page(kept).encode())
            print(name, kept[name], flush=True)
    PARTS.unlink()


def page(kept: dict[str, dict[str, Any]]) -> str:
    """What was found so far, as a page."""
    lines = [
        f"| {name} | {found['seconds']:.1f} | {found['gigabytes']:.2f} | {found['nll']:.4f} | {found['caution']} |"
        for name, found in kept.items()
    ]
    missing = [name for name in FAMILIES if name not in kept]
    return "\n".join([
        "# A thousand classes",
        "",
        f"{N:,} rows of {K} classes, float32 logits (100 MB). Memory is that of the whole process, at most 4 GB.",
        "",
        "| family | fit, s | peak memory, GB | NLL on its rows | what it says |",
        "|---|---|---|---|---|",
        *lines,
        "",
        *([f"Not run yet: {', '.join(missing)}.", ""] if missing else []),
        stamp("scipy"),
        "",
    ])  # fmt: skip


if __name__ == "__main__":
    main()
