"""Which family to use: all of them side by side on other rows, or the simplest that cross-validation supports."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from .families.binary.logistic import Beta, Platt
from .families.binary.smooth import Smooth
from .families.family import Family, Map
from .families.folds import held_out
from .families.multiclass.blend import Blend
from .families.multiclass.ensemble import EnsembleTemperature
from .families.multiclass.identity import Identity
from .families.multiclass.one_vs_rest import OneVsRest
from .families.multiclass.order_preserving import OrderPreserving
from .families.multiclass.structured import StructuredMatrix
from .families.multiclass.temperature import Temperature
from .fitting.blocks import on_all_cores, row_blocks
from .fitting.logspace import TINY
from .fitting.logspace import floored_log as log
from .fitting.mixture import best_shares
from .fitting.types import Array
from .inputs.checks import MAKE_THEM, check_argument
from .inputs.predictions import Predictions
from .inputs.questions import canonical
from .inputs.views import View
from .measures.errors import classwise_ece, ece
from .measures.ks import ks_error
from .measures.scores import accuracy, brier, nll, row_brier, row_nll
from .progress import progress

Measured = Predictions | View
AS_THEY_ARE = "as they are"
Families = Sequence[Family] | Mapping[str, Family]
Score = Literal["nll", "brier"]

LEAST_NOISE = 1e-6  # nobody can tell such a difference, however sure it is
MOST_CELLS = 20_000_000  # beyond it the class-wise error would take longer than all the rest


@dataclass(frozen=True)
class Contender:
    """Scores of one family on the test rows; class-wise only of whole vectors that are not too many."""

    name: str
    nll: float
    brier: float
    accuracy: float
    ece: float
    ks_error: float
    classwise_ece: float | None
    fit_seconds: float
    apply_seconds: float


@dataclass(frozen=True)
class Comparison:
    """What `compare` found: a row for the claims as they are, one for each family, and why others failed."""

    rows: tuple[Contender, ...]
    failures: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """The comparison as json holds it; errors are fractions, not percents."""
        return asdict(self)

    def __str__(self) -> str:
        titles = (
            "",
            "NLL",
            "Brier",
            "accuracy %",
            "ECE %",
            "KS %",
            "class-wise ECE %",
            "fit s",
            "apply s",
        )
        cells = [
            (row.name, f"{row.nll:.4f}", f"{row.brier:.4f}",
             *map(_percent, (row.accuracy, row.ece, row.ks_error, row.classwise_ece)),
             f"{row.fit_seconds:.2f}", f"{row.apply_seconds:.2f}")
            for row in self.rows
        ]  # fmt: skip
        return _table(titles, cells, self.failures)


@dataclass(frozen=True)
class Candidate:
    """Mean held-out score of one family and its standard error; `behind` is how far the best is ahead of it, paired."""

    name: str
    score: float
    error: float
    behind: float
    behind_error: float


@dataclass(frozen=True)
class Selection:
    """What `cross_validate` found: the family chosen, every family's held-out score, and why others failed."""

    chosen: Family
    name: str
    score: Score
    rows: tuple[Candidate, ...]
    failures: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        titles = ("", f"held-out {self.score}", "s.e.", "behind the best", "s.e.", "")
        cells = [
            (row.name, *(f"{x:.5f}" for x in (row.score, row.error, row.behind, row.behind_error)),
             "chosen" if row.name == self.name else "")
            for row in self.rows
        ]  # fmt: skip
        return _table(titles, cells, self.failures)


def compare(fit_on: Measured, test: Measured, families: Families) -> Comparison:
    """Fit each family on some rows and score it on others; a list, or names for the families; less is better.

    >>> from calibrant import samples
    >>> found = compare(*samples.load("c10-resnet18"), [Temperature()])
    >>> [row.name for row in found.rows], bool(found.rows[1].nll < found.rows[0].nll)
    (['as they are', 'Temperature()'], True)
    """
    _refuse_strangers(fit_on, test)
    named, rows, failures = named_families(families), [contender(AS_THEY_ARE, test)], []
    with progress("comparing families", len(named)) as tick:
        for name, family in named.items():
            try:
                start = time.perf_counter()
                fitted, middle = family.fit(fit_on), time.perf_counter()
                mended, end = calibrated(fitted, test), time.perf_counter()
                rows.append(contender(name, mended, middle - start, end - middle))
            except ValueError as error:
                failures.append((name, str(error)))
            tick()
    return Comparison(tuple(rows), tuple(failures))


def select(
    fit_on: Measured,
    families: Families | None = None,
    *,
    score: Score = "nll",
    folds: int = 5,
    seed: int = 0,
) -> Map:
    """The map, fitted on all rows, of the family that `cross_validate` chooses.

    >>> from calibrant import samples
    >>> select(samples.load("c10-resnet18")[0], [Identity(), Temperature()]).family
    Temperature()
    """
    return cross_validate(fit_on, families, score=score, folds=folds, seed=seed).chosen.fit(fit_on)


def cross_validate(
    fit_on: Measured,
    families: Families | None = None,
    *,
    score: Score = "nll",
    folds: int = 5,
    seed: int = 0,
) -> Selection:
    """Choose the first family, so list them simplest first, whose held-out score lies within noise of the best.

    Noise is one standard error of the rows' differences to the best. A family that fails on a fold is left out. Where
    none are given, those of the arena are tried, and the best blend of them.

    >>> from calibrant import samples
    >>> print(cross_validate(samples.load("c10-resnet18")[0], {"as is": Identity(), "T": Temperature()}).name)
    T
    """
    _refuse_strangers(fit_on)
    check_argument("score", score, Score)
    named = named_families(_by_default(fit_on) if families is None else families)
    view = canonical(fit_on) if isinstance(fit_on, Predictions) else fit_on
    parts = held_out(view, folds, seed)
    losses: dict[str, list[Array]] = {name: [] for name in named}
    failures: dict[str, str] = {}
    with progress("cross-validating families", len(parts) * len(named)) as tick:
        for fitted, held in parts:
            some, others = fit_on[fitted], fit_on[held]
            for name, family in named.items():
                if name not in failures:
                    try:
                        losses[name].append(
                            _row_losses(calibrated(family.fit(some), others), score)
                        )
                    except ValueError as error:
                        failures[name] = str(error)
                tick()
    if len(failures) == len(named):
        raise ValueError(
            f"no family could be fitted: {'; '.join(f'{name}: {why}' for name, why in failures.items())}"
        )
    w = None if view.w is None else view.w[np.concatenate([held for _, held in parts])]
    scored = {name: np.concatenate(losses[name]) for name in named if name not in failures}
    if families is None and score == "nll" and len(scored) > 1:
        named["a blend of these"], scored["a blend of these"] = _blend(
            [named[name] for name in scored], scored, w
        )
    rows = _candidates(scored, w)
    name = next(row.name for row in rows if row.behind <= max(row.behind_error, LEAST_NOISE))
    return Selection(named[name], name, score, rows, tuple(failures.items()))


def _by_default(x: Measured) -> list[Family]:
    """Families from the simplest to the richest; those that help where simpler ones do not, on the arena's files."""
    of_chances: list[Family] = [Identity(), Temperature(), Platt(), Beta(), Smooth()]
    if isinstance(x, View):
        return of_chances
    orderly: list[Family] = [
        EnsembleTemperature(),
        OrderPreserving(),
        OrderPreserving(kind="preserving"),
    ]
    if x.k == 2:
        return [*of_chances[:-1], *orderly, Smooth()]
    return [Identity(), Temperature(), *orderly, StructuredMatrix(), OneVsRest(Smooth())]


def _blend(
    families: list[Family], losses: dict[str, Array], w: Array | None
) -> tuple[Family, Array]:
    """The best mixture of what families gave to the rows they had not seen, and its losses."""
    parts = np.maximum(np.exp(-np.stack(list(losses.values()), axis=1)), TINY)
    shares = best_shares(parts, w)[0]
    some = [
        (family, share)
        for family, share in zip(families, shares.tolist(), strict=True)
        if share > 0
    ]
    return Blend(*map(tuple, zip(*some, strict=True))), -np.log(parts @ shares)


def _candidates(losses: dict[str, Array], w: Array | None) -> tuple[Candidate, ...]:
    means = {name: _mean_and_error(loss, w) for name, loss in losses.items()}
    best = losses[min(means, key=means.__getitem__)]
    return tuple(
        Candidate(name, *means[name], *_mean_and_error(loss - best, w))
        for name, loss in losses.items()
    )


def _mean_and_error(x: Array, w: Array | None) -> tuple[float, float]:
    """The mean and its standard error, weights being counts."""
    total, mean = len(x) if w is None else w.sum(), float(np.average(x, weights=w))
    return mean, float(np.sqrt(np.average((x - mean) ** 2, weights=w) / max(total - 1, 1)))


def _row_losses(x: Measured, score: Score) -> Array:
    if isinstance(x, View):
        return -log(np.where(x.y, x.p, 1 - x.p)) if score == "nll" else (x.p - x.y) ** 2
    row_loss = row_nll if score == "nll" else row_brier
    return np.concatenate(on_all_cores(lambda rows: row_loss(x[rows]), row_blocks(x.n, x.k)))


def calibrated(fitted: Map, x: Measured) -> Measured:
    """Predictions, or the claims of a view, as a map mends them."""
    if isinstance(x, Predictions):
        return fitted.apply(x)
    return replace(x, p=np.clip(fitted(x).astype(np.float64), 0, 1), exact_log_odds=None)


def contender(
    name: str, x: Measured, fit_seconds: float = 0.0, apply_seconds: float = 0.0
) -> Contender:
    """What the claims of `x` score as they are."""
    by_class = classwise_ece(x) if isinstance(x, Predictions) and x.n * x.k <= MOST_CELLS else None
    return Contender(
        name,
        nll(x),
        brier(x),
        accuracy(x),
        ece(x),
        ks_error(x),
        by_class,
        fit_seconds,
        apply_seconds,
    )


def named_families(families: Families, name: Callable[[Family], str] = repr) -> dict[str, Family]:
    """Families by the names given, or by those that `name` gives them."""
    if isinstance(families, str) or not isinstance(families, Sequence | Mapping) or not families:
        raise ValueError(
            f"families must be a list, or a dict by name, of at least one family; got {families!r}"
        )
    listed = (
        {repr(each): each for each in families} if not isinstance(families, Mapping) else families
    )
    for called, family in listed.items():
        if not isinstance(family, Family):
            raise ValueError(
                f"families[{called!r}] must be a family, such as Temperature(); got {family!r}"
            )
    named = (
        dict(families)
        if isinstance(families, Mapping)
        else {name(family): family for family in families}
    )
    if AS_THEY_ARE in named:
        raise ValueError(
            f"no family may be called {AS_THEY_ARE!r}, as the claims themselves are; name it otherwise"
        )
    return named


def _refuse_strangers(*given: Measured) -> None:
    if not all(isinstance(x, Predictions) for x in given) and not all(
        isinstance(x, View) for x in given
    ):
        sorts = " and ".join(type(x).__name__ for x in given)
        raise ValueError(
            f"families are compared on Predictions only, or on Views only, got {sorts}: {MAKE_THEM}"
        )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


def _table(
    titles: Sequence[str], cells: Sequence[Sequence[str]], failures: Iterable[tuple[str, str]]
) -> str:
    widths = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]
    lines = [
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in (titles, *cells)
    ]
    return "\n".join(
        [*map(str.rstrip, lines), *(f"{name} failed: {why}" for name, why in failures)]
    )
