"""Put what canonical_gpu.py and overhead.py found on a GPU into docs/benchmarks/gpu.md.

python benchmarks/training/page.py FOLDER, the folder that holds canonical_gpu.json and overhead.json.
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from calibrant.inputs.paths import write_whole

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks" / "gpu.md"
BARS = {("canonical", 10): 3, ("classwise", 10): 3, ("top_label", 10): 3, ("canonical", 100): 5}
PEAK = 67  # TFLOP/s of an H200 in float32, by its data sheet


def canonical(found: dict[str, Any]) -> list[str]:
    """Times and precision of the canonical estimate."""
    speed = [
        f"| {row['n']:,} | {row['k']:,} | {row['forward_s']:.3f} | {row['with_gradients_s']:.3f} "
        f"| {row['forward_tflops']:.0f} | {row['with_gradients_tflops']:.0f} | {row['peak_gib']:.1f} |"
        for row in found["speed"]
    ]
    precision = [
        f"| {row['k']:,} | {row['h']:g} | {row['relative']:.0e} | {row['relative_float32']:.0e} |"
        for row in found["precision"]
    ]
    rates = found["rates"]
    return [
        "## Canonical calibration error",
        "",
        "`calibrant.torch.kernels.canonical_error`, in float64. Seconds of a call, and TFLOP/s of its matrix products; "
        f"plain products of large matrices reach {rates['float32']:.0f} in float32 and {rates['float64']:.0f} in "
        f"float64 here, and the data sheet says {PEAK} for both. At most 3 s forward and 12 s with gradients were "
        "asked of the last line.",
        "",
        "| rows | classes | forward, s | with gradients, s | TFLOP/s | with gradients | memory, GiB |",
        "|---|---|---|---|---|---|---|",
        *speed,
        "",
        "Largest relative difference from all pairs at once in float64 on the processor, beside that of the same in "
        "float32, which is why it is not used.",
        "",
        "| classes | bandwidth | calibrant | float32 |",
        "|---|---|---|---|",
        *precision,
        "",
    ]


def overhead(found: dict[str, Any]) -> list[str]:
    """What a term adds to a step: a line for each setting and term, a column for each batch."""
    rows = {(row["setting"], row["term"], row["k"], row["batch"]): row for row in found["rows"]}
    batches = sorted({batch for *_, batch in rows})
    lines = []
    for setting in dict.fromkeys(setting for setting, *_ in rows):
        for (term, k), bar in BARS.items():
            shown = [rows.get((setting, term, k, batch)) for batch in batches]
            plain = [rows.get((setting, "cross-entropy", k, batch)) for batch in batches]
            cells = [
                f"{100 * row['overhead']:+.1f}% of {base['median_ms']:.1f} ms"
                if row and base
                else ""
                for row, base in zip(shown, plain, strict=True)
            ]
            lines.append("| " + " | ".join([setting, term, str(k), *cells, f"{bar}%"]) + " |")
    return [
        "## What a calibration term adds to a step",
        "",
        "`KDECalibration` beside cross-entropy alone: ResNet-18 on images of 32 by 32, SGD, median of 60 steps in "
        "turns, timed by CUDA events. In a graph the whole step is launched at once, with the term and without, and "
        "only the card's own time is left. Without one, steps in which the processor that launches is slower than the "
        "card take as long as launching does, and the term, of 40 to 80 launches, about 2 ms more: the bars, for "
        "batches of 256 and 512, are met only where the card is the slower of the two. A step without the term, taken "
        "twice, differs by less than .1% in a graph and by up to 4% without.",
        "",
        "| setting | term | classes | "
        + " | ".join(f"batch {batch}" for batch in batches)
        + " | bar |",
        "|" + "---|" * (4 + len(batches)),
        *lines,
        "",
    ]


def main() -> None:
    """Write the page, whole or not at all."""
    folder = Path(sys.argv[1])
    kernels, steps = (
        json.loads((folder / f"{name}.json").read_text()) for name in ("canonical_gpu", "overhead")
    )
    text = [
        "# On a GPU",
        "",
        *canonical(kernels),
        *overhead(steps),
        f"{datetime.now(UTC).date().isoformat()}, {steps['device']}, torch {steps['torch']}.",
        "",
    ]
    write_whole(PAGE, "\n".join(text).encode())


if __name__ == "__main__":
    main()
