"""Neighbouring claims taken together, so that the pictures of any number of rows cost the same."""

import numpy as np

from ..curves import histogram
from ..families.defaults import BINNED_CURVE_FAMILY
from ..fitting.types import Array, Ints
from ..inputs.questions import binary
from ..inputs.views import View

MOST_CLAIMS = 2048


def fewer_claims(view: View) -> View:
    """The view with neighbours as one where it has many claims; bars and bins keep their sums."""
    p, w, happened = view.pool
    if len(p) <= MOST_CLAIMS:
        return view
    starts = _starts(p)
    last = np.append(starts[1:], len(p)) - 1
    total = np.add.reduceat(w, starts)
    came = np.add.reduceat(happened, starts)
    claimed = np.add.reduceat(w * p, starts)
    mean = np.clip(claimed / total, p[starts], p[last])
    failed = np.maximum(total - came, 0)
    counts = np.stack([came, failed], axis=1).ravel()
    outcomes = np.tile([True, False], len(starts))
    return View(np.repeat(mean, 2), outcomes, counts, view.event)


def _starts(p: Array) -> Ints:
    """Where runs of neighbours start, of which none crosses the edge of a bar or a bin."""
    ends = binary(p[[0, -1]], [0, 0])
    of_bars = histogram(ends).edges
    of_bars_by_odds = histogram(ends, axes="logit").edges
    of_bins = np.linspace(0, 1, BINNED_CURVE_FAMILY.n_bins + 1)
    edges = np.concatenate([of_bars, of_bars_by_odds, of_bins])
    # A claim on an edge falls below it.
    after_edges = np.searchsorted(p, edges, side="right")
    inner = after_edges[after_edges < len(p)]
    evenly = np.linspace(0, len(p), MOST_CLAIMS, endpoint=False).astype(np.intp)
    # The least and the largest claim stay by themselves.
    alone = [0, 1, len(p) - 1]
    return np.unique(np.concatenate([alone, inner, evenly]))
