"""Kernel errors by how their bandwidth is chosen, the true error known; writes docs/benchmarks/bandwidths.md."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pages import head, publish
from scipy.special import expit, logsumexp
from studies import gather, is_quick, parts_of

from calibrant import binary, kde_bandwidth, kde_error, samples, top_label
from calibrant.families.binary.kernel import Bandwidth
from calibrant.fitting.bandwidths import BANDWIDTHS
from calibrant.fitting.beta_density import key_table, log_chances

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "bandwidths.md"
Array = NDArray[np.float64]
ROWS, SEEDS = 1000, tuple(range(10))
CHOICES: tuple[Bandwidth, ...] = (None, "outcomes", "rule")
OWN_ROW = "own row"
TITLES = (
    "likelihood, own row left out",
    "likelihood, equal claims left out",
    '"outcomes"',
    '"rule"',
)


def _sample(name: samples.Name) -> Callable[[np.random.Generator], Array]:
    def draw(random: np.random.Generator) -> Array:
        view = top_label(samples.load(name)[1])
        return expit(view.log_odds[random.permutation(view.n)[:ROWS]]).astype(np.float64)

    return draw


CLAIMS: dict[str, Callable[[np.random.Generator], Array]] = {
    "uniform": lambda random: random.random(ROWS),
    "uniform, two digits": lambda random: random.random(ROWS).round(2).clip(0.01, 0.99),
    "piled up at 1": lambda random: random.beta(8, 0.5, ROWS),
    "votes of 100 trees": lambda random: (
        random.binomial(99, random.beta(0.3, 0.3, ROWS)) / 100 + 0.005
    ),
    **{f"{name}, top label": _sample(name) for name in samples.NAMES},
}
# True log odds of the claimed ones.
MAPS: dict[str, Callable[[Array], Array]] = {
    "right": lambda z: z,
    "too extreme": lambda z: 0.6 * z,
    "too high": lambda z: z - 0.7,
}


def own_row_bandwidth(p: Array) -> float:
    """The likeliest bandwidth where a row is left out and its equals are not, by dense sums."""
    odds = np.log(p) - np.log1p(-p)
    queries = log_chances(odds)

    def log_likelihood(h: float) -> float:
        logs = queries @ key_table(odds, h)
        np.fill_diagonal(logs, -np.inf)
        return float(logsumexp(logs, axis=1).sum())

    return float(BANDWIDTHS[np.argmax([log_likelihood(h) for h in BANDWIDTHS])])


def judge(job: tuple[str, int]) -> list[dict[str, Any]]:
    """What kernel errors of each bandwidth say of one draw of claims, under every true map."""
    claims, seed = job
    random = np.random.default_rng(seed)
    p = np.clip(CLAIMS[claims](random), 1e-12, 1 - 1e-12)
    uniform = random.random(ROWS)
    own_row = own_row_bandwidth(p)
    found = []
    for name, true_map in MAPS.items():
        truth = expit(true_map(np.log(p) - np.log1p(-p)))
        view = binary(p, uniform < truth)
        widths = {OWN_ROW: own_row}
        widths |= {str(each): kde_bandwidth(view, bandwidth=each).value for each in CHOICES}
        for choice, h in widths.items():
            found.append(
                {"claims": claims, "map": name, "seed": seed, "choice": choice, "bandwidth": h,
                 "true": float(np.abs(truth - p).mean()), "estimate": kde_error(view, bandwidth=h)}
            )  # fmt: skip
    return found


def table(found: pl.DataFrame, name: str) -> list[str]:
    """A line for each kind of claims: the true error, and estimates with their usual bandwidth."""
    lines = []
    for claims in dict.fromkeys(found["claims"]):
        part = found.filter(claims=claims, map=name)
        cells = [f"{100 * part['true'].to_numpy().mean():.2f}"]
        for choice in (OWN_ROW, *map(str, CHOICES)):
            of_choice = part.filter(choice=choice)
            estimate = 100 * of_choice["estimate"].to_numpy().mean()
            usual = np.median(of_choice["bandwidth"].to_numpy())
            cells.append(f"{estimate:.2f} ({usual:.1g})")
        lines.append(f"| {claims} | " + " | ".join(cells) + " |")
    return [*head("claims", "true error", *TITLES), *lines, ""]


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    jobs = list(product(CLAIMS, SEEDS))
    if quick:
        jobs = [("uniform", 0), ("c100-resnet18, top label", 0)]
    parts = None if quick else parts_of(PAGE)
    found = gather(judge, jobs, "bandwidths", parts)
    lines = [
        "# Bandwidths of kernel errors",
        "",
        f"`kde_error` of {ROWS:,} claims whose true map is known, in points: means of {len(SEEDS)} draws, the median "
        "bandwidth in brackets. The likelihood is that of the claims, each given the others: where only a claim's own "
        "row is left out, its equals make it as probable as one likes by a narrow kernel, so all equal claims are left "
        "out, and the bandwidth is then no wider than the rule of thumb. Where claims crowd without being equal, as a "
        "network's do at 1, the likeliest kernel is narrow all the same, and a mean over few neighbours varies. "
        '"outcomes" takes the bandwidth whose shares of events predict each outcome best from the others; '
        '"rule" is a rule of thumb. No bandwidth wider than 1 is tried, and below '
        "1e-5 only where that one is best.",
        "",
        "Claims that are right:",
        "",
        *table(found, "right"),
        "Claims that are too extreme (true log odds are .6 of those claimed):",
        "",
        *table(found, "too extreme"),
        "Claims that are too high (true log odds are .7 less):",
        "",
        *table(found, "too high"),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy")


if __name__ == "__main__":
    main()
