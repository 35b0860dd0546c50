"""Ours, as a user calls it: from arrays, checks included."""

from typing import Any

import numpy as np

import calibrant as c

from ..strengths import PER_ENTRY, PER_SHIFT
from .call import Call, Data


def _chance(family: c.Family) -> Call:
    return Call(lambda d: family.fit(c.binary(d.p, d.y))(d.p))


def _vectors(family: c.Family) -> Call:
    def work(d: Data) -> Any:  # noqa: ANN401 - an array
        pred = c.from_logits(d.logits, d.labels)
        return family.fit(pred).apply(pred).probs

    return Call(work)


def _rest(d: Data) -> Any:  # noqa: ANN401 - an array
    pred = c.from_probs(d.probs, d.labels)
    return c.OneVsRest(c.Isotonic()).fit(pred).apply(pred).probs


def _dirichlet(d: Data) -> c.Map:
    entries, shifts = d.probs.shape[1] * (d.probs.shape[1] - 1), d.probs.shape[1]
    family = c.Dirichlet(off_diagonal=PER_ENTRY * entries, intercept=PER_SHIFT * shifts)
    return family.fit(c.from_probs(d.probs, d.labels))


def _weighted(family: c.Family) -> Call:
    return Call(lambda d: family.fit(c.binary(d.p, d.y, weights=d.w))(d.at))


CALLS = {
    "top_ece": Call(lambda d: c.ece(c.from_probs(d.probs, d.labels))),
    "curve": Call(
        lambda d: c.curves.reliability(c.from_probs(d.probs, d.labels), c.Binned(15), level=None),
        lambda curve, _: np.column_stack([curve.p, curve.q]),
    ),
    "adaptive": Call(lambda d: c.ece(c.from_probs(d.probs, d.labels), edges="mass")),
    "classwise_ece": Call(lambda d: c.classwise_ece(c.from_probs(d.probs, d.labels))),
    "brier": Call(lambda d: c.brier(c.from_probs(d.probs, d.labels))),
    "nll": Call(lambda d: c.nll(c.from_probs(d.probs, d.labels))),
    "ks": Call(lambda d: c.ks_error(c.binary(d.p, d.y))),
    "kuiper": Call(lambda d: c.cutoff_error(c.binary(d.p, d.y))),
    "smece": Call(lambda d: c.smece(c.binary(d.p, d.y))),
    "mmce": Call(lambda d: c.mmce(c.from_probs(d.probs, d.labels))),
    "debiased": Call(
        lambda d: c.ece(c.binary(d.p, d.y), edges="mass", norm=2, debias=True),
    ),
    "logit_ece": Call(lambda d: c.ece(c.from_logits(d.logits, d.labels))),
    "weighted_beta": _weighted(c.Beta()),
    "weighted_isotonic": _weighted(c.Isotonic()),
    "ece": Call(lambda d: c.ece(c.binary(d.p, d.y))),
    "temperature": _vectors(c.Temperature()),
    "vector": _vectors(c.VectorScaling()),
    "matrix": _vectors(c.MatrixScaling()),
    "structured": _vectors(c.StructuredMatrix()),
    "dirichlet": Call(
        _dirichlet, lambda found, _: np.column_stack([found.rule.matrix, found.rule.shift])
    ),
    "isotonic_rest": Call(_rest),
    "platt": _chance(c.Platt()),
    "beta": _chance(c.Beta()),
    "isotonic": _chance(c.Isotonic()),
    "histogram": _chance(c.HistogramBinning(15, edges="width")),
    "bbq": _chance(c.BBQ()),
    "scaling_binning": _chance(c.ScalingBinning(15)),
    "venn_abers": _chance(c.VennAbers()),
    "spline": _chance(c.Spline()),
    "smooth": _chance(c.Smooth()),
    "kernel": _chance(c.Kernel()),
    "broken_line": _chance(c.PiecewiseLinear(segments=3)),
}
