"""`select` beside its best candidate with hindsight, where chances are known; writes docs/benchmarks/choice.md.

The constructions are those of constructions.py. How `select` weighs families was settled on those of known_vectors.py.
"""

from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from arena import NONE, PEERS, SELECT, mended
from constructions import CONSTRUCTIONS, draw
from known_truth import LEAST, TEST_ROWS, TEST_SEED, divergence, lost
from pages import head, publish
from studies import gather, is_quick, parts_of

import calibrant as c
from calibrant.families.defaults import selection_candidates

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "choice.md"
WITHIN = "the first within noise"
MOST_TEST_ROWS = 20_000


class Job(NamedTuple):
    """A sample of a construction."""

    seed: int
    n: int
    k: int
    name: str


SIZES = (200, 1000, 5000)
JOBS = [
    *(Job(*job) for job in product(range(100, 108), SIZES[:2], (2, 3, 10), CONSTRUCTIONS)),
    *(Job(*job) for job in product((100,), SIZES[2:], (2, 3, 10), CONSTRUCTIONS)),
    *(Job(100, 1000, 50, name) for name in CONSTRUCTIONS),
]
QUICK = [Job(100, 200, 3, "class factors")]


def judge(job: Job) -> list[dict[str, Any]]:
    """KL divergence from the truth to what each contender makes of fresh rows."""
    pred = draw(job.name, job.k, job.n, job.seed).pred
    test = draw(job.name, job.k, min(TEST_ROWS[job.k], MOST_TEST_ROWS), TEST_SEED)
    missed = lost(job.name, job.k)
    candidates = selection_candidates(pred)
    contenders: list[c.Family | str] = [*candidates, WITHIN, SELECT, *PEERS]
    found = []
    for each in contenders:
        logs = _mended(each, candidates, pred, test.pred).log_probs
        kl = divergence(test.truth, logs) - missed
        row = each if isinstance(each, str) else NONE if each == c.Identity() else repr(each)
        found.append({**job._asdict(), "row": row, "own": not isinstance(each, str), "kl": kl})
    return found


def _mended(
    each: c.Family | str, candidates: tuple[c.Family, ...], pred: c.Predictions, test: c.Predictions
) -> c.Predictions:
    if isinstance(each, c.Family):
        return each.fit(pred).apply(test)
    if each == WITHIN:
        return c.select(pred, list(candidates)).apply(test)
    return mended(each, pred, test)


def table(found: pl.DataFrame) -> list[str]:
    """A line a contender: how far from the best with hindsight, and how often it harms."""
    keys = ["name", "k", "n"]
    means = found.filter("own").group_by(*keys, "row").agg(pl.col("kl").mean())
    best = means.group_by(*keys).agg(best=pl.col("kl").min())
    as_given = found.filter(row=NONE).select(*keys, "seed", given="kl")
    joined = found.join(best, keys).join(as_given, [*keys, "seed"])
    lines = []
    for row in (SELECT, WITHIN, *PEERS, *joined.filter("own")["row"].unique(maintain_order=True)):
        part = joined.filter(row=row)
        kl, least = (np.maximum(part[name].to_numpy(), LEAST) for name in ("kl", "best"))
        ratio = kl / least
        harmed = int((part["kl"] > pl.Series(part["given"]) + LEAST).sum())
        cells = (
            f"{ratio.mean():.2f} ± {ratio.std() / np.sqrt(len(ratio)):.2f}",
            f"{np.median(ratio):.2f}",
            f"{np.quantile(ratio, 0.95):.1f}",
            f"{_mean(part, 'kl') / _mean(part, 'best'):.2f}",
            f"{harmed} of {len(part)}",
        )
        lines.append(f"| {row} | {' | '.join(cells)} |")
    columns = ("mean of ratios", "median", "95% below", "ratio of means", "further than as given")
    return [*head("", *columns), *lines, ""]


def _mean(rows: pl.DataFrame, column: str) -> float:
    return float(rows[column].to_numpy().mean())


def by_set(found: pl.DataFrame) -> list[str]:
    """A line a construction and k, n = 1,000: mean KL x 1000."""
    lines = []
    for name, k in product(CONSTRUCTIONS, (2, 3, 10, 50)):
        part = found.filter(name=name, k=k, n=1000).group_by("row", "own").agg(pl.col("kl").mean())
        kl = dict(part.select("row", "kl").iter_rows())
        best = min(part.filter("own").iter_rows(), key=lambda row: row[-1])
        cells = [f"{1000 * kl[row]:.1f}" for row in (NONE, SELECT, WITHIN, *PEERS)]
        lines.append(f"| {name} | {k} | {' | '.join(cells)} | {1000 * best[-1]:.1f}, {best[0]} |")
    return [*head("", "k", NONE, SELECT, WITHIN, *PEERS, "the best, and which"), *lines, ""]


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    parts = None if quick else parts_of(PAGE)
    found = gather(judge, QUICK if quick else JOBS, "choices", parts)
    lines = [
        "# Choosing where the truth is known",
        "",
        "`select` beside each of its own candidates, on the constructions of [known truths](known_truth.md): the mean "
        "KL divergence from the true chances to those a map gives to fresh rows, as a ratio to the candidate that is "
        f"best with hindsight for the construction, k and n. KL below {LEAST:g} counts as that, and is "
        f"no harm. \"{WITHIN}\" is what `select` does with families that are named: the first whose held-out score "
        "lies within one standard error of the best. Eight samples of each construction with k = 2, 3, 10 and "
        "n = 200 and 1,000, one with n = 5,000, and one with k = 50 and n = 1,000. How families "
        "are weighed was settled on other constructions (benchmarks/known_vectors.py).",
        "",
        "## All of them",
        "",
        *table(found),
        *(
            line
            for n in SIZES
            if len(rows := found.filter(n=n))
            for line in (f"## n = {n:,}", "", *table(rows))
        ),
        *([] if quick else ["## By construction, n = 1,000: KL x 1000", "", *by_set(found)]),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "scikit-learn", *([] if quick else ["probmetrics"]))


if __name__ == "__main__":
    main()
