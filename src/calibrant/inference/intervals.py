"""How sure a measure is: between which values it would lie with endless rows, and whether two models differ."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from ..fitting.types import Array
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, binary, top_label, views_of
from ..inputs.views import View
from ..progress import progress, quiet
from .bootstrap import Random, redrawn, replicates, same_rows, sorted_rows
from .inversion import Measure, by_truths, like, number

# A measure that right claims, endlessly many, show no more of than this is an error.
_NOTHING = 1e-3
_RIGHT = (0.25, 0.75)


class Interval(NamedTuple):
    """What a measure gives, and between which values it would lie with endless rows."""

    estimate: float
    low: float
    high: float


def interval(
    measure: Measure, x: Asked, *, level: float = 0.95, n_boot: int = 1000, seed: int = 0
) -> Interval:
    """Between which values `measure` would lie, with confidence `level`, if there were endless rows of the same kind.

    An error, which is 0 where claims are right, is held against what truths at many distances from the claims would
    show: chance adds to it, so the estimate may lie above the interval. Any other measure is taken of rows drawn again.

    >>> from calibrant import ece, simulate
    >>> found = interval(ece, simulate.task("square", 0.05).sample(1000, seed=0).view)
    >>> bool(found.low < 0.05 < found.high)
    True
    """
    _refuse_options(level, n_boot)
    estimate = number(measure, x)
    if isinstance(x, Predictions) and _attempt(measure, view := top_label(x)) == estimate:
        x = view
    if not _is_error(measure, x):
        return Interval(estimate, *_by_rows(measure, x, level, n_boot, seed))
    if isinstance(x, Predictions):
        raise ValueError(
            "there is no interval for an error of whole vectors, as rows drawn again show more error than there is; "
            "ask views instead, such as interval(ece, classwise(pred)) or interval(ece, one_class(pred, 3))"
        )
    return Interval(estimate, *by_truths(measure, x, level, n_boot, seed))


@dataclass(frozen=True)
class Difference:
    """A model's value, and how far it lies above the first model's: the difference seen, and between which limits."""

    name: str
    value: float
    difference: float
    low: float
    high: float

    @property
    def differs(self) -> bool:
        """Whether the difference is more than chance would explain."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Differences:
    """What `compare_models` found: a row for each model, held against the first."""

    rows: tuple[Difference, ...]
    level: float
    paired: bool

    def to_dict(self) -> dict[str, Any]:
        """The table as json holds it."""
        return asdict(self)

    def __str__(self) -> str:
        first, *others = self.rows
        titles = ("", "value", f"above {first.name}", f"{100 * self.level:g}% interval", "")
        cells = [(first.name, f"{first.value:.5f}", "", "", "")] + [
            (row.name, f"{row.value:.5f}", f"{row.difference:+.5f}", f"{row.low:+.5f} to {row.high:+.5f}",
             "differs" if row.differs else "may be chance")
            for row in others
        ]  # fmt: skip
        widths = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]
        return "\n".join(
            "  ".join(map(str.ljust, line, widths)).rstrip() for line in (titles, *cells)
        )


def compare_models(
    models: Mapping[str, Asked],
    measure: Measure,
    *,
    level: float = 0.95,
    n_boot: int = 1000,
    seed: int = 0,
) -> Differences:
    """Whether models differ in a measure by more than chance: each against the first.

    Models of as many rows, weighed alike, are taken to have claimed of the same ones, which are then drawn together.

    >>> from calibrant import binary, brier
    >>> p, y = np.linspace(0, 1, 500), np.arange(500) % 5 > 1
    >>> print(compare_models({"rising": binary(p, y), "even": binary(p * 0 + 0.6, y)}, brier).rows[1].differs)
    True
    """
    _refuse_options(level, n_boot)
    if not isinstance(models, Mapping) or len(models) < 2:
        raise ValueError(
            f"models must be at least two by name, {{name: predictions or views}}, got {models!r}"
        )
    rows: list[Predictions | View] = []
    parts = []
    for x in models.values():
        parts.append((x, slice(len(rows), len(rows) + len(_several(x)))))
        rows += _several(x)
    paired = all(same_rows(row, rows[0]) for row in rows)
    rows = sorted_rows(rows) if paired else rows

    def differences(_: int, random: Random) -> Array:
        drawn = redrawn(rows, random)
        values = [number(measure, like(x, drawn[part])) for x, part in parts]
        return np.subtract(values, values[0])

    with progress("drawing rows again", n_boot) as tick, quiet():
        found = np.array(replicates(differences, range(n_boot), seed, tick))
    value = np.array([number(measure, x) for x in models.values()])
    difference = value - value[0]
    # Chance adds to errors in each draw what it added to those seen: turned about, the difference is freed from it.
    high, low = 2 * difference - np.quantile(found, [(1 - level) / 2, (1 + level) / 2], axis=0)
    table = zip(models, *(each.tolist() for each in (value, difference, low, high)), strict=True)
    return Differences(tuple(Difference(*row) for row in table), level, paired)


def _by_rows(
    measure: Measure, x: Asked, level: float, n_boot: int, seed: int
) -> tuple[float, float]:
    """The middle part of what rows drawn again give."""
    rows = sorted_rows(_several(x))
    with progress("drawing rows again", n_boot) as tick, quiet():
        found = replicates(
            lambda _, random: number(measure, like(x, redrawn(rows, random))),
            range(n_boot),
            seed,
            tick,
        )
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _is_error(measure: Measure, x: Asked) -> bool:
    """Whether a measure is 0 where claims are right, and not below it where all are too high, or too low."""
    if isinstance(x, Predictions):
        return abs(_attempt(measure, _right_vectors(x))) < _NOTHING
    right, too_high, too_low = (
        _attempt(measure, _claims(x, rates)) for rates in (_RIGHT, (0.1, 0.6), (0.4, 0.9))
    )
    return abs(right) < _NOTHING and min(too_high, too_low) > -_NOTHING


def _claims(x: View | Sequence[View], rates: tuple[float, float]) -> Asked:
    """Views such as x has, of claims of 1/4 and 3/4, endlessly many, that come true at these rates."""
    low, high = rates
    view = binary(
        [0.25, 0.25, 0.75, 0.75],
        [1, 0, 1, 0],
        weights=1e6 * np.array([low, 1 - low, high, 1 - high]),
    )
    return like(x, [view] * len(_several(x)))


def _right_vectors(x: Predictions) -> Predictions:
    """Vectors that are right, endlessly many, of the kind that x has."""
    vectors = np.full((2, x.k), 0.25 / (x.k - 1))
    vectors[[0, 1], [0, -1]] = 0.75
    values = np.repeat(vectors if x.kind == "probs" else np.log(vectors), x.k, axis=0)
    return Predictions(values, np.tile(np.arange(x.k), 2), 1e6 * vectors.ravel(), x.classes, x.kind)


def _several(x: Asked) -> list[Predictions | View]:
    return [x] if isinstance(x, Predictions) else list(views_of(x))


def _attempt(measure: Measure, x: object) -> float:
    """What a measure gives of something it may not be made for: nan where it refuses."""
    try:
        return number(measure, x)
    except (ValueError, TypeError, AttributeError):
        return np.nan


def _refuse_options(level: float, n_boot: int) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, such as 0.95; got {level!r}")
    if not isinstance(n_boot, int | np.integer) or n_boot < 100:
        raise ValueError(f"n_boot must be a whole number, at least 100, got {n_boot!r}")
