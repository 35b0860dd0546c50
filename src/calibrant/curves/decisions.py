"""What decisions come to at every threshold: net benefit, Murphy's diagram, risk by coverage."""

from dataclasses import dataclass

import numpy as np

from ..decisions.abstention import aurc
from ..decisions.costs import benefits_at
from ..decisions.kept import Kept, decided_view, kept, single_view
from ..families.defaults import DECOMPOSITION_FAMILY
from ..families.family import Family
from ..families.names import family_of
from ..fitting.types import Array
from ..inputs.predictions import Predictions
from ..inputs.views import View
from ..measures.scores import brier
from .drawn import Drawn

_THRESHOLDS = np.linspace(0.005, 0.995, 199)
_POINTS = 400


@dataclass(frozen=True, eq=False)
class NetBenefit(Drawn):
    """At some `thresholds` the net benefit of the claims, of saying yes always, and of never."""

    drawn_by = "net_benefit"

    event: str
    thresholds: Array
    claims: Array
    always: Array
    total: float

    @property
    def never(self) -> Array:
        """Saying no to all is worth nothing."""
        return np.zeros(len(self.thresholds))


@dataclass(frozen=True, eq=False)
class Murphy(Drawn):
    """At some `thresholds` the mean elementary score of claims, and of the same calibrated.

    The area below `claims`, twice, is the Brier score: `brier`. Between both lies what calibration
    would save at each threshold.
    """

    drawn_by = "murphy"

    event: str
    thresholds: Array
    claims: Array
    calibrated: Array
    brier: float
    total: float


@dataclass(frozen=True, eq=False)
class RiskCoverage(Drawn):
    """At some shares of rows kept, the surest first: the claim kept last, and the share wrong.

    `aurc` is the mean risk over all coverages.
    """

    drawn_by = "risk_coverage"

    event: str
    coverage: Array
    threshold: Array
    risk: Array
    aurc: float
    total: float


def net_benefit(x: Predictions | View) -> NetBenefit:
    """Net benefit by threshold, beside that of deciding all rows alike (Vickers and Elkin 2006).

    >>> from calibrant import binary
    >>> found = net_benefit(binary([0.2] * 10 + [0.8] * 10, [1] * 2 + [0] * 8 + [1] * 8 + [0] * 2))
    >>> bool((found.claims >= found.always - 1e-12).all())
    True
    """
    view = decided_view(x)
    found = kept(view)
    share = found.all_events / found.total
    odds = _THRESHOLDS / (1 - _THRESHOLDS)
    return NetBenefit(
        event=view.event,
        thresholds=_THRESHOLDS,
        claims=benefits_at(found, _THRESHOLDS),
        always=share - (1 - share) * odds,
        total=view.total,
    )


def murphy(x: Predictions | View, family: Family | str = DECOMPOSITION_FAMILY) -> Murphy:
    """Elementary scores by threshold (Ehm et al. 2016): what mistakes of costs t and 1 - t cost.

    >>> from calibrant import binary
    >>> found = murphy(binary([0.1, 0.4, 0.9], [0, 1, 1]))
    >>> bool((found.calibrated <= found.claims + 1e-12).all())
    True
    """
    view = decided_view(x)
    family = family_of(family)
    calibrated = family.fit(view).apply(view)
    return Murphy(
        event=view.event,
        thresholds=_THRESHOLDS,
        claims=elementary_scores(kept(view), _THRESHOLDS),
        calibrated=elementary_scores(kept(calibrated), _THRESHOLDS),
        brier=brier(view),
        total=view.total,
    )


def elementary_scores(found: Kept, thresholds: Array) -> Array:
    """The mean elementary score at each threshold: t for a false yes, 1 - t for a false no."""
    rows, events = found.above(thresholds)
    false_positives = rows - events
    false_negatives = found.all_events - events
    costs = thresholds * false_positives + (1 - thresholds) * false_negatives
    return costs / found.total


def risk_coverage(x: Predictions | View) -> RiskCoverage:
    """The share wrong among the rows kept, from the surest down; equal claims in random order.

    >>> from calibrant import binary
    >>> found = risk_coverage(binary([0.9, 0.8, 0.7, 0.6], [1, 1, 0, 1]))
    >>> found.coverage.tolist(), found.risk.round(4).tolist()
    ([0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.3333, 0.25])
    """
    view = single_view(x)
    found = kept(view)
    coverage = found.rows / found.total
    even = np.searchsorted(coverage, np.linspace(0, 1, _POINTS)).clip(max=len(coverage) - 1)
    at = np.unique(even)
    wrong = found.rows - found.events
    return RiskCoverage(
        event=view.event,
        coverage=coverage[at],
        threshold=found.p[at],
        risk=wrong[at] / found.rows[at],
        aurc=aurc(view),
        total=view.total,
    )
