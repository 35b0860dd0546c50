"""What every family of calibration maps shares: it is fitted to a view and gives a map."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

from ..fitting.logspace import softmax
from ..fitting.types import Array
from ..inputs.checks import MAKE_THEM, check_argument, floats
from ..inputs.predictions import Kind, Predictions
from ..inputs.questions import binary, canonical, one_class
from ..inputs.views import Canonical, View

Question = Predictions | View | Canonical


class ChanceRule(ABC):
    """The numbers of a fitted map of one chance: a frozen dataclass, nothing else."""

    @abstractmethod
    def __call__(self, view: View) -> Array:
        """Calibrated chances for the view's claims; its outcomes are not looked at."""


class VectorRule(ABC):
    """The numbers of a fitted map of whole probability vectors: a frozen dataclass, nothing else."""

    @abstractmethod
    def __call__(self, view: Canonical) -> Array:
        """Calibrated chances, (n, k); outcomes are not looked at."""


class LogitRule(VectorRule):
    """A vector rule that gives logits, so that what it gives stays exact however far from one half."""

    @abstractmethod
    def logits(self, scores: Array) -> Array:
        """Calibrated logits, (n, k)."""

    def __call__(self, view: Canonical) -> Array:
        """Calibrated chances, (n, k)."""
        return softmax(self.logits(view.scores))


class Map(ABC):
    """A fitted map from claimed to calibrated chances: call it on a view, or `apply` it to predictions."""

    family: "Family"
    rule: Any  # the family's own rule, whose numbers may be looked at
    total: float  # how many observations it was fitted on

    @abstractmethod
    def __call__(self, x: Any) -> Array:  # noqa: ANN401 - a view, of the kind that the map was fitted on
        """Calibrated chances for a view's claims."""

    @abstractmethod
    def apply(self, pred: Predictions) -> Predictions:
        """Predictions with every probability vector calibrated."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the map to one safetensors file, whole or not at all."""
        from ..deploy.store import save

        save(self, path)

    def to_onnx(self, path: str | PathLike[str]) -> None:
        """Write the map as an ONNX model, float32 in and out, whole or not at all; needs the extra `onnx`."""
        from ..onnx import export

        export(self, path)


@dataclass(frozen=True, eq=False)
class ChanceMap(Map):
    """A fitted map of one chance; `event` and `completes` say what it was fitted on, and `total` how many rows."""

    family: "Family"
    rule: ChanceRule
    total: float
    event: str
    completes: Literal[0, 1] | None
    classes: tuple[object, ...] | None

    def __call__(self, x: View | ArrayLike) -> Array:
        """Calibrated chances for a view's claims, or for an array of chances."""
        if isinstance(x, Predictions | Canonical):
            raise ValueError(
                f"this map is of one chance (that {self.event}); use map.apply(pred) or ask a view first"
            )
        if isinstance(x, View):
            return self.rule(x)
        p = floats(x, "p")
        return self.rule(binary(p.ravel(), np.zeros(p.size, np.bool_))).reshape(p.shape)

    def apply(self, pred: Predictions) -> Predictions:
        """Predictions whose two chances are calibrated; only a map of one class of two can say both."""
        if self.completes is None or pred.k != 2:
            raise ValueError(
                f"apply needs a map of whole vectors: this one was fitted on whether {self.event} and the predictions "
                f"have {pred.k} classes; fit on Predictions, or use OneVsRest({self.family!r})"
            )
        if self.classes is not None:
            refuse_other_classes(self.classes, pred)
        q = np.clip(self.rule(one_class(pred, self.completes)), 0, 1)
        pair = (1 - q, q) if self.completes else (q, 1 - q)
        return Predictions(np.stack(pair, axis=1), pred.labels, pred.weights, pred.classes, "probs")


@dataclass(frozen=True, eq=False)
class VectorMap(Map):
    """A fitted map of whole vectors; `kind` and `classes` say what it was fitted on, and `total` how many rows."""

    family: "Family"
    rule: VectorRule
    total: float
    kind: Kind
    classes: tuple[object, ...]

    def __call__(self, x: Canonical | Predictions) -> Array:
        """Calibrated chances, (n, k)."""
        if isinstance(x, View):
            raise ValueError(
                f"{self.family!r} was fitted on whole vectors and a view has one chance a row; use canonical(pred)"
            )
        view = x if isinstance(x, Canonical) else canonical(x)
        self._refuse_stranger(view.pred)
        return self.rule(view)

    def apply(self, pred: Predictions) -> Predictions:
        """Predictions with every vector calibrated, as logits where the family works on logits."""
        self._refuse_stranger(pred)
        if isinstance(self.rule, LogitRule):
            return Predictions(
                self.rule.logits(pred.scores), pred.labels, pred.weights, pred.classes, "logits"
            )
        return Predictions(
            self.rule(canonical(pred)), pred.labels, pred.weights, pred.classes, "probs"
        )

    def _refuse_stranger(self, pred: Predictions) -> None:
        if pred.kind != self.kind:
            raise ValueError(
                f"this map was fitted on {self.kind} and the predictions are {pred.kind}: "
                f"give {self.kind}, from_{self.kind}"
            )
        refuse_other_classes(self.classes, pred)


def refuse_other_classes(fitted: tuple[object, ...], pred: Predictions) -> None:
    """A map of some classes says nothing of others, nor of the same in another order."""
    if pred.classes != fitted:
        raise ValueError(
            f"this map was fitted on {len(fitted)} classes {fitted[:3]}... and the predictions have {pred.k} classes "
            f"{pred.classes[:3]}...; they must be the same in the same order"
        )


class Family(ABC):  # noqa: B024 - a family overrides chance_rule, vector_rule or both
    """A set of maps and a rule to choose one: a frozen dataclass of hyperparameters, no state."""

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(type(self)).items():
            if name in self.__dict__:
                check_argument(name, getattr(self, name), kind)

    def fit(self, x: Question) -> Map:
        """Choose the map that fits a view, or the predictions as whole vectors."""
        if isinstance(x, View):
            return ChanceMap(
                self,
                self.chance_rule(x),
                x.total,
                x.event,
                x.completes,
                x.classes if x.completes is not None else None,
            )
        if not isinstance(x, Predictions | Canonical):
            raise ValueError(
                f"a family is fitted on Predictions or a view, got {type(x).__name__}: {MAKE_THEM}"
            )
        view = x if isinstance(x, Canonical) else canonical(x)
        return VectorMap(
            self, self.vector_rule(view), view.total, view.pred.kind, view.pred.classes
        )

    def chance_rule(self, view: View) -> ChanceRule:
        """Choose the rule for one chance."""
        raise ValueError(
            f"{self!r} maps whole vectors and was given one chance (that {view.event}); fit it on Predictions"
        )

    def vector_rule(self, view: Canonical) -> VectorRule:
        """Choose the rule for whole vectors."""
        raise ValueError(
            f"{self!r} maps one chance and was given vectors of {view.pred.k}; use OneVsRest({self!r})"
        )


class ChanceFamily(Family):
    """A family for one chance: of two classes it takes class 1, of more it becomes one-vs-rest."""

    def fit(self, x: Question) -> Map:
        """Choose the map that fits a view, class 1 of two, or each class of more."""
        if isinstance(x, Predictions):
            from .multiclass.one_vs_rest import OneVsRest

            return super().fit(one_class(x, 1)) if x.k == 2 else OneVsRest(self).fit(x)
        return super().fit(x)

    @abstractmethod
    def chance_rule(self, view: View) -> ChanceRule:
        """Choose the rule for one chance."""
