"""Maps by group against one map and separate maps, and the search for a segment; writes docs/benchmarks/groups.md."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from monitoring import CLAIMS
from numpy.random import Generator
from numpy.typing import NDArray
from pages import at_most, costs, head, publish
from scipy.special import expit
from studies import gather, is_quick, parts_of

from calibrant import Platt, Smooth, binary
from calibrant.families.family import Family
from calibrant.groups import ByGroup, worst_segment

Array = NDArray[np.floating[Any]]
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "groups.md"
GROUPS, RUNS, TEST = 20, 2, 4000
SIZES: dict[str, NDArray[np.int64]] = {
    f"{size:,}": np.full(GROUPS, size) for size in (50, 500, 5000)
}
SIZES["50 to 5,000"] = np.geomspace(50, 5000, GROUPS).astype(int)
FAMILIES: dict[str, Family] = {"Smooth": Smooth(), "Platt": Platt()}
COLUMNS, LEVEL_RUNS, PER_JOB, DRAWS, LEVEL = 20, 120, 30, 99, 0.05


def _alike(_: Generator) -> tuple[Array, Array]:
    return np.full(GROUPS, 0.7), np.full(GROUPS, -0.3)


def _a_little(random: Generator) -> tuple[Array, Array]:
    return np.full(GROUPS, 0.7), random.normal(0, 0.2, GROUPS)


def _slopes(random: Generator) -> tuple[Array, Array]:
    return np.exp(random.normal(-0.3, 0.3, GROUPS)), np.zeros(GROUPS)


def _one_differs(_: Generator) -> tuple[Array, Array]:
    return np.full(GROUPS, 0.7), np.where(np.arange(GROUPS) == GROUPS // 2, 1.0, -0.3)


def _far_apart(random: Generator) -> tuple[Array, Array]:
    return np.exp(random.normal(-0.3, 0.5, GROUPS)), random.normal(0, 1, GROUPS)


# True log odds are slope x claimed + shift, of each group its own.
TASKS: dict[str, Callable[[Generator], tuple[Array, Array]]] = {
    "all alike": _alike,
    "shifts differ a little": _a_little,
    "slopes differ": _slopes,
    "one of 20 differs": _one_differs,
    "far apart": _far_apart,
}


def compare(job: tuple[str, str, str, int]) -> list[dict[str, Any]]:
    """The log loss of one map, of separate ones, and by group, above that of the truth."""
    task, sizes, name, seed = job
    random = np.random.default_rng(seed)
    slope, shift = TASKS[task](random)
    group = np.repeat(np.arange(GROUPS), SIZES[sizes])
    z = random.normal(0, 2, len(group))
    y = random.random(len(group)) < expit(slope[group] * z + shift[group])
    view = binary(expit(z), y)
    family = FAMILIES[name]
    by_group = ByGroup(family).fit(view, group)
    common = by_group.common
    found = {"one": 0.0, "separate": 0.0, "by group": 0.0}
    for each in range(GROUPS):
        at = random.normal(0, 2, TEST)
        truth = expit(slope[each] * at + shift[each])
        p = expit(at)
        own = family.fit(view[np.flatnonzero(group == each)])
        maps = {"one": common, "separate": own, "by group": by_group.of(each)}
        for kind, fitted in maps.items():
            found[kind] += _excess(truth, fitted(p)) / GROUPS
    return [{"kind": "maps", "task": task, "sizes": sizes, "family": name, **found}]


def _excess(truth: Array, q: Array) -> float:
    """The mean log loss above that of the truth; chances are clipped as log_loss does."""
    q = np.clip(q, 1e-7, 1 - 1e-7)
    loss = truth * np.log(truth / q) + (1 - truth) * np.log((1 - truth) / (1 - q))
    return float(loss.mean())


def search(job: tuple[str, int, float, int]) -> list[dict[str, Any]]:
    """Searches of 20 columns, of which in one segment log odds are off by `shift`."""
    claims, n, shift, first = job
    found = []
    for seed in range(first, first + PER_JOB):
        random = np.random.default_rng(seed)
        p = CLAIMS[claims](random, n)
        columns: dict[str, NDArray[Any]] = {}
        for place in range(COLUMNS):
            is_named = place % 2 == 0
            columns[f"c{place}"] = random.integers(0, 8, n) if is_named else random.normal(size=n)
        z = np.log(p / (1 - p)) + shift * (columns["c0"] == 3)
        segment = worst_segment(binary(p, random.random(n) < expit(z)), columns, n_draws=DRAWS)
        found.append({
            "kind": "search",
            "claims": claims,
            "n": n,
            "shift": shift,
            "rejects": segment.p_value <= LEVEL,
            "is_right": segment.name == "c0 = 3",
        })  # fmt: skip
    return found


def maps_table(found: pl.DataFrame) -> list[str]:
    """Excess log loss by task, family and size, and how far by group is above the better of both."""
    columns = ("groups", "family", "rows a group", "one map", "separate", "by group")
    lines = head(*columns, "above the better")
    keys = ["task", "family", "sizes"]
    for (task, family, sizes), part in found.group_by(keys, maintain_order=True):
        one, separate, both = (part[name].to_numpy() for name in ("one", "separate", "by group"))
        better = min(one.mean(), separate.mean())
        lines.append(
            f"| {task} | {family} | {sizes} | {one.mean():.4f} | {separate.mean():.4f} "
            f"| {both.mean():.4f} | {both.mean() - better:+.4f} |"
        )
    return lines


def search_table(found: pl.DataFrame) -> list[str]:
    """How often the search rejects, and how often it names the right segment."""
    columns = ("claims", "rows", "off by", "searches", "rejects", "at most")
    lines = head(*columns, "the right segment")
    for (claims, n, shift), part in found.group_by("claims", "n", "shift", maintain_order=True):
        share, runs = float(part["rejects"].to_numpy().mean()), len(part)
        right = (part["rejects"] & part["is_right"]).to_numpy().mean()
        named = f"{100 * right:.1f}%" if shift else "there is none"
        lines.append(
            f"| {claims} | {n:,} | {shift:g} | {runs:,} | {100 * share:.1f}% "
            f"| {100 * at_most(share, runs):.1f}% | {named} |"
        )
    return lines


def cost_table(n: int) -> list[str]:
    """Seconds for as many rows, of one process."""
    random = np.random.default_rng(0)
    p, group = expit(random.normal(0, 2, n)), random.integers(0, GROUPS, n)
    y = random.random(n) < p
    columns = {f"c{place}": random.integers(0, 8, n) for place in range(COLUMNS)}
    fitted = ByGroup(Smooth()).fit(binary(p, y), group)
    acts: dict[str, Callable[[], object]] = {
        f"`ByGroup(Smooth()).fit`, {GROUPS} groups": lambda: ByGroup(Smooth()).fit(
            binary(p, y), group
        ),
        "its map applied": lambda: fitted.apply(binary(p, y), group),
        f"`worst_segment`, {COLUMNS} columns": lambda: worst_segment(binary(p, y), columns),
    }
    return costs(acts)


def work(job: tuple[Any, ...]) -> list[dict[str, Any]]:
    """A job of either kind."""
    return search(job) if isinstance(job[1], int) else compare(job)


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    runs, searches, rows = (1, PER_JOB, 10_000) if quick else (RUNS, LEVEL_RUNS, 1_000_000)
    few = dict(list(SIZES.items())[:1]) if quick else SIZES
    jobs: list[tuple[Any, ...]] = [
        *(
            (task, sizes, name, seed)
            for task, name, sizes, seed in product(TASKS, FAMILIES, few, range(runs))
        ),
        *product(list(CLAIMS)[:3], (2000,), (0.0,), range(0, searches, PER_JOB)),
        *product(("rare events",), (10_000,), (0.0,), range(0, searches, PER_JOB)),
        *product(("spread",), (2000, 10_000), (0.5, 1.0), range(0, searches // 4, PER_JOB)),
    ]
    parts = None if quick else parts_of(PAGE)
    found = gather(work, jobs, "groups", parts)
    maps = found.filter(pl.col("kind") == "maps")
    searched = found.filter(pl.col("kind") == "search")
    lines = [
        "# Groups",
        "",
        "## A map for each group",
        "",
        f"`ByGroup(family)` on {GROUPS} groups, whose true log odds are slope x claimed + shift; claims have log odds "
        "of standard deviation 2. Log loss on fresh rows, above that of the truth, of one map for all, of a map fitted "
        f"to each group alone, and by group; the mean over groups and {runs} data sets. Last, how far by group is "
        "above the better of the other two, which nobody knows beforehand; 0.002 is the most that is allowed.",
        "",
        *maps_table(maps),
        "",
        "## The segment that is furthest off",
        "",
        f"`worst_segment` over {COLUMNS} columns: half of them of 8 names, half of numbers cut into ten ranges, so "
        f"180 segments. How often p is at most {LEVEL:g} (of {DRAWS} draws); where nothing is off, 5% are allowed, and "
        '"at most" is the upper end of the 95% interval. Where one segment, an eighth of the rows, is off in its log '
        "odds: how often the search rejects and names it.",
        "",
        *search_table(searched),
        "",
        "## Cost",
        "",
        f"{rows:,} rows, once each, on a machine that had other work too.",
        "",
        *cost_table(rows),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "polars")


if __name__ == "__main__":
    main()
