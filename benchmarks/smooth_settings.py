"""Smooth with other settings than its own: what each is worth; writes docs/benchmarks/smooth_settings.md."""

from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
from models import imitation, names
from pages import head, publish
from scipy.special import entr, xlogy
from studies import gather, is_quick, parts_of

from calibrant import Smooth
from calibrant.families.binary import penalised_splines, shift_models, smooth
from calibrant.simulate import SHAPES, task

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "smooth_settings.md"
OWN = "as it is"
HOMES = (penalised_splines, shift_models, smooth)
PRIOR_SDS = penalised_splines.PRIOR_SDS
PRIOR = smooth._PRIOR_ODDS
SETTINGS: dict[str, dict[str, Any]] = {
    OWN: {"_SPLINES": 24},
    **{f"along {scale} alone": {"PRIOR_SDS": {scale: sd}} for scale, sd in PRIOR_SDS.items()},
    **{
        f"not along {left_out}": {
            "PRIOR_SDS": {scale: sd for scale, sd in PRIOR_SDS.items() if scale != left_out}
        }
        for left_out in PRIOR_SDS
    },
    "order 1 alone": {"_ORDERS": (1,)},
    "order 2 alone": {"_ORDERS": (2,)},
    "12 splines": {"_SPLINES": 12},
    "48 splines": {"_SPLINES": 48},
    "strengths in half steps": {"_STRENGTHS": np.logspace(-1, 6, 15)},
    "strengths in steps of two": {"_STRENGTHS": np.logspace(-1, 6, 4)},
    "free part 4 times as large": {
        "PRIOR_SDS": {scale: (4 * a, 4 * b) for scale, (a, b) in PRIOR_SDS.items()}
    },
    "free part a quarter as large": {
        "PRIOR_SDS": {scale: (a / 4, b / 4) for scale, (a, b) in PRIOR_SDS.items()}
    },
    "no belief in the identity": {"_PRIOR_ODDS": PRIOR._replace(identity=1e-12)},
    "ten times the belief in it": {"_PRIOR_ODDS": PRIOR._replace(identity=10 * PRIOR.identity)},
    "no belief in one temperature": {"_PRIOR_ODDS": PRIOR._replace(temperature=1e-12)},
    "ten times the belief in one": {
        "_PRIOR_ODDS": PRIOR._replace(temperature=10 * PRIOR.temperature)
    },
    "jumps half as large": {"_JUMP_SD": 0.5},
    "jumps twice as large": {"_JUMP_SD": 2.0},
}
SIZES, ERRORS, SEEDS = (1000, 3000, 10000), (0.0, 0.03, 0.1), tuple(range(600, 610))
REAL_SIZE, REAL_SEEDS = 2000, tuple(range(600, 603))


def judge(job: tuple[str, tuple[int, ...], tuple[str, ...]]) -> list[dict[str, Any]]:
    """What one setting makes of every task: the five shapes, and the claims of some models."""
    setting, seeds, models = job
    shift_models._spline_model.cache_clear()
    with ExitStack() as patches:
        for home, (name, value) in product(HOMES, SETTINGS[setting].items()):
            if hasattr(home, name):
                patches.enter_context(patch.object(home, name, value))
        return [*_on_shapes(setting, seeds), *_on_models(setting, models)]


def _on_shapes(setting: str, seeds: tuple[int, ...]) -> list[dict[str, Any]]:
    found = []
    for shape, error in product(SHAPES, ERRORS):
        test, truth = task(shape, error).sample(10**6, seed=0)
        test, truth = test[::100], truth[::100]
        for n, seed in product(SIZES, seeds):
            view, true = task(shape, error).sample(n, seed)
            fitted = Smooth().fit(view)
            estimate = np.abs(fitted(view) - view.p).mean()
            found.append({"setting": setting, "task": f"{shape} {error} {n} {seed}",
                          "map": 1000 * float(np.abs(fitted(test) - truth).mean()),
                          "error": 1000 * float(abs(estimate - np.abs(view.p - true).mean()))})  # fmt: skip
    return found


def _on_models(setting: str, models: tuple[str, ...]) -> list[dict[str, Any]]:
    found = []
    for name in models:
        made = imitation(name)
        t = made.truth.astype(np.float64)
        for seed in REAL_SEEDS:
            q = Smooth().fit(made.sample(REAL_SIZE, seed).view)(made.claims).astype(np.float64)
            loss = -(xlogy(t, q) + xlogy(1 - t, 1 - q)) - entr(t) - entr(1 - t)
            found.append(
                {"setting": setting, "task": f"{name} {seed}", "loss": 1000 * float(loss.mean())}
            )
    return found


def table(found: pl.DataFrame) -> list[str]:
    """A line for each setting: means, and what they lie above those of Smooth as it is, paired by task."""
    lines = []
    for setting in SETTINGS:
        cells = []
        for column in ("map", "error", "loss"):
            values, own = (
                found.filter(pl.col("setting") == each, pl.col(column).is_not_null())
                .sort("task")[column]
                .to_numpy()
                for each in (setting, OWN)
            )
            if np.isinf(values).any():
                cells.append("∞")
                continue
            above = values - own
            se = above.std(ddof=1) / np.sqrt(len(above))
            cells.append(
                f"{values.mean():.2f}"
                + (f" ({above.mean():+.2f} ± {se:.2f})" if setting != OWN else "")
            )
        lines.append("| " + " | ".join([setting, *cells]) + " |")
    return [*head("", "map", "error", "log loss on real claims"), *lines, ""]


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    seeds, models = (SEEDS[:1], tuple(names()[:1])) if quick else (SEEDS, tuple(names()))
    parts = None if quick else parts_of(PAGE)
    found = gather(judge, [(setting, seeds, models) for setting in SETTINGS], "settings", parts)
    lines = [
        "# What the settings of Smooth are worth",
        "",
        "\"map\": distance from the true map, and \"error\": |estimated - true error|, x 1000, over five shapes with "
        f"true errors {', '.join(map(str, ERRORS))}, n = {', '.join(map(str, SIZES))} and {len(SEEDS)} seeds. \"log "
        f"loss\": what is lost beyond the truth, x 1000, on the claims of {len(names())} models, {REAL_SIZE:,} rows "
        f"and {len(REAL_SEEDS)} seeds. In brackets what a setting lies above Smooth as it is, with its paired standard "
        "error. "
        "These seeds had no part in its choice; the shapes and models did.",
        "",
        *table(found),
    ]  # fmt: skip
    publish(PAGE, lines, parts, "scipy", "polars")


if __name__ == "__main__":
    main()
