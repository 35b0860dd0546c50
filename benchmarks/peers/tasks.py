"""The tasks: a line each. What is asked, of which data, and how far an answer is from what is right."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import optima, references

Array = NDArray[Any]
Judge = Callable[[SimpleNamespace], Callable[[Array], float]]
FEW = 5


class Task(NamedTuple):
    """`judge` makes of the data the error of an answer; errors that differ by less than `equal` are the same."""

    title: str
    data: str
    judge: Judge
    error: str
    equal: float


def number(right: Callable[[SimpleNamespace], float]) -> Judge:
    """The distance from the right number."""

    def judge(data: SimpleNamespace) -> Callable[[Array], float]:
        at = right(data)
        return lambda answer: abs(float(answer) - at)

    return judge


def values(right: Callable[[SimpleNamespace], Array]) -> Judge:
    """The largest distance from the right values, of the first rows where only those are known."""

    def judge(data: SimpleNamespace) -> Callable[[Array], float]:
        at = right(data)
        return lambda answer: float(np.abs(answer[: len(at)] - at).max())

    return judge


def excess(best: Callable[[SimpleNamespace], float]) -> Judge:
    """NLL on the rows of the fit beyond the least that there is."""

    def judge(data: SimpleNamespace) -> Callable[[Array], float]:
        least = best(data)
        if "p" in vars(data):
            return lambda q: optima.chance_nll_of(q, data.y) - least
        return lambda q: optima.nll_of(q, data.labels) - least

    return judge


def penalised(data: SimpleNamespace) -> Callable[[Array], float]:
    """The penalised loss beyond the least that there is."""
    least = optima.dirichlet(data)
    return lambda weights: optima.dirichlet_loss(weights, data) - least


def off_truth(data: SimpleNamespace) -> Callable[[Array], float]:
    """Mean distance from the true chance."""
    return lambda q: float(np.abs(q - data.truth).mean())


def divergence(data: SimpleNamespace) -> Callable[[Array], float]:
    """Mean Kullback-Leibler divergence from the true chances."""
    truth = data.truth.astype(np.float64)
    return lambda q: float((truth * np.log(truth / np.maximum(q, 1e-12))).sum(1).mean())


def _pav(data: SimpleNamespace) -> Array:
    return references.isotonic(data.p, data.y)


def _histogram(data: SimpleNamespace) -> Array:
    return references.histogram(data.p, data.y)


def _venn_abers(data: SimpleNamespace) -> Array:
    return references.venn_abers(data.p, data.y, data.p[:FEW])


def _curve(data: SimpleNamespace) -> Array:
    return references.reliability(*references.top(data))


OFF, LARGEST, MORE = "distance", "largest distance", "NLL above the least"
TRUTH, KL = "mean distance from the truth", "divergence from the truth"
MANY, WIDE, TEN = "200,000 x 10 float32", "10,000 x 50 float32", "20,000 x 10 float32"
FEW_ROWS, CHANCES, SMALL = "5,000 x 10 float64", "100,000 chances", "5,000 chances"
FEWER = "20,000 chances"
TASKS = {
    "top_ece": Task("top-label ECE, 15 bins", MANY, number(references.top_ece), OFF, 1e-9),
    "curve": Task("bins of a diagram, top label", MANY, values(_curve), LARGEST, 1e-9),
    "adaptive": Task("adaptive ECE, top label", MANY, number(references.top_adaptive_ece), OFF, 1e-6),
    "classwise_ece": Task("class-wise ECE", MANY, number(references.classwise_ece), OFF, 1e-9),
    "brier": Task("Brier score", MANY, number(references.brier), OFF, 1e-9),
    "nll": Task("log loss", MANY, number(references.nll), OFF, 1e-9),
    "ks": Task("KS error", "500,000 chances", number(references.ks), OFF, 1e-9),
    "kuiper": Task("Kuiper's range", "500,000 chances", number(references.kuiper), OFF, 1e-9),
    "smece": Task("smooth ECE, its own width", CHANCES, number(references.smooth_ece), OFF, 1e-5),
    "mmce": Task("MMCE, top label", FEW_ROWS, number(references.mmce), OFF, 1e-9),
    "debiased": Task("debiased root mean square error", CHANCES, number(references.debiased_error), OFF, 1e-9),
    "temperature": Task("temperature", WIDE, excess(optima.temperature), MORE, 1e-7),
    "vector": Task("vector scaling", WIDE, excess(optima.vector), MORE, 1e-7),
    "matrix": Task("matrix scaling, no penalty", TEN, excess(optima.matrix), MORE, 1e-7),
    "structured": Task("structured matrix", WIDE, divergence, KL, 1e-5),
    "dirichlet": Task("Dirichlet-ODIR, fixed strengths", FEW_ROWS, penalised, "loss above the least", 1e-7),
    "isotonic_rest": Task("isotonic one-vs-rest", WIDE, values(references.isotonic_rest), LARGEST, 1e-9),
    "platt": Task("Platt", CHANCES, excess(optima.platt), MORE, 1e-7),
    "beta": Task("beta", CHANCES, excess(optima.beta), MORE, 1e-7),
    "isotonic": Task("isotonic", CHANCES, values(_pav), LARGEST, 1e-9),
    "histogram": Task("histogram binning, 15 bins", CHANCES, values(_histogram), LARGEST, 1e-9),
    "bbq": Task("BBQ", FEWER, off_truth, TRUTH, 1e-4),
    "scaling_binning": Task("scaling-binning, 15 bins", CHANCES, off_truth, TRUTH, 1e-4),
    "venn_abers": Task("Venn-Abers", CHANCES, values(_venn_abers), LARGEST, 1e-6),
    "spline": Task("spline", CHANCES, off_truth, TRUTH, 1e-4),
    "smooth": Task("smooth, strength from the data", FEWER, off_truth, TRUTH, 1e-4),
    "kernel": Task("kernel map, bandwidth from the data", SMALL, off_truth, TRUTH, 1e-4),
    "broken_line": Task("piecewise linear, 3 pieces", SMALL, off_truth, TRUTH, 1e-4),
}  # fmt: skip
