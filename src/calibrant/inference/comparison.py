"""Whether models differ in a measure by more than random variation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..fitting.types import Array
from ..fitting.weights import weighted_mean
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked
from ..inputs.views import Canonical, Data
from ..measures.draws import Random, replicates
from ..measures.rows import sorted_rows, weights_of
from ..measures.variational import RowTerms
from ..progress import progress, quiet
from .bootstrap import redrawn, same_rows
from .excess import excess
from .intervals import is_error
from .measuring import Bootstrap, Measure, like, number, several
from .whole_vectors import (
    as_asked,
    is_vector_error,
    of_predictions,
    refuse_vectors,
    vector_terms,
)

_VIEWS = "compare_models({name: classwise(pred)}, ece)"


@dataclass(frozen=True)
class Difference:
    """A model's value, and how far it lies above the first model's: as seen, and its interval."""

    name: str
    value: float
    difference: float
    low: float
    high: float

    @property
    def differs(self) -> bool:
        """Whether the difference is more than random variation would explain."""
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
        lines: list[tuple[str, ...]] = [
            ("", "value", f"above {first.name}", f"{100 * self.level:g}% interval", ""),
            (first.name, f"{first.value:.5f}", "", "", ""),
        ]
        lines += [_cells(row) for row in others]
        return _aligned(lines)


def compare_models(
    models: Mapping[str, Asked | Canonical],
    measure: Measure,
    *,
    level: float = 0.95,
    n_boot: int = 1000,
    seed: int = 0,
) -> Differences:
    """Whether models differ in a measure by more than random variation: each against the first.

    Models of as many rows, with the same weights, are taken to have claimed of the same ones,
    which are then resampled together. Intervals of errors are freed of what random variation would
    add to each; of few rows they cover the true difference less often than they say. Of whole
    vectors, errors cannot be compared but by `vector_error`: it is cross-fitted once, and the
    difference is one of lower bounds.

    >>> from calibrant import binary, brier
    >>> p, y = np.linspace(0, 1, 500), np.arange(500) % 5 > 1
    >>> models = {"rising": binary(p, y), "even": binary(p * 0 + 0.6, y)}
    >>> compare_models(models, brier).rows[1].differs
    True
    """
    bootstrap = Bootstrap(level, n_boot, seed)
    if not isinstance(models, Mapping) or len(models) < 2:
        rule = "models must be at least two by name, {name: predictions or views}"
        raise ValueError(f"{rule}, got {models!r}")
    asked = [of_predictions(measure, x) for x in models.values()]
    measures, xs = zip(*asked, strict=True)
    pairing = _paired(xs)
    terms_of = vector_terms(measure)
    if terms_of is not None:
        values, draws = _resampled_terms(pairing, terms_of, bootstrap)
    else:
        values = [_checked_value(each, x) for each, x in asked]
        draws = _resampled(pairing, measures, bootstrap)
        draws += _shift(measures, xs, values, draws, bootstrap.seed)
    quantiles = np.quantile(draws - draws[:, :1], bootstrap.quantiles, axis=0)
    rows = _differences(list(models), np.array(values), quantiles)
    return Differences(rows, level, pairing.is_paired)


@dataclass(frozen=True)
class _Pairing:
    """The rows of all models in one list, and which of them belong to each."""

    models: list[tuple[Asked, slice]]
    rows: list[Data]
    is_paired: bool

    def resampled(self, random: Random) -> list[Any]:
        """Each model's rows, drawn with replacement, as a measure takes them."""
        drawn = redrawn(self.rows, random)
        return [like(x, drawn[places]) for x, places in self.models]


def _paired(models: Sequence[Asked]) -> _Pairing:
    rows: list[Data] = []
    placed = []
    for x in models:
        start = len(rows)
        rows += several(x)
        placed.append((x, slice(start, len(rows))))
    is_paired = all(same_rows(each, rows[0]) for each in rows)
    if is_paired:
        rows = sorted_rows(rows)
    return _Pairing(placed, rows, is_paired)


def _checked_value(measure: Measure, x: Asked) -> float:
    """What a measure gives, where bootstrap samples can tell how it varies."""
    value = number(measure, x)
    asked = as_asked(measure, x, value)
    if isinstance(asked, Predictions) and is_vector_error(measure, asked):
        refuse_vectors("compare_models", _VIEWS)
    return value


def _resampled(pairing: _Pairing, measures: Sequence[Measure], bootstrap: Bootstrap) -> Array:
    """What each model shows in each bootstrap sample, (samples, models)."""

    def values(_: int, random: Random) -> list[float]:
        drawn = pairing.resampled(random)
        return [number(measure, x) for measure, x in zip(measures, drawn, strict=True)]

    return _replicated(values, bootstrap)


def _shift(
    measures: Sequence[Measure],
    xs: Sequence[Asked],
    values: Sequence[float],
    draws: Array,
    seed: int,
) -> Array:
    """What sets samples of errors as far above the data as these lie above the true errors.

    Samples do not lie there themselves: the more random variation has added to the data, the less
    it adds again.
    """
    shift = []
    for place, (measure, x) in enumerate(zip(measures, xs, strict=True)):
        added = draws[:, place].mean() - values[place]
        shift.append(excess(measure, x, seed) - added if is_error(measure, x) else 0.0)
    return np.array(shift)


def _resampled_terms(
    pairing: _Pairing,
    terms_of: Callable[[Any], RowTerms],
    bootstrap: Bootstrap,
) -> tuple[list[float], Array]:
    """The errors of whole vectors, and those of bootstrap samples, by terms of rows."""
    found = [terms_of(x) for x in pairing.rows]
    by_rows = [terms.by_rows(x.n) for terms, x in zip(found, pairing.rows, strict=True)]

    def values(_: int, random: Random) -> list[float]:
        errors = []
        drawn = redrawn(pairing.rows, random)
        for terms, value, x in zip(found, by_rows, drawn, strict=True):
            mean = weighted_mean(value, weights_of(x))
            errors.append(terms.spread(mean))
        return errors

    return [terms.error for terms in found], _replicated(values, bootstrap)


def _replicated(values: Callable[[int, Random], list[float]], bootstrap: Bootstrap) -> Array:
    samples = range(bootstrap.n_boot)
    with progress("bootstrapping", bootstrap.n_boot) as tick, quiet():
        return np.array(replicates(values, samples, bootstrap.seed, tick))


def _differences(
    names: Sequence[str],
    values: Array,
    quantiles: Array,
) -> tuple[Difference, ...]:
    """The basic bootstrap: quantiles turned about the difference seen.

    Random variation adds to errors in each sample what it added to those seen: turned about, the
    difference is freed from it.
    """
    difference = values - values[0]
    high, low = 2 * difference - quantiles
    columns = np.stack([values, difference, low, high], axis=1)
    rows = zip(names, columns.tolist(), strict=True)
    return tuple(Difference(name, *numbers) for name, numbers in rows)


def _cells(row: Difference) -> tuple[str, ...]:
    return (
        row.name,
        f"{row.value:.5f}",
        f"{row.difference:+.5f}",
        f"{row.low:+.5f} to {row.high:+.5f}",
        "differs" if row.differs else "may be random variation",
    )


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = ["  ".join(map(str.ljust, line, widths)) for line in lines]
    return "\n".join(line.rstrip() for line in aligned)
