"""What share each family has in a blend, by what it said of rows that it had not seen."""

from collections.abc import Sequence

import numpy as np

from .logspace import TINY
from .mixture import mixture_weights
from .types import Array
from .weights import Weights, counts

# In nats over all rows: e times as likely, or what is simpler stays.
LEAST_GAIN = 1.0
# The shares of the best mixture were found on the rows that judge it.
MIXTURE_COST = 2.0
# Folds share most of their rows, so that likelihoods are too sure of themselves.
SHARPNESS = 0.5
SURE, LEAST_SHARE, DIGITS = 0.9, 0.05, 3


def blend_shares(losses: Sequence[Array], w: Weights) -> Array:
    """Shares of families, the simplest first, by the held-out log losses of each.

    A family weighs as the root of the likelihood it gives to the rows, if that is e times what every
    simpler one gives (Madigan and Raftery 1994). The mixture of greatest likelihood counts as one
    more, at a cost, and may bring in others. The first has all unless the blend makes the rows e times as likely.

    >>> sharp, right = np.full(100, 0.9), np.full(100, 0.6)
    >>> blend_shares([sharp, right], None).tolist(), blend_shares([right, sharp], None).tolist()
    ([0.0, 1.0], [1.0, 0.0])
    """
    stacked = np.stack(losses, axis=1)
    rows = counts(w, len(stacked))
    likelihoods = np.maximum(np.exp(-stacked), TINY)
    mixture, _ = mixture_weights(likelihoods, w)
    totals = rows @ stacked
    simpler = np.minimum.accumulate(totals)
    is_ahead = np.append(True, totals[1:] < simpler[:-1] - LEAST_GAIN)
    single = np.where(is_ahead, totals, np.inf)
    mixed = _total(likelihoods, mixture, rows) + MIXTURE_COST
    weights = _weights(np.append(single, mixed))
    alone = np.eye(len(totals))
    shares = _without_small(weights @ np.vstack([alone, mixture]))
    if shares.max() > SURE:
        shares = alone[shares.argmax()]
    gain = totals[0] - _total(likelihoods, shares, rows)
    return shares if gain > LEAST_GAIN else alone[0]


def _total(likelihoods: Array, shares: Array, rows: Array) -> float:
    return float(rows @ -np.log(likelihoods @ shares))


def _weights(totals: Array) -> Array:
    odds = np.exp(SHARPNESS * (totals.min() - totals))
    weights: Array = odds / odds.sum()
    return weights


def _without_small(shares: Array) -> Array:
    """Rounded, so that they can be read."""
    kept = np.where(shares < LEAST_SHARE, 0.0, shares)
    rounded: Array = np.round(kept / kept.sum(), DIGITS)
    rounded[rounded.argmax()] += 1 - rounded.sum()
    return np.round(rounded, DIGITS)
