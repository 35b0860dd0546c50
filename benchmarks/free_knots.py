"""PL_DE beside pwlf, the program behind it, on the same rows; writes docs/benchmarks/free_knots.md."""

import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from pages import head, publish
from pwlf import PiecewiseLinFit
from studies import gather, is_quick, parts_of

from calibrant import PiecewisePolynomial, View
from calibrant.fitting.free_knots import Degree
from calibrant.fitting.types import Array
from calibrant.simulate import Shape, task

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "free_knots.md"
SHAPES: tuple[Shape, ...] = ("square", "beta1", "stairs")
ERROR = 0.08


class Work(NamedTuple):
    """A fit of some segments on one sample."""

    shape: Shape
    n: int
    degree: Degree
    segments: int


PIECES: list[tuple[Degree, int]] = [(1, 2), (1, 3), (1, 5), (2, 2), (2, 3)]
JOBS = [Work(shape, n, *pieces) for shape, n, pieces in product(SHAPES, (1000, 3000), PIECES)]
QUICK = [Work("stairs", 1000, 1, 3)]


def beside_pwlf(work: Work) -> list[dict[str, Any]]:
    """Squared error and processor seconds of both, and of a fit of ours whose folds choose."""
    view, _ = task(work.shape, ERROR).sample(work.n, seed=0)
    family = PiecewisePolynomial(degree=work.degree, segments=work.segments)
    ours, seconds = _timed(lambda: family.fit(view)(view))
    by_folds = None
    if work.segments == 2:
        _, by_folds = _timed(lambda: PiecewisePolynomial(degree=work.degree).fit(view)(view))
    theirs, pwlf_seconds = _timed(lambda: _pwlf(view, work))
    return [
        {
            **work._asdict(),
            "ours": _squared_error(ours, view),
            "pwlf": _squared_error(theirs, view),
            "seconds": seconds,
            "pwlf seconds": pwlf_seconds,
            "by folds": by_folds,
        }
    ]


def _timed(work: Callable[[], Array]) -> tuple[Array, float]:
    """What a fit makes of its own rows, and the seconds of the processor that both took."""
    start = time.process_time()
    q = work()
    return q, time.process_time() - start


def _pwlf(view: View, work: Work) -> Array:
    """What pwlf makes of the claims, with its own settings."""
    p = view.p.astype(np.float64)
    model = PiecewiseLinFit(p, view.y.astype(np.float64), degree=work.degree, seed=0)
    model.fit(work.segments)
    q: Array = model.predict(p)
    return np.clip(q, 0, 1)


def _squared_error(q: Array, view: View) -> float:
    return float(((q - view.y) ** 2).sum())


def _lines(found: pl.DataFrame) -> list[str]:
    lines = []
    for row in found.iter_rows(named=True):
        gap = row["ours"] - row["pwlf"]
        cells = [
            *(str(row[name]) for name in Work._fields),
            f"{row['pwlf']:.3f}",
            f"{row['ours']:.3f}",
            f"{gap:+.3f}",
            f"{row['pwlf seconds']:.2f}",
            f"{row['seconds']:.2f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _in_short(found: pl.DataFrame) -> str:
    """How often either is better, and the times."""
    gap = (found["ours"] - found["pwlf"]).to_numpy()
    ratio = (found["pwlf seconds"] / found["seconds"]).to_numpy()
    by_folds = found["by folds"].drop_nulls().to_numpy()
    return (
        f"Ours is lower in {(gap < -1e-3).sum()} of {len(gap)}, higher in {(gap > 1e-3).sum()} (by "
        f"{max(0.0, gap.max()):.3f} at most), equal within .001 in the others. pwlf takes {np.median(ratio):.1f} times "
        f"as long at the median, {ratio.max():.0f} times at most. Where ten folds choose the segments ours takes "
        f"{by_folds.mean():.2f} s on the mean, {by_folds.max():.2f} s at most; the paper tells of about 30 minutes."
    )


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    jobs, parts = (QUICK, None) if quick else (JOBS, parts_of(PAGE))
    found = gather(beside_pwlf, jobs, "free knots", parts)
    columns = ["shape", "rows", "degree", "segments", "pwlf", "ours", "less", "pwlf, s", "ours, s"]
    lines = [
        "# Free knots beside pwlf",
        "",
        "`PiecewisePolynomial` is PL_DE of Kängsepp et al. 2022, who fit it by pwlf (Jekel and Venter 2019). Here both "
        "are given the same rows of [tasks whose true map is known](synthetic.md), true error "
        f"{ERROR}, seed 0, and so many segments; pwlf has the settings it comes with, and a seed. Squared errors are "
        "summed over rows, chances clipped to 0..1; seconds are of one processor.",
        "",
        _in_short(found),
        "",
        *head(*columns),
        *_lines(found),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", *([] if quick else ["pwlf"]))


if __name__ == "__main__":
    main()
