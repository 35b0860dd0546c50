"""What in the data makes the numbers of a report say less than they seem to."""

from collections.abc import Iterator

import numpy as np

from ..fitting.types import Bools, Ints
from ..fitting.weights import present, some, weighted_sum
from ..inference.tests import ks_limit
from ..inputs.labels import are_shares
from ..inputs.predictions import Predictions
from ..inputs.rounded import exact_rows
from ..inputs.views import Data, View
from ..measures.rows import weights_of
from ..measures.scores import clip_of, event_rate, row_losses
from .counts import class_counts, observations
from .verdict import counted

FEW = 1000
RARE = 10
# An outcome is most of the data with this share, or with so many times an even one.
MOST_OF_ALL = 0.95
MANY_TIMES_EVEN = 10
MOST_NAMED = 5

ONLY = "Only {:,.6g} {}: chance alone makes errors of up to {:.2f} points."
TIED = "Many claims are tied: {:,} distinct in {:,} rows."
SURE = "Claims of exactly 0 or 1: {:,}, of which {:,} wrong."
NEVER = "{} of {} classes never occur ({}): nothing is known of their recall."
UNSEEN = "{} of {} classes never occur ({}), so the map all but rules them out"
ALWAYS = "the event {} in every row, so the map says little else"
SELDOM = "{} of {} classes occur fewer than {} times ({}): little is known of each."
DENIED = "Rows with a chance of exactly 0 for the right class: {:,}."
OF_SAMPLE = " These are of {:,} rows, drawn at random."
READ = "{} of exactly 0 or 1 count as rounded: maps read them as {:.2g} off, NLL as {:.2g}. {}"
THEIRS = "{:,} rows have some, and {} of the NLL is theirs."
LEAST_PERCENT = 0.1
COMMON = "Outcomes are uneven: {} makes up {:.3g}% of the rows{}."
LOPSIDED = "Outcomes are uneven: the event {} {:.3g}% of the time{}."
HARDLY = ", so errors about the others hardly move the numbers"


def data_warnings(x: Data, view: View) -> Iterator[str]:
    """A sentence for each; `view` is what the claims of x are taken from."""
    if view.total < FEW:
        limit = min(1.0, ks_limit(view))
        yield ONLY.format(view.total, counted(view), 100 * limit)
    yield from _about_ties(view)
    if isinstance(x, View):
        yield from _about_certainty(view)
        yield from _about_rounding(x)
        yield from _about_events(view)
        return
    if x.kind == "probs":
        yield from _about_certainty(view)
    yield from _about_commonest(x)
    yield from _about_rare(x)
    if x.kind == "probs":
        yield from _about_zeros(x)
        yield from _about_rounding(x)


def unseen(x: Data) -> str | None:
    """What never occurs among rows that a map is fitted on, if anything."""
    if isinstance(x, View):
        happened = event_rate(x)
        often = "happens" if happened else "fails to happen"
        return None if 0 < happened < 1 else ALWAYS.format(often)
    missing = np.flatnonzero(class_counts(x) == 0)
    if not len(missing):
        return None
    return UNSEEN.format(len(missing), x.k, _named(x, missing))


def _about_ties(view: View) -> Iterator[str]:
    rows = len(present(view.w, view.n))
    distinct = len(view.pool.p)
    if 2 * distinct < rows:
        yield TIED.format(distinct, rows)


def _about_certainty(view: View) -> Iterator[str]:
    rows = present(view.w, view.n)
    p = view.p[rows]
    is_sure = (p == 0) | (p == 1)
    is_wrong = is_sure & (view.y[rows] != (p == 1))
    if is_sure.any():
        # Points of a summary stand for as many rows as they weigh.
        w = None if view.pooled_rows is None else some(view.w, rows)
        sure, wrong = weighted_sum(is_sure, w), weighted_sum(is_wrong, w)
        yield SURE.format(round(float(sure)), round(float(wrong)))


def _about_events(view: View) -> Iterator[str]:
    happened = event_rate(view)
    most = max(happened, 1 - happened)
    often = "happens" if happened > 0.5 else "fails to happen"
    if most > MOST_OF_ALL:
        yield LOPSIDED.format(often, 100 * most, HARDLY)


def _about_commonest(pred: Predictions) -> Iterator[str]:
    shares = class_counts(pred) / observations(pred)
    commonest = int(shares.argmax())
    name = pred.classes[commonest]
    most = float(shares[commonest])
    times_even = most * pred.k
    if most > MOST_OF_ALL:
        yield COMMON.format(name, 100 * most, HARDLY)
    elif most > MANY_TIMES_EVEN / pred.k and most * observations(pred) >= RARE:
        yield COMMON.format(name, 100 * most, f", {times_even:.0f} times an even share")


def _about_rare(pred: Predictions) -> Iterator[str]:
    occurred = class_counts(pred)
    missing = np.flatnonzero(occurred == 0)
    rare = np.flatnonzero((occurred > 0) & (occurred < RARE))
    if len(missing):
        yield NEVER.format(len(missing), pred.k, _named(pred, missing))
    if len(rare):
        yield SELDOM.format(len(rare), pred.k, RARE, _named(pred, rare))


def _about_zeros(pred: Predictions) -> Iterator[str]:
    rows = present(pred.weights, pred.n)
    impossible = np.count_nonzero(_is_denied(pred[rows]))
    if impossible:
        of_sample = "" if pred.answers is None else OF_SAMPLE.format(pred.n)
        yield DENIED.format(impossible) + of_sample


def _is_denied(pred: Predictions) -> Bools:
    """Rows with a chance of exactly 0 for a class that they have, if only in part."""
    if are_shares(pred.labels):
        is_denied: Bools = (pred.values == 0) & (pred.labels > 0)
        return np.asarray(is_denied.any(1))
    places = np.arange(pred.n)
    right: Bools = pred.values[places, pred.labels] == 0
    return right


def _about_rounding(x: Data) -> Iterator[str]:
    """How claims of exactly 0 and 1 are read, and what they weigh."""
    reading = x.late_reading.found
    if not reading.rows:
        return
    given = x.p if isinstance(x, View) else x.values
    if isinstance(x, Predictions) and x.answers is not None:
        all_rows = f"{reading.rows:,.0f} rows have some."
        yield READ.format("Chances", reading.floor, clip_of(given, x.clip), all_rows)
        return
    name = "Claims" if isinstance(x, View) else "Chances"
    w = weights_of(x)
    is_rounded = exact_rows(given)
    some_present = np.count_nonzero(is_rounded[present(w, x.n)])
    losses = row_losses(x, "nll")
    whole = float(weighted_sum(losses, w))
    part = float(weighted_sum(losses * is_rounded, w))
    percent = 100 * part / whole if whole else 0.0
    share = f"{percent:.3g}%" if percent >= LEAST_PERCENT else f"less than {LEAST_PERCENT}%"
    theirs = THEIRS.format(some_present, share)
    yield READ.format(name, reading.floor, clip_of(given, x.clip), theirs)


def _named(pred: Predictions, columns: Ints) -> str:
    names = ", ".join(str(pred.classes[column]) for column in columns[:MOST_NAMED])
    return f"{names}, ..." if len(columns) > MOST_NAMED else names
