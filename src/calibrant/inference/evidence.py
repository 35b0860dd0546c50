"""Evidence against right claims: how much likelier outcomes are under the curves of Smooth."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import logsumexp

from ..families.binary.penalised_splines import LIMIT
from ..families.binary.shift_models import Model, PriorOdds, exact_gaps, models
from ..fitting.types import Array
from ..measures.draws import Cells

Evidence = Callable[[Array], Array]  # of how many claims of each cell came true
# Claims that are too extreme, or too timid, are what there is to find most often.
PRIOR_ODDS = PriorOdds(identity=0.02, temperature=0.1)


def log_evidence(part: Cells) -> Evidence:
    """The log of the evidence for all curves of Smooth over that for the claims as they are.

    About the claims the log-likelihood of a curve is taken to be quadratic: with a score g, the
    information H and a penalty P, a curve has the evidence g (P + H)^-1 g / 2 + log |P| / 2 -
    log |P + H| / 2. All but g is of the claims alone, so that many draws of outcomes cost little.
    """
    z = np.clip(part.log_odds, -LIMIT, LIMIT)
    distinct, place = np.unique(z, return_inverse=True)
    curvature = part.w * part.read * (1 - part.read)
    curves = []
    for model in models(distinct, PRIOR_ODDS, exact_gaps(part.view)):
        x = model.design.x[place]
        information = (x.T * curvature) @ x
        curves.append((x, *_roots(model, information)))
    claimed = part.w * part.read

    def evidence(happened: Array) -> Array:
        residual = np.atleast_2d(happened - claimed)
        logs = [np.full((1, len(residual)), np.log(PRIOR_ODDS.identity))]
        for x, roots, constants in curves:
            score = residual @ x
            squares = np.stack(list(_squares(score, roots)))
            logs.append(constants[:, None] + squares / 2)
        total = logsumexp(np.concatenate(logs), axis=0)
        return total.reshape(happened.shape[:-1])

    return evidence


def _roots(model: Model, information: Array) -> tuple[Array, Array]:
    """For each penalty, a root of (P + H)^-1, and what the evidence is without a score."""
    precision = model.penalties + information
    factors = np.linalg.cholesky(precision)
    _, prior = np.linalg.slogdet(model.penalties)
    _, posterior = np.linalg.slogdet(precision)
    constants = np.log(model.odds) + (prior - posterior) / 2
    return np.linalg.inv(factors), constants


def _squares(score: Array, roots: Array) -> Iterator[Array]:
    """The squares g (P + H)^-1 g of all draws, for one penalty after the other."""
    for root in roots:
        scaled = score @ root.T
        yield np.einsum("ij,ij->i", scaled, scaled)
