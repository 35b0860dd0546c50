"""What every family shares: fitted to a view or to predictions, it gives a map.

To add a family, subclass `ChanceRule` (or `VectorRule`) with a formula and facts, and
`ChanceFamily` (or `VectorFamily`) with the way to choose such a rule. Saving, ONNX, torch, SQL and
descriptions follow.
"""

from abc import ABC, abstractmethod
from typing import get_type_hints

import numpy as np

from ..inputs.checks import IN_ONE, MAKE_THEM, check_argument
from ..inputs.predictions import Predictions, split_labels
from ..inputs.questions import canonical
from ..inputs.rounded import rounded_rows
from ..inputs.views import Canonical, View, split_outcomes
from .maps import ChanceMap, Map, VectorMap
from .rules import ChanceRule, VectorRule

Question = Predictions | View | Canonical


class Family(ABC):  # noqa: B024 - a family overrides chance_rule, vector_rule or both
    """A set of maps and a way to choose one: a frozen dataclass of hyperparameters, no state.

    Subclass `ChanceFamily` or `VectorFamily`; or this one, for both, with a `chance_rule` and a
    `vector_rule`. Hyperparameters are checked against their annotations.
    """

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(type(self)).items():
            if name in self.__dict__:
                value = _meant(getattr(self, name), kind)
                object.__setattr__(self, name, value)
                check_argument(name, value, kind)

    def fit(self, x: Question, *apart: object) -> Map:
        """Choose the map that fits a view, or the predictions as whole vectors."""
        if apart:
            raise ValueError(f"fit takes one argument, got {1 + len(apart)}; {IN_ONE}")
        if isinstance(x, View):
            return self._chance_map(x, self.chance_rule(split_outcomes(x)))
        if isinstance(x, Canonical):
            return self._fit_vector(x)
        if isinstance(x, Predictions) and x.answers is not None:
            fitted: Map = x.answers.fitted(self)
            return fitted
        if isinstance(x, Predictions):
            return self._fit_vector(canonical(x))
        raise ValueError(
            f"a family is fitted on Predictions or a view, got {type(x).__name__}: {MAKE_THEM}"
        )

    def fit_curve(self, view: View) -> Map:
        """The map of one chance as `fit` gives it, but that it need not know its band.

        What fits again and again, for calibrated chances alone, asks here.
        """
        return self.fit(view)

    def chance_rule(self, view: View) -> ChanceRule:
        """Choose the rule for one chance."""
        raise ValueError(
            f"{self!r} maps whole vectors and was given one chance (that {view.event}); "
            "fit it on Predictions"
        )

    def vector_rule(self, view: Canonical) -> VectorRule:
        """Choose the rule for whole vectors."""
        raise ValueError(
            f"{self!r} maps one chance and was given vectors of {view.pred.k}; "
            f"fit it on Predictions, or use OneVsRest({self!r})"
        )

    def _chance_map(self, view: View, rule: ChanceRule) -> ChanceMap:
        is_whole = view.completes is not None
        return ChanceMap(
            self,
            rule,
            view.total,
            view.event,
            view.completes,
            view.classes if is_whole else None,
            floor=view.floor,
            rounded=rounded_rows(view.p, view.w, view.late_reading.found),
        )

    def _fit_vector(self, view: Canonical) -> VectorMap:
        pred = view.pred
        rule = self.vector_rule(Canonical(split_labels(pred)))
        return VectorMap(
            self,
            rule,
            view.total,
            pred.kind,
            pred.classes,
            floor=pred.floor,
            rounded=rounded_rows(pred.values, pred.weights, pred.late_reading.found),
        )


def _meant(value: object, kind: object) -> object:
    """A setting as its annotation has it: numbers of numpy are Python's, families may be named."""
    if isinstance(value, np.generic):
        return value.item()
    if kind is Family and isinstance(value, str):
        from .names import family_of

        return family_of(value)
    if kind == tuple[Family, ...] and isinstance(value, list | tuple):
        return tuple(_meant(each, Family) for each in value)
    return value


def check_families(families: tuple[Family, ...]) -> None:
    """A family made of others has one at least."""
    are_families = all(isinstance(family, Family) for family in families)
    if not families or not are_families:
        raise ValueError(f"families must be a tuple of at least one family, got {families!r}")


class VectorFamily(Family):
    """A family for whole vectors: a frozen dataclass of hyperparameters.

    A subclass chooses a `VectorRule` or a `LogitRule` in `vector_rule`. A view has `scores`
    (logits, or log-probabilities where probabilities were given) and chances `p`, both (n, k),
    outcomes `y` as columns, weights `w` or None, and their `total`::

        @dataclass(frozen=True)
        class Doubling(VectorFamily):
            def vector_rule(self, view: Canonical) -> Doubled:
                return Doubled(factor=2.0)
    """

    @abstractmethod
    def vector_rule(self, view: Canonical) -> VectorRule:
        """Choose the rule for whole vectors."""
