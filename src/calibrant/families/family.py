"""What every family shares: fitted to a view it gives a map, whose rule is numbers, a formula and words.

To add a family, subclass `ChanceRule` (or `VectorRule`) with a formula and facts, and `ChanceFamily` (or
`VectorFamily`) with the way to choose such a rule. Saving, ONNX, torch, SQL and descriptions follow.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from os import PathLike
from typing import Any, ClassVar, Literal, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.logspace import TINY
from ..fitting.newton import Certificate
from ..fitting.types import Array
from ..inputs.checks import MAKE_THEM, check_argument, floats
from ..inputs.predictions import Kind, Predictions, from_logits, from_probs
from ..inputs.questions import binary, canonical, one_class
from ..inputs.views import Canonical, View
from .operations import NUMPY, Claims, NumpyVectors, Operations, Value, Vectors
from .stacking import map_arrays

Question = Predictions | View | Canonical
Edges = Literal["width", "mass"]


class Fact(NamedTuple):
    """One number of a fitted map and what it means."""

    name: str
    value: float
    meaning: str


class Bins(NamedTuple):
    """The bins of a binned map: edges between them, and of each its weight, mean claim and outcome."""

    inner: Array
    edges: Edges
    slope: int
    count: Array
    mean_p: Array
    mean_y: Array

    @property
    def lift(self) -> Array:
        """What each bin adds to slope * p."""
        return self.mean_y - self.slope * self.mean_p


class Rule(ABC):
    """The numbers of a fitted map: a frozen dataclass that owns its formula and its words."""

    tag: ClassVar[str]  # its name in saved files, which no renaming changes
    certificate: Certificate | None = None  # why a convex fit may be trusted
    free_numbers: int = 0  # how many numbers may follow random variation, if nothing holds them

    @abstractmethod
    def facts(self) -> Iterator[Fact]:
        """What a person should know of the fit."""

    def parts(self) -> Sequence["Rule"]:
        """The rules that this one is made of."""
        return ()

    def certificates(self) -> Iterator[Certificate]:
        """Those of the rule and of its parts."""
        if self.certificate is not None:
            yield self.certificate
        for part in self.parts():
            yield from part.certificates()


class ChanceRule(Rule):
    """A rule of one chance."""

    band_name: ClassVar[str] = ""  # what the ends of its band are, if it has one
    # Tables of several rules are put side by side; shorter ones go on with their last entry, or 0.
    padded_with_zeros: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def formula(self, claims: Claims, ops: Operations) -> Value:
        """The calibrated chance of claims, in whatever the operations work on."""

    def __call__(self, claims: Claims) -> Array:
        """Calibrated chances of a view's claims; its outcomes are not looked at."""
        return np.asarray(self.formula(claims, NUMPY))

    def band(self, claims: Claims, level: float = 0.95) -> tuple[Array, Array] | None:  # noqa: ARG002
        """Between which chances the true one lies, claim by claim, if the rule can say."""
        return None

    @property
    def bins(self) -> Bins | None:
        """The bins, if the rule has any."""
        return None


class VectorRule(Rule):
    """A rule of whole probability vectors."""

    @abstractmethod
    def formula(self, x: Vectors, ops: Operations) -> Value:
        """Calibrated vectors, in whatever the operations work on."""

    def __call__(self, view: Canonical) -> Array:
        """Calibrated chances, (n, k); outcomes are not looked at."""
        return in_blocks(lambda block: self.formula(NumpyVectors(block), NUMPY), view)

    @property
    def by_class(self) -> Sequence[ChanceRule]:
        """The rules of the classes, if each has one of its own."""
        return ()


class LogitRule(VectorRule):
    """A vector rule that gives logits, so that what it gives stays exact however far from one half."""

    @abstractmethod
    def logits(self, x: Vectors, ops: Operations) -> Value:
        """Calibrated logits, in whatever the operations work on."""

    def formula(self, x: Vectors, ops: Operations) -> Value:
        """Calibrated vectors, in whatever the operations work on."""
        return ops.softmax(self.logits(x, ops))

    def __call__(self, view: Canonical) -> Array:
        """Calibrated chances, (n, k), in float32 at least."""
        return self._in_type_of(view, lambda rule, *given: rule.formula(*given))

    def calibrated_logits(self, view: Canonical) -> Array:
        """Calibrated logits, (n, k), in float32 at least."""
        return self._in_type_of(view, lambda rule, *given: rule.logits(*given))

    def _in_type_of(self, view: Canonical, formula: Callable[..., Array]) -> Array:
        """What a formula gives in the type of the scores."""
        working = np.promote_types(view.scores.dtype, np.float32)
        rule = map_arrays(self, lambda _, x: x.astype(working))

        def work(block: Canonical) -> Array:
            return formula(rule, NumpyVectors(block), NUMPY).astype(working, copy=False)

        return in_blocks(work, view)


def in_blocks(work: Callable[[Canonical], Array], view: Canonical) -> Array:
    """What `work` gives for a view, worked out in cache-sized blocks of rows on all cores."""
    blocks = row_blocks(*view.pred.values.shape)
    found = on_all_cores(lambda rows: work(view[rows]), blocks)
    return found[0] if len(found) == 1 else np.concatenate(found)


@dataclass(frozen=True, eq=False)
class Map(ABC):
    """A fitted map from claimed to calibrated chances: call it on a view, or `apply` it."""

    family: "Family"
    rule: Any  # the family's own rule, whose numbers may be looked at
    total: float  # how many observations it was fitted on
    _: KW_ONLY
    floor: float = TINY  # what a claim of exactly 0, or exactly 1 less a claim, is read as

    @abstractmethod
    def __call__(self, x: Any) -> Array:  # noqa: ANN401 - a view, of the kind that the map was fitted on
        """Calibrated chances for a view's claims, or for an array of them."""

    @abstractmethod
    def apply(self, x: Any) -> Any:  # noqa: ANN401 - predictions to predictions, a view to a view
        """Predictions with every probability vector calibrated, or a view with its claims calibrated."""

    # Rooms above are loaded when they are asked for: they need extras, and fitting needs none of them.

    def save(self, path: str | PathLike[str]) -> None:
        """Write the map to one safetensors file, whole or not at all."""
        from ..deploy.store import save

        save(self, path)

    def to_onnx(
        self, path: str | PathLike[str], *, dtype: Literal["float32", "float64"] = "float32"
    ) -> None:
        """Write the map as an ONNX model, whole or not at all; needs the extra `onnx`.

        Numbers of type `dtype` go in and come out.
        """
        from ..deploy.onnx import export

        export(self, path, dtype=dtype)

    def to_sql(
        self,
        columns: str | Sequence[str],
        *,
        table: str | None = None,
        keep: Sequence[str] = (),
    ) -> str:
        """The map as SQL: an expression of a column of chances, or a SELECT list of k columns.

        Columns hold what the map was fitted on, logits or probabilities. With `table` it is a whole
        query, which also has the columns to `keep` and works out once what classes share.
        """
        from ..deploy.sql import to_sql

        return to_sql(self, columns, table=table, keep=keep)


@dataclass(frozen=True, eq=False)
class ChanceMap(Map):
    """A fitted map of one chance; `event` and `completes` say what it was fitted on."""

    rule: ChanceRule
    event: str
    completes: Literal[0, 1] | None
    classes: tuple[object, ...] | None

    def __call__(self, x: View | ArrayLike) -> Array:
        """Calibrated chances for a view's claims, or for an array of chances."""
        if isinstance(x, Predictions | Canonical):
            raise ValueError(
                f"this map is of one chance (that {self.event}); "
                "use map.apply(pred) or ask a view first"
            )
        if isinstance(x, View):
            return self.rule(x.with_floor(self.floor))
        p = floats(x, "p")
        claims = binary(p.ravel(), np.zeros(p.size, np.bool_))
        return self(claims).reshape(p.shape)

    def apply(self, x: Predictions | View) -> Any:  # noqa: ANN401 - of the kind of x
        """A view with its claims calibrated, or predictions of two classes with both chances calibrated."""
        if isinstance(x, View):
            q = self(x).astype(np.float64)
            return replace(x, p=np.clip(q, 0, 1), exact_log_odds=None)
        if not isinstance(x, Predictions):
            raise ValueError(f"a map is applied to Predictions or a View, got {type(x).__name__}")
        if self.completes is None or x.k != 2:
            raise ValueError(
                f"apply needs a map of whole vectors: this one was fitted on whether {self.event} and "
                f"the predictions have {x.k} classes; fit on Predictions, "
                f"or use OneVsRest({self.family!r})"
            )
        if self.classes is not None:
            refuse_other_classes(self.classes, x)
        view = one_class(x.with_floor(self.floor), self.completes)
        q = np.clip(self(view), 0, 1)
        pair = (1 - q, q) if self.completes else (q, 1 - q)
        return Predictions(np.stack(pair, axis=1), x.labels, x.weights, x.classes, "probs")


@dataclass(frozen=True, eq=False)
class VectorMap(Map):
    """A fitted map of whole vectors; `kind` and `classes` say what it was fitted on."""

    rule: VectorRule
    kind: Kind
    classes: tuple[object, ...]

    def __call__(self, x: Canonical | Predictions | ArrayLike) -> Array:
        """Calibrated chances, (n, k), of vectors of the kind that the map was fitted on."""
        return self.rule(self._canonical(x))

    def apply(self, x: Predictions) -> Predictions:
        """Predictions with every vector calibrated, as logits where the family works on logits."""
        view = self._canonical(x)
        pred = view.pred
        if isinstance(self.rule, LogitRule):
            values = self.rule.calibrated_logits(view)
            return Predictions(values, pred.labels, pred.weights, pred.classes, "logits")
        return Predictions(self.rule(view), pred.labels, pred.weights, pred.classes, "probs")

    def _canonical(self, x: Canonical | Predictions | ArrayLike) -> Canonical:
        """The vectors to calibrate, if they are what the map was fitted on."""
        if isinstance(x, View):
            raise ValueError(
                f"{self.family!r} was fitted on whole vectors and a view has one chance a row; "
                "use canonical(pred)"
            )
        if not isinstance(x, Predictions | Canonical):
            make = from_logits if self.kind == "logits" else from_probs
            values = floats(x, self.kind)
            x = make(values, np.zeros(len(values), np.intp), classes=self.classes)
        pred = x.pred if isinstance(x, Canonical) else x
        if pred.kind != self.kind:
            raise ValueError(
                f"this map was fitted on {self.kind} and the predictions are {pred.kind}: "
                f"give {self.kind}, from_{self.kind}"
            )
        refuse_other_classes(self.classes, pred)
        return Canonical(pred.with_floor(self.floor))


def refuse_other_classes(fitted: tuple[object, ...], pred: Predictions) -> None:
    """A map of some classes says nothing of others, nor of the same in another order."""
    if pred.classes != fitted:
        raise ValueError(
            f"this map was fitted on {len(fitted)} classes {fitted[:3]}... and the predictions have "
            f"{pred.k} classes {pred.classes[:3]}...; they must be the same in the same order"
        )


class Family(ABC):  # noqa: B024 - a family overrides chance_rule, vector_rule or both
    """A set of maps and a way to choose one: a frozen dataclass of hyperparameters, no state."""

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(type(self)).items():
            if name in self.__dict__:
                check_argument(name, getattr(self, name), kind)

    def fit(self, x: Question) -> Map:
        """Choose the map that fits a view, or the predictions as whole vectors."""
        if isinstance(x, View):
            return self._fit_chance(x)
        if not isinstance(x, Predictions | Canonical):
            raise ValueError(
                f"a family is fitted on Predictions or a view, got {type(x).__name__}: {MAKE_THEM}"
            )
        view = x if isinstance(x, Canonical) else canonical(x)
        pred = view.pred
        rule = self.vector_rule(view)
        return VectorMap(self, rule, view.total, pred.kind, pred.classes, floor=pred.floor)

    def _fit_chance(self, view: View) -> ChanceMap:
        classes = None if view.completes is None else view.classes
        rule = self.chance_rule(view)
        return ChanceMap(
            self, rule, view.total, view.event, view.completes, classes, floor=view.floor
        )

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
            f"use OneVsRest({self!r})"
        )


class VectorFamily(Family):
    """A family for whole vectors."""

    @abstractmethod
    def vector_rule(self, view: Canonical) -> VectorRule:
        """Choose the rule for whole vectors."""
