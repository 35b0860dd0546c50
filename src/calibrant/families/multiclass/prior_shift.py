"""Prior shift: claims that held where classes were so frequent, where they are more or less so."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...fitting.priors import best_shares
from ...fitting.types import Array
from ...fitting.weights import counts
from ...inputs.checks import MAKE_THEM, briefly
from ...inputs.labels import are_shares
from ...inputs.predictions import Predictions
from ...inputs.questions import canonical
from ...inputs.views import Canonical, View
from ..family import Family, Question
from ..maps import Map
from ..operations import Claims, Operations, Value, Vectors
from ..rules import ChanceRule, Fact, LogitRule

_UNSEEN = (
    "every class needs rows, so that its share is known where the claims held; class {} has none: "
    "fit on rows that have it, or leave its column out"
)
_NEEDS_ROWS = (
    'PriorShift("estimate") learns shares from rows without labels: '
    'give them too, as PriorShift("estimate").fit(labelled, unlabelled)'
)


@dataclass(frozen=True, eq=False)
class OddsTimes(ChanceRule):
    """Log odds plus the change of the prior's."""

    tag = "odds-times"
    shift: float
    before: float
    after: float

    def formula(self, claims: Claims, ops: Operations) -> Value:
        return ops.expit(claims.log_odds + self.shift)

    def facts(self) -> Iterator[Fact]:
        yield Fact("prior before", self.before, "how often the event happened where claims held")
        yield Fact("prior after", self.after, "how often it happens in the new population")
        yield Fact("shift", self.shift, "added to the log odds")


@dataclass(frozen=True, eq=False)
class ChancesTimes(LogitRule):
    """Logits plus the logs of the priors' ratios: chances times these, normalised."""

    tag = "chances-times"
    shift: Array
    before: Array
    after: Array

    def logits(self, x: Vectors, ops: Operations) -> Value:  # noqa: ARG002 - a sum is enough
        return x.scores + self.shift

    def facts(self) -> Iterator[Fact]:
        ratio = self.after / self.before
        yield Fact("classes", len(ratio), "each with a share before and one after")
        yield Fact("least ratio", float(ratio.min()), "of a class that has become rarer")
        yield Fact("largest ratio", float(ratio.max()), "of a class that has become more frequent")


@dataclass(frozen=True)
class PriorShift(Family):
    """Claims for a population in which classes have other shares, and else are as they were.

    `target` is the share of the event, or one for each class; or "estimate", which finds them in
    rows without labels (Saerens et al. 2002): `PriorShift("estimate").fit(labelled, new)`. Claims
    must be calibrated on the labelled rows: calibrate first.

    >>> from calibrant import binary
    >>> view = binary([0.2] * 5 + [0.8] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0])
    >>> PriorShift(0.1).fit(view)([0.5, 0.8]).round(3).tolist()
    [0.1, 0.308]
    """

    target: float | tuple[float, ...] | Literal["estimate"]

    def __post_init__(self) -> None:
        given: Any = self.target
        if not isinstance(given, str) and np.ndim(given):
            shares = tuple(map(float, given))
            object.__setattr__(self, "target", shares if len(shares) > 1 else shares[0])
        super().__post_init__()
        if self.target == "estimate":
            return
        target = np.atleast_1d(self.target)
        is_whole = len(target) == 1 or abs(target.sum() - 1) < 1e-6
        if not ((target > 0) & (target < 1)).all() or not is_whole:
            raise ValueError(
                "target must be a share between 0 and 1, or one for each class that sum to one, "
                f'or "estimate"; got {briefly(given)}'
            )

    def fit(self, x: Question, *new: object) -> Map:
        """The map from `x`, whose labels tell the shares before; "estimate" takes new rows too."""
        if self.target != "estimate":
            return super().fit(x, *new)
        if len(new) != 1:
            raise ValueError(_NEEDS_ROWS)
        found = estimated_shares(x, new[0])
        target = float(found[1]) if isinstance(x, View) else tuple(found.tolist())
        return replace(PriorShift(target).fit(x), family=self)

    def chance_rule(self, view: View) -> OddsTimes:
        """The odds of the target over those of the outcomes."""
        before = known_shares(view)[1]
        after = self._shares(2)[1]
        shift = np.log(after / (1 - after)) - np.log(before / (1 - before))
        return OddsTimes(float(shift), float(before), float(after))

    def vector_rule(self, view: Canonical) -> ChancesTimes:
        """The shares of the target over those of the labels."""
        before = known_shares(view.pred)
        after = self._shares(view.pred.k)
        return ChancesTimes(np.log(after / before), before, after)

    def _shares(self, k: int) -> Array:
        if self.target == "estimate":
            raise ValueError(_NEEDS_ROWS)
        given = np.atleast_1d(np.asarray(self.target, np.float64))
        shares = np.append(1 - given, given) if len(given) == 1 else given
        if len(shares) != k:
            raise ValueError(f"target must have a share for each of the {k} classes, got {given}")
        return shares / shares.sum()


def estimated_shares(x: Question, new: object) -> Array:
    """The likeliest share of each class in new rows, whose labels are not looked at."""
    same = (View,) if isinstance(x, View) else (Predictions, Canonical)
    if not isinstance(new, same):
        raise ValueError(
            f"the new rows must be asked as the labelled ones are, {type(x).__name__}, "
            f"got {type(new).__name__}: {MAKE_THEM}"
        )
    p, w = chances_of(new)
    known = known_shares(x)
    if len(known) != p.shape[1]:
        raise ValueError(
            f"the new rows must be of the same classes, {len(known)} in number, got {p.shape[1]}"
        )
    return best_shares(p, known, w)


def chances_of(x: object) -> tuple[Array, Array | None]:
    """Chances of all classes, (n, k), of a view those of the event in the second column; weights."""
    if isinstance(x, View):
        p = x.p.astype(np.float64)
        return np.stack([1 - p, p], axis=1), x.w
    pred = x.pred if isinstance(x, Canonical) else x
    assert isinstance(pred, Predictions)
    return pred.probs, pred.weights


def known_shares(x: Question) -> Array:
    """The share of each class among labelled rows; of a view that of the event is the second."""
    if isinstance(x, View):
        events = float(counts(x.w, x.n) @ x.y) / x.total
        shares = np.array([1 - events, events])
        names: Sequence[object] = ("no event", "event")
    else:
        pred = x.pred if isinstance(x, Canonical) else x
        canonical(pred)
        shares = _label_counts(pred) / pred.total
        names = pred.classes
    if not shares.min() > 0:
        raise ValueError(_UNSEEN.format(briefly(names[int(shares.argmin())])))
    return shares


def _label_counts(pred: Predictions) -> Array:
    w = counts(pred.weights, pred.n)
    if are_shares(pred.labels):
        return w @ pred.labels
    return np.bincount(pred.labels, w, pred.k).astype(np.float64)
