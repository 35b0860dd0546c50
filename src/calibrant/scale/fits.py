"""Fits on rows of any number: exact where a few sums a pass are enough, else of a sketch.

A pass adds up the loss, its gradient and its Hessian over all parts, where they lie. The sketch,
made by the first pass, says where to begin, so that few more are needed.
"""

from collections.abc import Callable
from dataclasses import astuple, replace
from functools import partial
from typing import Unpack

import numpy as np

from ..families.binary.family import ChanceFamily
from ..families.binary.logistic import LogisticFamily
from ..families.family import Family
from ..families.maps import Map, VectorMap
from ..families.multiclass.linear import FactorAndShift, VectorScaling
from ..families.multiclass.one_vs_rest import EachClass, OneVsRest
from ..families.multiclass.temperature import (
    Temperature,
    TemperedChance,
    TemperedVector,
    row_derivatives,
)
from ..families.names import family_of
from ..families.rules import ChanceRule, VectorRule
from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.irls import logistic_sums
from ..fitting.logspace import softmax
from ..fitting.newton import Derivatives, minimise
from ..fitting.types import Array
from ..fitting.weights import weighted, weighted_sum
from ..inputs.predictions import Predictions, split_labels
from ..inputs.questions import one_class
from ..inputs.views import Data, View, split_outcomes
from .parts import Part, Rows, Task
from .sketch import Sketch
from .sources import Named, rows, summary

# Of each row, loss and derivatives of variables there: summed, value, gradient and Hessian.
Pass = Callable[[Array, Data], Array]

_TEMPERATURE_TOLERANCE = 1e-6
_SAMPLE = 10_000


def fit(
    family: Family | str,
    x: object,
    *,
    split: str | None = None,
    skip_bad: bool = False,
    **columns: Unpack[Named],
) -> Map:
    """The map of a family that fits rows of any number: files or frames as in `rows`.

    Temperature, VectorScaling, and of one chance Platt, Beta and Quadratic reach the optimum of
    all rows, as in memory and with the same certificate. Other families of one chance are fitted
    to the sketch, class by class where there are several; other families of whole vectors to its
    sample of 10,000 rows.
    """
    family = family_of(family)
    found = rows(x, split=split, skip_bad=skip_bad, **columns)
    asks_classes = isinstance(family, ChanceFamily)
    sketch = summary(found, ("classwise",) if asks_classes else ("top_label",), _SAMPLE)
    return fit_summed(family, found, sketch)


def fit_summed(family: Family, found: Rows | None, sketch: Sketch) -> Map:
    """The map that fits rows of which a sketch is known; all is of the sketch where rows are not."""
    assert sketch.shape is not None
    if sketch.shape.kind is None:
        return _of_one_chance(family, found, sketch, "claims")
    if isinstance(family, ChanceFamily) and sketch.shape.k == 2:
        return _of_one_chance(family, found, sketch, "class_1")
    if isinstance(family, ChanceFamily):
        return _of_classes(family, sketch)
    return _of_vectors(family, found, sketch)


def _of_one_chance(family: Family, found: Rows | None, sketch: Sketch, name: str) -> Map:
    view = sketch.view(name)
    of_sketch = family.fit(view)
    if found is None:
        return of_sketch
    if isinstance(family, LogisticFamily):
        return replace(of_sketch, rule=_logistic(family, found, view, of_sketch))
    if isinstance(family, Temperature):
        work = partial(_tempered_sums, view.floor)
        start = np.array([of_sketch.rule.inverse])
        derivatives = _derivatives(work, found, view.total)
        best, certificate = minimise(derivatives, start, lower=0.0)
        return replace(of_sketch, rule=TemperedChance(float(best[0]), certificate))
    return of_sketch


def _of_classes(family: ChanceFamily, sketch: Sketch) -> Map:
    whole = family.of_many_classes()
    sample = sketch.sample()
    if not isinstance(whole, OneVsRest):
        return whole.fit(sample)
    rules = on_all_cores(whole.family.chance_rule, sketch.classwise())
    return VectorMap(
        whole,
        EachClass(tuple(rules)),
        sketch.total,
        sample.kind,
        sample.classes,
        floor=sample.floor,
        rounded=sketch.totals.rounding.rows,
    )


def _of_vectors(family: Family, found: Rows | None, sketch: Sketch) -> Map:
    sample = sketch.sample()
    of_sample = family.fit(sample)
    if found is None:
        return of_sample
    floor = sample.floor
    if isinstance(family, Temperature):
        work = partial(_temperature_sums, floor)
        derivatives = _derivatives(work, found, sketch.total)
        start = np.array([of_sample.rule.inverse])
        best, certificate = minimise(
            derivatives, start, lower=0.0, tolerance=_TEMPERATURE_TOLERANCE
        )
        return _counted(of_sample, TemperedVector(float(best[0]), certificate), sketch)
    if isinstance(family, VectorScaling):
        work = partial(_scaling_sums, floor)
        derivatives = _derivatives(work, found, sketch.total)
        start = np.append(of_sample.rule.factor, of_sample.rule.shift)
        best, certificate = minimise(derivatives, start)
        factor, shift = np.split(best, 2)
        return _counted(of_sample, FactorAndShift(factor, shift, certificate), sketch)
    return of_sample


def _counted(of_sample: Map, rule: VectorRule, sketch: Sketch) -> Map:
    """A rule of all rows, in place of that of a sample."""
    rounded = sketch.totals.rounding.rows
    return replace(of_sample, rule=rule, total=sketch.total, rounded=rounded)


def _logistic(
    family: LogisticFamily[ChanceRule], found: Rows, view: View, of_sketch: Map
) -> ChanceRule:
    """The optimum of all rows, from that of a sketch."""
    happened = float(view.w[view.y].sum()) if view.w is not None else float(view.y.sum())
    targets = family.targets(happened, view.total - happened)
    *start, _ = astuple(of_sketch.rule)
    work = partial(_logistic_sums, family, targets, view.floor)
    lower = np.full(len(start), family.least)
    lower[-1] = -np.inf
    derivatives = _derivatives(work, found, view.total)
    best, certificate = minimise(derivatives, np.array(start), lower=lower)
    return family.rule(best.tolist(), certificate)


def _derivatives(work: Pass, found: Rows, total: float) -> Callable[[Array], Derivatives]:
    """Mean loss, gradient and Hessian over all rows: a pass for each point that is asked for."""

    def at(variables: Array) -> Derivatives:
        d = len(variables)
        empty = partial(np.zeros, 1 + d + d * d)
        sums = found.sum(Task(empty, partial(_put, work, variables), np.add)).value / total
        return float(sums[0]), sums[1 : d + 1], sums[d + 1 :].reshape(d, d)

    return at


def _put(work: Pass, variables: Array, so_far: Array, part: Part) -> Array:
    x = part.x
    if x.w is not None:
        x = x[x.w > 0]
    width = x.k if isinstance(x, Predictions) else 1
    for block in row_blocks(x.n, 4 * width):
        so_far = so_far + work(variables, x[block])
    return so_far


def _temperature_sums(floor: float, inverse: Array, x: Data) -> Array:
    pred = _read(x, floor)
    z = pred.scores.astype(np.float64)
    terms = row_derivatives(z, pred.labels, float(inverse[0]))
    sums: Array = weighted_sum(terms.T, pred.weights)
    return sums


def _scaling_sums(floor: float, variables: Array, x: Data) -> Array:
    """Softmax regression of a factor and a shift a class."""
    pred = _read(x, floor)
    z = pred.scores.astype(np.float64)
    factor, shift = np.split(variables, 2)
    logits = z * factor + shift
    p = softmax(logits)
    each = np.arange(pred.n), pred.labels
    top = logits.max(1)
    log_sum = np.log(np.exp(logits - top[:, None]).sum(1)) + top
    loss = weighted_sum(log_sum - logits[each], pred.weights)
    # Each row's derivative of its right logit, and how its chances move with the variables.
    moved = np.concatenate([p * z, p], axis=1)
    residual = p.copy()
    residual[each] -= 1
    slopes = np.concatenate([residual * z, residual], axis=1)
    gradient = weighted_sum(slopes, pred.weights)
    column = None if pred.weights is None else pred.weights[:, None]
    hessian = -(moved.T @ weighted(moved, column))
    k = pred.k
    diagonal = np.arange(k)
    hessian[diagonal, diagonal] += weighted_sum(p * z**2, pred.weights)
    both = weighted_sum(p * z, pred.weights)
    hessian[diagonal, k + diagonal] += both
    hessian[k + diagonal, diagonal] += both
    hessian[k + diagonal, k + diagonal] += weighted_sum(p, pred.weights)
    # One shift for all classes changes nothing: it is held where it is.
    hessian[k:, k:] += pred.total / k**2
    return np.concatenate([[loss], gradient, hessian.ravel()])


def _tempered_sums(floor: float, inverse: Array, x: Data) -> Array:
    view = _asked(x, floor)
    return logistic_sums(inverse, view.log_odds[None], view.y, view.w)


def _logistic_sums(
    family: LogisticFamily[ChanceRule],
    targets: tuple[float, float],
    floor: float,
    coefficients: Array,
    x: Data,
) -> Array:
    view = _asked(x, floor)
    columns = family.columns(view.log_odds)
    features = np.stack([*columns, np.ones(view.n)])
    y = np.where(view.y, *targets)
    return logistic_sums(coefficients, features, y, view.w)


def _read(x: Data, floor: float) -> Predictions:
    """Whole vectors, zeros read as those of all rows are, with a label each."""
    assert isinstance(x, Predictions)
    return split_labels(x.with_floor(floor))


def _asked(x: Data, floor: float) -> View:
    """One chance: the claim, or of two classes that of the second."""
    view = one_class(x, 1) if isinstance(x, Predictions) else x
    return split_outcomes(view.with_floor(floor))
