"""Which family to use: compared on other rows, or the simplest that cross-validation supports."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .contenders import Candidate, Comparison, Contender, Failures, Selection, contender
from .families.defaults import selection_candidates
from .families.family import Family, Question
from .families.folds import drawn_rows, held_out
from .families.grammar import split_names
from .families.maps import Map
from .families.multiclass.blend import Blend
from .families.names import family_of
from .families.rules import ChanceRule, VectorRule
from .fitting.blending import blend_shares
from .fitting.types import Array
from .fitting.weights import Weights, present, some, total, weighted_mean
from .inputs.checks import MAKE_THEM, check_argument
from .inputs.habits import takes_one
from .inputs.predictions import Predictions
from .inputs.questions import canonical
from .inputs.views import Canonical, Data, View
from .measures.scores import Score, row_losses
from .progress import progress

AS_THEY_ARE = "as they are"
BLEND = "a blend of these"
Named = Family | str
Families = Named | Sequence[Named] | Mapping[str, Named]

LEAST_NOISE = 1e-6  # nobody can tell such a difference, however sure it is

# Of fewer rows one simple family does better than the best that cross-validation can find.
LEAST_ROWS_TO_CHOOSE = 200
# Beyond so many chances cross-validation takes more than seconds, and loses little by a sample.
MOST_QUICK_CELLS = 250_000
LEAST_QUICK_ROWS = 2_500


@dataclass(frozen=True)
class Chosen(Family):
    """Whichever family `select` chooses of the rows that it is fitted on; its name is "select"."""

    def fit(self, x: Question, *apart: object) -> Map:
        """The map of the family that is chosen."""
        if apart or not isinstance(x, Predictions | View):
            return super().fit(x, *apart)
        return select(x)

    def chance_rule(self, view: View) -> ChanceRule:
        """The rule of the family that is chosen."""
        return cross_validate(view).chosen.chance_rule(view)

    def vector_rule(self, view: Canonical) -> VectorRule:
        """The rule of the family that is chosen."""
        return cross_validate(view.pred).chosen.vector_rule(view)


@takes_one
def compare(fit_on: Data, test: Data, families: Families) -> Comparison:
    """Fit each family on some rows and score it on others; less is better.

    `families` are a list of them or of their names, or either by names of your own.

    >>> from calibrant import Temperature, samples
    >>> before, after = compare(*samples.load("c10-resnet18"), [Temperature()]).rows
    >>> before.name, after.name, after.nll < before.nll
    ('as they are', 'Temperature()', True)
    """
    _refuse_strangers(fit_on, test)
    named = named_families(families)
    rows = [contender(AS_THEY_ARE, test)]
    failures = []
    with progress("comparing families", len(named)) as tick:
        for name, family in named.items():
            try:
                rows.append(_scored(name, family, fit_on, test))
            except ValueError as error:
                failures.append((name, str(error)))
            tick()
    return Comparison(tuple(rows), tuple(failures))


@takes_one
def select(
    fit_on: Data,
    families: Families | None = None,
    *,
    score: Score = "nll",
    folds: int = 5,
    seed: int = 0,
) -> Map:
    """The map, fitted on all rows, of the family that `cross_validate` chooses.

    >>> from calibrant import Identity, Temperature, samples
    >>> select(samples.load("c10-resnet18")[0], [Identity(), Temperature()]).family
    Temperature()
    """
    found = cross_validate(fit_on, families, score=score, folds=folds, seed=seed)
    return found.chosen.fit(fit_on)


@takes_one
def cross_validate(
    fit_on: Data,
    families: Families | None = None,
    *,
    score: Score = "nll",
    folds: int = 5,
    seed: int = 0,
) -> Selection:
    """Choose the first family whose held-out score lies within noise of the best.

    So list the simplest first. Noise is one standard error of the rows' differences to the best. A
    family that fails on a fold is left out. Where none are given, those that `selection_candidates`
    names are weighed by `blend_shares`, and the blend is chosen that their log losses call for.

    >>> from calibrant import Identity, Temperature, samples
    >>> fit_on, test = samples.load("c10-resnet18")
    >>> cross_validate(fit_on, {"as is": Identity(), "T": Temperature()}).name
    'T'
    """
    _refuse_strangers(fit_on)
    check_argument("score", score, Score)
    named = named_families(selection_candidates(fit_on) if families is None else families)
    losses, w, failures = _held_out_losses(fit_on, named, score, folds, seed)
    if not losses:
        reasons = [f"{name}: {why}" for name, why in failures]
        raise ValueError(f"no family could be fitted: {'; '.join(reasons)}")
    if families is None and score == "nll":
        return _weighed(named, losses, w, failures)
    rows = _candidates(losses, w)
    chosen = next(row.name for row in rows if _is_within_noise(row))
    return Selection(named[chosen], chosen, score, rows, failures)


def can_choose(x: Data) -> bool:
    """Whether there are rows enough to choose among families."""
    w = x.weights if isinstance(x, Predictions) else x.w
    return len(present(w, x.n)) >= LEAST_ROWS_TO_CHOOSE


def quick_rows(x: Data) -> Data:
    """All rows; of very many so many, drawn at random, that cross-validation takes seconds."""
    k = x.k if isinstance(x, Predictions) else 1
    most = max(MOST_QUICK_CELLS // k, LEAST_QUICK_ROWS)
    if x.n <= most:
        return x
    view = canonical(x) if isinstance(x, Predictions) else x
    return x[drawn_rows(view, most, seed=0)]


def usual_or_chosen(x: Data, usual: Family) -> Family:
    """What cross-validation chooses of rows that are enough, looking at many; else the usual."""
    return cross_validate(quick_rows(x)).chosen if can_choose(x) else usual


def named_families(families: Families, name: Callable[[Family], str] = repr) -> dict[str, Family]:
    """Families by the names given, or by those that `name` gives them."""
    if isinstance(families, str):
        families = split_names(families)
    elif isinstance(families, Family):
        families = [families]
    is_several = isinstance(families, Sequence | Mapping)
    if not is_several or not families:
        raise ValueError(
            f"families must be a list, or a dict by name, of at least one family; got {families!r}"
        )
    if isinstance(families, Mapping):
        named = {each: family_of(family) for each, family in families.items()}
    else:
        named = {_called(family, name): family_of(family) for family in families}
    if AS_THEY_ARE in named:
        raise ValueError(
            f"no family may be called {AS_THEY_ARE!r}, as the claims themselves are; "
            "name it otherwise"
        )
    return named


def _called(family: Named, name: Callable[[Family], str]) -> str:
    """What a family is called: as it was written, where it was."""
    return family if isinstance(family, str) else name(family_of(family))


def _scored(name: str, family: Family, fit_on: Data, test: Data) -> Contender:
    """The scores of a family and the seconds that it takes."""
    start = time.perf_counter()
    fitted = family.fit(fit_on)
    middle = time.perf_counter()
    mended = fitted.apply(test)
    end = time.perf_counter()
    return contender(name, mended, middle - start, end - middle)


class _HeldOut(NamedTuple):
    """Losses of rows by maps that had not seen them, for each family, and the rows' weights."""

    losses: dict[str, Array]
    w: Weights
    failures: Failures


def _held_out_losses(
    x: Data, families: Mapping[str, Family], score: Score, folds: int, seed: int
) -> _HeldOut:
    view = canonical(x) if isinstance(x, Predictions) else x
    parts = held_out(view, folds, seed)
    losses: dict[str, list[Array]] = {name: [] for name in families}
    failures: dict[str, str] = {}
    with progress("cross-validating families", len(parts) * len(families)) as tick:
        for fitted, held in parts:
            training, others = x[fitted], x[held]
            for name, family in families.items():
                if name not in failures:
                    try:
                        mended = family.fit(training).apply(others)
                        losses[name].append(row_losses(mended, score))
                    except ValueError as error:
                        failures[name] = str(error)
                tick()
    for name in failures:
        del losses[name]
    joined = {name: np.concatenate(parts_of) for name, parts_of in losses.items()}
    rows = np.concatenate([held for _, held in parts])
    return _HeldOut(joined, some(view.w, rows), tuple(failures.items()))


def _weighed(
    named: Mapping[str, Family], losses: Mapping[str, Array], w: Weights, failures: Failures
) -> Selection:
    """Families by their shares: one that has all, or a blend."""
    shares = dict(zip(losses, blend_shares(list(losses.values()), w).tolist(), strict=True))
    used = {name: share for name, share in shares.items() if share > 0}
    if len(used) == 1:
        (chosen,) = used
        family, blended = named[chosen], {}
    else:
        chosen, family = BLEND, Blend(tuple(map(named.__getitem__, used)), tuple(used.values()))
        likelihoods = [share * np.exp(-losses[name]) for name, share in used.items()]
        blended = {BLEND: -np.log(np.sum(likelihoods, axis=0))}
    rows = _candidates({**losses, **blended}, w)
    told = tuple(replace(row, share=shares.get(row.name, 1.0)) for row in rows)
    return Selection(family, chosen, "nll", told, failures)


def _candidates(losses: Mapping[str, Array], w: Weights) -> tuple[Candidate, ...]:
    means = {name: mean_and_error(loss, w) for name, loss in losses.items()}
    best = min(means, key=means.__getitem__)
    rows = []
    for name, loss in losses.items():
        mean, error = means[name]
        behind, behind_error = mean_and_error(loss - losses[best], w)
        rows.append(Candidate(name, mean, error, behind, behind_error))
    return tuple(rows)


def _is_within_noise(row: Candidate) -> bool:
    return row.behind <= max(row.behind_error, LEAST_NOISE)


def mean_and_error(x: Array, w: Weights) -> tuple[float, float]:
    """The mean and its standard error, weights being counts."""
    mean = weighted_mean(x, w)
    variance = weighted_mean((x - mean) ** 2, w)
    freedom = max(total(w, len(x)) - 1, 1)
    return mean, float(np.sqrt(variance / freedom))


def _refuse_strangers(*given: object) -> None:
    for kind in (Predictions, View):
        if all(isinstance(x, kind) for x in given):
            return
    sorts = " and ".join(type(x).__name__ for x in given)
    raise ValueError(
        f"families are compared on Predictions only, or on Views only, got {sorts}: {MAKE_THEM}"
    )
