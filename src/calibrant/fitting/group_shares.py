"""Shares of groups' own maps, by what held-out rows of each and of groups of like size say."""

import numpy as np
from scipy.special import logsumexp

from .types import Array

SHARES = np.linspace(0, 1, 11)
# A group's say in what to expect of another falls with the distance of their log sizes.
_LIKE = 0.7
_ROUNDS = 100


def expected_shares(gains: Array, sizes: Array) -> Array:
    """The mean share of each group, (groups,), under a prior that groups of like size have in common.

    `gains` are log likelihoods of held-out rows, (groups, shares). The prior is the one of greatest
    likelihood, by EM, with one more group beside each that is as all others.

    >>> telling, silent = np.tile(SHARES * 5, (50, 1)), SHARES[None] * 0
    >>> expected_shares(np.append(telling, silent, 0), np.full(51, 100.0))[-1] > 0.8
    np.True_
    """
    as_others = np.full(len(SHARES), 0.1 / len(SHARES))
    as_others[0] += 0.9
    apart = np.subtract.outer(np.log(sizes), np.log(sizes))
    say = np.exp(-((apart / _LIKE) ** 2) / 2)
    prior = np.full(gains.shape, 1 / gains.shape[1])
    posterior = prior
    for _ in range(_ROUNDS):
        logs = gains + np.log(prior)
        posterior = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
        prior = say @ posterior + as_others
        prior /= prior.sum(1, keepdims=True)
    # Rounding may leave a mean a little beyond the ends.
    return np.clip(posterior @ SHARES, 0, 1)
