"""Which errors may be true: those of supposed truths under which what is seen would not be rare."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .chances.smooth import Smooth
from .predictions import Array, Predictions
from .progress import ticking
from .resampling import Cells, Random, cells, drawn_as_one, of_one, replicates, row_cells
from .views import Asked, View, views_of

Measure = Callable[[Any], float]
Truth = list[Array]  # the true chance of every claim, for each view

# How many truths are supposed along each line, and how many on each side of one lend it their draws.
_TRUTHS, _BESIDE = 8, 2
# Claims that err by turns upwards and downwards, so many times, are as hard to see as any we suppose.
_TURNS = 8


def by_truths(measure: Measure, x: View | Sequence[View], level: float, n_boot: int, seed: int) -> tuple[float, float]:
    """The least and the largest error of truths under which what is seen would not be rare.

    Truths lie at growing distances from the claims along two lines: towards fitted chances, and as far for every claim,
    upwards and downwards by turns. What chance adds to an error, and how much of it a measure can see, depends on how
    it is shared out among claims; the two span that.
    """
    views = views_of(x)
    joint = of_one(views)
    parts = row_cells(views) if joint else [cells(view) for view in views]
    fitted, turns, reach = _directions(parts)

    def measured(views: Iterable[View]) -> float:
        return number(measure, like(x, list(views)))

    def draw(truth: Truth, random: Random) -> float:
        if joint:
            return measured(drawn_as_one(parts, truth, random))
        return measured(part.drawn(chance, random) for part, chance in zip(parts, truth, strict=True))

    def error(truth: Truth) -> float:
        return measured(part.endless(chance) for part, chance in zip(parts, truth, strict=True))

    def away(direction: Truth, far: float) -> Truth:
        truth = [np.clip(part.p + far * toward, 0, 1) for part, toward in zip(parts, direction, strict=True)]
        return [chance / np.maximum(sum(truth), 1e-12) for chance in truth] if joint else truth

    seen = measured(part.counted(part.happened) for part in parts)
    while reach < 1 and min(replicates(draw, [away(turns, reach)] * 10, seed, lambda: None)) <= seen:
        reach *= 1.5
    distances = 1.5 * reach * np.linspace(0, 1, _TRUTHS) ** 1.5
    each = -(-n_boot // (2 * _TRUTHS))

    def limits(direction: Truth, seed: int) -> tuple[float, float]:
        truths = [away(direction, far) for far in distances]
        items = [truth for truth in truths for _ in range(each)]
        draws = np.array(replicates(draw, items, seed, tick)).reshape(_TRUTHS, each)
        errors = np.maximum.accumulate([0.0, *(error(truth) for truth in truths[1:])])
        upper, lower = (_edge(draws, tail) for tail in ((1 + level) / 2, (1 - level) / 2))
        # Turned about, so that of truths with equal edges the nearest to the claims is found.
        low = np.interp(-seen, -upper[::-1], errors[::-1])
        # Less than right claims would show on average excludes no error: luck must not make an interval narrow.
        shown = max(seen, draws[0].mean())
        return float(low), float(np.interp(shown, lower, errors, right=max(seen, errors[-1])))

    with ticking("drawing outcomes", 2 * _TRUTHS * each) as tick:
        lows, highs = zip(limits(fitted, seed + 1), limits(turns, seed + 2), strict=True)
    return min(lows), max(highs)


def like(x: Asked, rows: Sequence[Any]) -> Any:  # noqa: ANN401 - one of them, or all, as a measure was given x
    """Rows as a measure was given them: alone, or several."""
    return rows[0] if isinstance(x, Predictions | View) else rows


def number(measure: Measure, x: object) -> float:
    """What a measure gives, which must be one number."""
    value: object = measure(x)
    if not isinstance(value, float | int | np.floating):
        raise ValueError(f"measure must give one number, got {value!r}; pick one, as in lambda x: measure(x)[0]")
    return float(value)


def _directions(parts: list[Cells]) -> tuple[Truth, Truth, float]:
    """From claims to fitted chances, as if 1 away on average; by 1 up and down in turns; and how far the fit is."""
    views = [part.counted(part.happened) for part in parts]
    gaps = [Smooth().fit(view)(view[::2]) - part.p for view, part in zip(views, parts, strict=True)]
    far = np.mean([np.average(np.abs(gap), weights=part.w) for gap, part in zip(gaps, parts, strict=True)])
    turns = [_by_turns(part) for part in parts]
    return ([gap / far for gap in gaps] if far > 0 else turns), turns, max(0.01, float(far))


def _by_turns(part: Cells) -> Array:
    """Up for low claims and down for high ones, which have no room elsewhere, and by turns in between."""
    order = np.argsort(part.p, kind="stable")
    below = np.empty(len(order))
    below[order] = np.cumsum(part.w[order]) - part.w[order] / 2
    return 1.0 - 2 * (np.floor(_TURNS * below / part.w.sum()) % 2)


def _edge(draws: Array, tail: float) -> Array:
    """A quantile of the draws of each truth, never falling; neighbours share how draws spread about their mean."""
    mean, sd = draws.mean(1), draws.std(1)
    spread = (draws - mean[:, None]) / np.where(sd > 0, sd, 1)[:, None]
    near = [spread[max(0, i - _BESIDE) : i + _BESIDE + 1] for i in range(len(draws))]
    return np.maximum.accumulate(mean + sd * np.array([np.quantile(each, tail) for each in near]))
