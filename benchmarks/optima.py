"""Matrix scaling without penalties beside a general optimiser, on both sides of as many rows as it has entries."""

import time
from typing import NamedTuple

import numpy as np
from evaluators import head
from models import ZOO, part
from rich.progress import track
from scipy.optimize import minimize
from scipy.special import log_softmax

import calibrant as c
from calibrant.fitting.newton import DidNotConverge
from calibrant.fitting.types import Array

# The matrix and its shifts have k(k + 1) entries: 110 and 10,100.
WORK = (
    ("c10-resnet18", 109),
    ("c10-resnet18", 110),
    ("c10-resnet18", 111),
    ("c10-resnet18", 11_000),
    ("c100-resnet18", 5000),
    ("c100-resnet18", 11_000),
)
# In float64, until nothing is left to gain, or so many steps.
STEPS = 1000
LONG = {"maxiter": STEPS, "maxfun": 2 * STEPS, "maxcor": 20, "ftol": 1e-15, "gtol": 1e-9}


class Reached(NamedTuple):
    """The NLL on the rows fitted, if there is a fit, processor seconds, and steps."""

    nll: float | None
    seconds: float
    steps: int | None = None


def against_general() -> list[str]:
    """A section with a line a number of rows."""
    lines = []
    for stem, n in track(WORK, "optima"):
        pred = first_rows(stem, n)
        entries = pred.k * (pred.k + 1)
        cells = [
            f"{n:,} of {stem}",
            f"{entries:,}",
            *_cells(fitted(pred)),
            *_cells(minimised(pred)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    columns = ("rows", "entries", "NLL", "s", "steps", "L-BFGS, NLL", "L-BFGS, s", "L-BFGS, steps")
    return [
        "## Matrix scaling without penalties beside a general optimiser",
        "",
        "On both sides of as many rows as the matrix and its shifts have entries. NLL on the rows fitted, and seconds "
        "of processor time, all threads added up. L-BFGS is SciPy's, in float64 from the identity, until it finds "
        f'nothing more or for {STEPS:,} steps. "none" is an error that says that no optimum is in reach.',
        "",
        *head(*columns),
        *lines,
    ]


def _cells(reached: Reached) -> list[str]:
    nll = "none" if reached.nll is None else f"{reached.nll:.3g}"
    steps = "" if reached.steps is None else f"{reached.steps:,}"
    return [nll, f"{reached.seconds:.2f}", steps]


def first_rows(stem: str, n: int) -> c.Predictions:
    """The first rows of a sample model, those of val and then those of test."""
    (path,) = [each for each in ZOO if each.stem == stem]
    parts = [part(path, split) for split in ("val", "test")]
    scores = np.concatenate([each.scores for each in parts])
    labels = np.concatenate([each.labels for each in parts])
    return c.from_logits(scores[:n], labels[:n])


def fitted(pred: c.Predictions) -> Reached:
    """What our fit reaches."""
    start = time.process_time()
    try:
        found = c.MatrixScaling().fit(pred)
    except DidNotConverge:
        return Reached(None, time.process_time() - start)
    seconds = time.process_time() - start
    return Reached(c.nll(found.apply(pred)), seconds, found.rule.certificate.steps)


def minimised(pred: c.Predictions) -> Reached:
    """What SciPy's L-BFGS reaches from the identity."""
    design = np.column_stack([pred.scores.astype(np.float64), np.ones(pred.n)])
    shape = pred.k + 1, pred.k
    happened = np.eye(pred.k)[pred.labels]

    def loss(flat: Array) -> tuple[float, Array]:
        log_q = log_softmax(design @ flat.reshape(shape), axis=1)
        gradient = design.T @ (np.exp(log_q) - happened)
        return -float((happened * log_q).sum()) / pred.n, gradient.ravel() / pred.n

    start = time.process_time()
    found = minimize(loss, np.eye(*shape).ravel(), jac=True, method="L-BFGS-B", options=LONG)
    return Reached(float(found.fun), time.process_time() - start, found.nit)
