"""Speed of fitting families of one chance, beside the fastest peer; writes docs/benchmarks/one_chance_speed.md.

It needs the peers of speed.py, and probcal and venn-abers.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from contests import Contest, compete, timed
from inputs import binary_chances
from machine import stamp
from numpy.typing import NDArray
from probcal.bayesian import BBQCalibrator
from probcal.metrics import smooth_ece
from probcal.parametric import BetaCalibrator
from probcal.spline import SplineCalibrator
from rich.progress import track
from scipy.special import expit, logit
from venn_abers import VennAbers

import calibrant as c
from calibrant.inputs.paths import write_whole

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "one_chance_speed.md"
Chances = NDArray[np.float64]


def _off(q: NDArray[Any], p: Chances) -> str:
    return f"{np.abs(q - expit((logit(p) - 0.4) / 1.7)).mean():.4f}"


def contest(
    name: str,
    n: int,
    family: c.Family,
    make: Callable[[], Any],
    peer: str,
    bar: float,
    rounds: int = 9,
) -> Contest:
    p, y = binary_chances(n)
    return Contest(
        f"{name}, {n:,} rows",
        peer,
        lambda: family.fit(c.binary(p, y)),
        lambda: make().fit(p, y),
        bar,
        lambda ours, theirs: (
            f"off the truth by {_off(ours(p), p)}, peer by {_off(theirs.predict_proba(p), p)}"
        ),
        rounds,
    )


def venn_abers() -> Contest:
    p, y = binary_chances(10**5)
    pairs = np.stack([1 - p, p], axis=1)
    return Contest(
        "Venn-Abers, 100,000 rows",
        "venn-abers",
        lambda: c.VennAbers().fit(c.binary(p, y)),
        lambda: VennAbers().fit(pairs, y),
        0.5,
        lambda ours, theirs: (
            f"off the truth by {_off(ours(p), p)}, peer by {_off(theirs.predict_proba(pairs)[0][:, 1], p)}"
        ),
        rounds=5,
    )


def smooth_error() -> Contest:
    """Smooth ECE of a million rows."""
    p, y = binary_chances(10**6)
    return Contest(
        "smooth ECE, automatic width, 1,000,000 rows",
        "probcal",
        lambda: c.smece(c.binary(p, y)),
        lambda: smooth_ece(y, p),
        1.0,
        lambda ours, theirs: f"{ours:.4f}, peer {theirs:.4f}, which blurs log odds",
    )


CONTESTS: list[Callable[[], Contest]] = [
    lambda: contest("BBQ", 50_000, c.BBQ(), BBQCalibrator, "probcal", 0.7),
    lambda: contest("Beta", 10**5, c.Beta(), BetaCalibrator, "probcal", 0.8),
    lambda: contest("Spline", 10**5, c.Spline(), SplineCalibrator, "probcal", 0.03, rounds=2),
    lambda: contest("Smooth", 10**5, c.Smooth(), SplineCalibrator, "probcal", 0.03, rounds=2),
    venn_abers,
    smooth_error,
]


def alone(n: int, bar: str, rounds: int) -> str:
    """One row of the table of our own times."""
    p, y = binary_chances(n)
    c.Smooth().fit(c.binary(p, y))
    times = [timed(lambda: c.Smooth().fit(c.binary(p, y)))[0] for _ in range(rounds)]
    off = _off(c.Smooth().fit(c.binary(p, y))(p), p)
    return (
        f"| Smooth, {n:,} rows | {1e3 * np.median(times):.1f} ms | {bar} | off the truth by {off} |"
    )


OWN: list[Callable[[], str]] = [
    lambda: alone(10**4, "60 ms", 25),
    lambda: alone(10**6, "500 ms", 9),
]


def main() -> None:
    """Run every contest and write the page."""
    rows = [compete(make()) for make in track(CONTESTS, "contests")]
    own = [make() for make in track(OWN, "our own")]
    page = [
        "# Speed of fitting one chance",
        "",
        "Rows in random order, checks included; a ratio is the median over rounds that time both in turn. The spline "
        "of probcal is one of log odds, its penalty set by cross-validation: in kind it is our Smooth, by name our "
        "Spline.",
        "",
        "| work | calibrant | peer | ratio | bar | found |\n|---|---|---|---|---|---|",
        *rows,
        "",
        "| work | calibrant | bar | found |\n|---|---|---|---|",
        *own,
        "",
        stamp("scipy", "probcal", "venn-abers"),
        "",
    ]
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    write_whole(PAGE, "\n".join(page).encode())
    print("\n".join(page))


if __name__ == "__main__":
    main()
