"""To answer or to abstain: how right the surest rows are, and whether sureness tells right from wrong."""

import numpy as np
from scipy.special import digamma

from ..inputs.checks import Undefined
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked
from ..inputs.views import View
from ..measures.averages import mean_over_views
from .kept import kept, single_view


def aurc(x: Asked) -> float:
    """Area under the risk-coverage curve: the share wrong among the rows kept, averaged over coverage.

    Rows are kept from the surest down, each coverage 1/n, 2/n, ... once (Geifman and El-Yaniv
    2017); equal claims are in random order, of which this is the expectation.

    >>> from calibrant import binary
    >>> aurc(binary([0.9, 0.8, 0.7, 0.6], [1, 1, 0, 1])).__round__(4)
    0.1458
    """
    return mean_over_views(_aurc, x)


def auroc(x: Asked) -> float:
    """Chance that of a right and a wrong row the right one is surer, equal claims counting half.

    >>> from calibrant import binary
    >>> auroc(binary([0.9, 0.8, 0.7, 0.6], [1, 1, 0, 1])).__round__(4)
    0.6667
    """
    return mean_over_views(_auroc, x)


def accuracy_at(x: Predictions | View, coverage: float) -> float:
    """How many are right of this share of rows, the surest; equal claims are in random order.

    >>> from calibrant import binary
    >>> accuracy_at(binary([0.9, 0.8, 0.7, 0.6], [1, 1, 0, 1]), 0.5)
    1.0
    """
    if not 0 < coverage <= 1:
        raise ValueError(f"coverage must be a share above 0 and at most 1, got {coverage}")
    found = kept(single_view(x))
    rows = max(coverage, 1e-12) * found.total  # as a share of less has no digits
    events = np.interp(rows, np.append(0, found.rows), np.append(0, found.events))
    return float(events / rows)


def coverage_at(x: Predictions | View, threshold: float) -> float:
    """The share of rows with claims at or above a threshold.

    >>> from calibrant import binary
    >>> coverage_at(binary([0.9, 0.8, 0.7, 0.6], [1, 1, 0, 1]), 0.7)
    0.75
    """
    found = kept(single_view(x))
    rows, _ = found.above(threshold)
    return float(rows / found.total)


def _aurc(view: View) -> float:
    found = kept(view)
    wrong = found.w - found.happened
    rows = found.rows - found.w
    share = wrong / found.w
    # Within equal claims the risk at row j is (before + j share) / (rows + j): a harmonic sum.
    before = np.cumsum(wrong) - wrong
    harmonic = digamma(found.rows + 1) - digamma(rows + 1)
    area = wrong + (before - rows * share) * harmonic
    return float(area.sum() / found.total)


def _auroc(view: View) -> float:
    found = kept(view)
    wrong = found.w - found.happened
    pairs = found.all_events * wrong.sum()
    if not pairs:
        raise Undefined("the AUROC needs right rows and wrong ones", "every outcome is the same")
    surer = found.events - found.happened / 2
    return float(surer @ wrong / pairs)
