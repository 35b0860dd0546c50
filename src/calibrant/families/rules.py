"""Rules: the numbers of fitted maps, with the formula that uses them and the words that tell them.

A formula is written over operations, so that numpy, torch, ONNX and SQL have it from one place.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.newton import Certificate
from ..fitting.types import Array
from ..inputs.views import Canonical
from .numpy_operations import NUMPY, NumpyVectors
from .operations import Claims, Operations, Value, Vectors
from .stacking import map_arrays

Edges = Literal["width", "mass"]


class Fact(NamedTuple):
    """One number of a fitted map and what it means; `rule.facts()` yields them.

    The name is short, as in a table; the meaning says what a larger or smaller value would do.
    """

    name: str
    value: float
    meaning: str


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins of a binned map: edges between them; of each its weight, mean claim and outcome."""

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
    """The numbers of a fitted map: a frozen dataclass that owns its formula and its words.

    Subclass `ChanceRule`, `VectorRule` or `LogitRule`, and give it a `tag` and `facts`. So that it
    can be saved, all numbers that the formula uses are fields: floats, ints, texts, arrays,
    certificates, other rules, and tuples of these.
    """

    tag: ClassVar[str]  # its name in saved files, which no renaming changes
    certificate: Certificate | None = None  # why a convex fit may be trusted
    changes_nothing: ClassVar[bool] = False  # whether it leaves every claim as it is
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
    """A rule of one chance.

    A subclass is a frozen dataclass with a `tag`, a `formula` and `facts`. The formula takes
    `claims.p` or `claims.log_odds` and uses nothing but operators and what `ops` has::

        @dataclass(frozen=True, eq=False)
        class Shared(ChanceRule):
            tag = "shared"
            share: float

            def formula(self, claims: Claims, ops: Operations) -> Value:
                return ops.clip(self.share * claims.p, 0.0, 1.0)

            def facts(self) -> Iterator[Fact]:
                yield Fact("share", self.share, "claims are multiplied by it")

    `ChanceFamily` has the other half: how such a rule is chosen.
    """

    spread_name: ClassVar[str] = "95% band"  # what the ends of its spread are
    # Tables of several rules are put side by side; shorter ones go on with their last entry, or 0.
    padded_with_zeros: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def formula(self, claims: Claims, ops: Operations) -> Value:
        """The calibrated chance of claims, in whatever the operations work on."""

    def __call__(self, claims: Claims) -> Array:
        """Calibrated chances of a view's claims; its outcomes are not looked at."""
        # Log odds beyond all numbers are those of 0 and of 1.
        with np.errstate(over="ignore"):
            q = self.formula(claims, NUMPY)
        return np.asarray(q)

    def band(
        self,
        claims: Claims,  # noqa: ARG002 - most rules have none
        level: float = 0.95,  # noqa: ARG002
    ) -> tuple[Array, Array] | None:
        """Between which chances the true one lies with confidence `level`, if the rule can say."""
        return None

    def spread(self, claims: Claims) -> tuple[Array, Array] | None:
        """What is told beside a chance: the band, or what the rule has in its place."""
        return self.band(claims)

    @property
    def bins(self) -> Bins | None:
        """The bins, if the rule has any."""
        return None


class VectorRule(Rule):
    """A rule of whole probability vectors.

    A subclass is a frozen dataclass with a `tag`, `facts`, and a `formula` that gives chances: k
    columns, which sum to one. It takes `x.scores` or `x.p` and uses nothing but operators and what
    `ops` has. A rule whose result is the softmax of something is rather a `LogitRule`.
    """

    @abstractmethod
    def formula(self, x: Vectors, ops: Operations) -> Value:
        """Calibrated vectors, in whatever the operations work on."""

    def __call__(self, view: Canonical) -> Array:
        """Calibrated chances, (n, k); outcomes are not looked at."""

        def chances(block: Canonical) -> Array:
            return self.formula(NumpyVectors(block), NUMPY)

        return in_blocks(chances, view)

    @property
    def by_class(self) -> Sequence[ChanceRule]:
        """The rules of the classes, if each has one of its own."""
        return ()


class LogitRule(VectorRule):
    """A vector rule that gives logits, which stay exact however far a chance is from one half.

    A subclass is a frozen dataclass with a `tag`, `facts`, and `logits` in place of a formula::

        def logits(self, x: Vectors, ops: Operations) -> Value:
            return x.scores * self.factor + self.shift
    """

    @abstractmethod
    def logits(self, x: Vectors, ops: Operations) -> Value:
        """Calibrated logits, in whatever the operations work on."""

    def formula(self, x: Vectors, ops: Operations) -> Value:
        """Calibrated vectors, in whatever the operations work on."""
        return ops.softmax(self.logits(x, ops))

    def __call__(self, view: Canonical) -> Array:
        """Calibrated chances, (n, k), in float32 at least."""
        working = np.promote_types(view.scores.dtype, np.float32)
        rule = self._in_type(working)

        def chances(block: Canonical) -> Array:
            q: Array = rule.formula(NumpyVectors(block), NUMPY)
            return q.astype(working, copy=False)

        return in_blocks(chances, view)

    def calibrated_logits(self, view: Canonical) -> Array:
        """Calibrated logits, (n, k), in float32 at least."""
        working = np.promote_types(view.scores.dtype, np.float32)
        rule = self._in_type(working)

        def logits(block: Canonical) -> Array:
            z: Array = rule.logits(NumpyVectors(block), NUMPY)
            return z.astype(working, copy=False)

        return in_blocks(logits, view)

    def _in_type(self, working: np.dtype[Any]) -> Self:
        """The same rule with arrays of this type."""

        def converted(_: str, x: Array) -> Array:
            return x.astype(working)

        return map_arrays(self, converted)


def in_blocks(work: Callable[[Canonical], Array], view: Canonical) -> Array:
    """What `work` gives for a view, worked out in cache-sized blocks of rows on all cores."""

    def of_rows(rows: slice) -> Array:
        return work(view[rows])

    n, k = view.pred.values.shape
    found = on_all_cores(of_rows, row_blocks(n, k))
    if len(found) == 1:
        return found[0]
    return np.concatenate(found)
