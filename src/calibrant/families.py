"""What every family of calibration maps shares: it is fitted to a view and gives a map."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from os import PathLike
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

from .fitting.logspace import softmax
from .predictions import Array, Ints, Kind, Predictions, floats
from .views import MAKE_THEM, Canonical, View, binary, canonical, one_class

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
        from .store import save

        save(self, path)

    def to_onnx(self, path: str | PathLike[str]) -> None:
        """Write the map as an ONNX model, float32 in and out, whole or not at all; needs the extra `onnx`."""
        from .onnx import export

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
            raise ValueError(f"this map is of one chance (that {self.event}); use map.apply(pred) or ask a view first")
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
            return Predictions(self.rule.logits(pred.scores), pred.labels, pred.weights, pred.classes, "logits")
        return Predictions(self.rule(canonical(pred)), pred.labels, pred.weights, pred.classes, "probs")

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
                refuse_other(name, getattr(self, name), kind)

    def fit(self, x: Question) -> Map:
        """Choose the map that fits a view, or the predictions as whole vectors."""
        if isinstance(x, View):
            return ChanceMap(
                self, self.chance_rule(x), x.total, x.event, x.completes, x.classes if x.completes is not None else None
            )
        if not isinstance(x, Predictions | Canonical):
            raise ValueError(f"a family is fitted on Predictions or a view, got {type(x).__name__}: {MAKE_THEM}")
        view = x if isinstance(x, Canonical) else canonical(x)
        return VectorMap(self, self.vector_rule(view), view.total, view.pred.kind, view.pred.classes)

    def chance_rule(self, view: View) -> ChanceRule:
        """Choose the rule for one chance."""
        raise ValueError(
            f"{self!r} maps whole vectors and was given one chance (that {view.event}); fit it on Predictions"
        )

    def vector_rule(self, view: Canonical) -> VectorRule:
        """Choose the rule for whole vectors."""
        raise ValueError(f"{self!r} maps one chance and was given vectors of {view.pred.k}; use OneVsRest({self!r})")


class ChanceFamily(Family):
    """A family for one chance: of two classes it takes class 1, of more it becomes one-vs-rest."""

    def fit(self, x: Question) -> Map:
        """Choose the map that fits a view, class 1 of two, or each class of more."""
        if isinstance(x, Predictions):
            from .vectors.one_vs_rest import OneVsRest

            return super().fit(one_class(x, 1)) if x.k == 2 else OneVsRest(self).fit(x)
        return super().fit(x)

    @abstractmethod
    def chance_rule(self, view: View) -> ChanceRule:
        """Choose the rule for one chance."""


def cross_fit(family: Family, view: View | Canonical, *, folds: int = 10, seed: int = 0) -> Array:
    """Calibrated chances in which no row had a say in its own map.

    >>> from calibrant import Isotonic
    >>> q = cross_fit(Isotonic(), binary(np.linspace(0, 1, 200), np.arange(200) % 3 == 0))
    >>> bool(abs(q - 1 / 3).mean() < 0.1)
    True
    """
    if not isinstance(view, View | Canonical):
        raise ValueError(f"cross_fit takes a view, got {type(view).__name__}: use top_label(pred) or canonical(pred)")
    q = np.empty(view.p.shape)
    for fitted, held in held_out(view, folds, seed):
        q[held] = family.fit(view[fitted])(view[held])
    if view.w is not None and not view.w.all():
        silent = np.flatnonzero(view.w == 0)
        q[silent] = family.fit(view)(view[silent])
    return q


def held_out(view: View | Canonical, folds: int, seed: int) -> list[tuple[Ints, Ints]]:
    """Rows to fit on and rows held out, for each fold; rows are sorted first, so their order is irrelevant.

    The folds are those of scikit-learn's `KFold(folds, shuffle=True, random_state=seed)` over rows sorted by claim.
    """
    weights = np.zeros(view.n) if view.w is None else view.w
    # Claims that round to one value are told apart by their log odds.
    claims = (view.log_odds, view.p) if isinstance(view, View) else tuple(view.scores.T[::-1])
    order = np.lexsort((weights, view.y, *claims))
    if view.w is not None:
        order = order[view.w[order] > 0]
    n = len(order)
    if not isinstance(folds, int | np.integer) or folds < 2 or n < 2:
        raise ValueError(f"cross-fitting needs a whole number of folds, at least 2, and 2 rows; got {folds} and {n}")
    shuffled = np.arange(n)
    np.random.RandomState(seed).shuffle(shuffled)
    fold = np.empty(n, np.intp)
    for place, part in enumerate(np.array_split(shuffled, min(folds, n))):
        fold[part] = place
    return [(order[fold != place], order[fold == place]) for place in range(min(folds, n))]


def refuse_other(name: str, value: object, kind: Any) -> None:  # noqa: ANN401 - any type, as annotations are
    """A value that is not what its annotation allows: one of some words, a whole number, a family."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    words = [word for each in kinds if get_origin(each) is Literal for word in get_args(each)]
    types = tuple(plain for each in kinds if isinstance(plain := get_origin(each) or each, type))
    fits = not (words or types) or (isinstance(value, types) and (bool in types or not isinstance(value, bool)))
    if not fits and not any(value == word and type(value) is type(word) for word in words):
        allowed = [repr(word) for word in words] + [f"of type {each.__name__}" for each in types]
        raise ValueError(f"{name} must be {' or '.join(allowed)}, got {value!r}")


def simplest_within(scores: Array, slack: float) -> int:
    """Place of the first, and so simplest, candidate whose score is at most so large a share above the best."""
    return int(np.argmax(scores <= scores.min() * (1 + slack)))


def refuse_slack(slack: float) -> None:
    """A share by which a simpler candidate may be worse than the best must not be negative."""
    if not slack >= 0:
        raise ValueError(f"slack must be at least 0, such as 0.001 for 0.1%; got {slack}")
