"""Matrix scaling without penalties beside a general optimiser, on both sides of as many rows as it has entries."""

import time

import numpy as np
import polars as pl
from models import ZOO, part
from pages import head
from scipy.optimize import minimize
from scipy.special import log_softmax
from studies import Records

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


COLUMNS = ("rows", "entries", "NLL", "s", "steps", "L-BFGS, NLL", "L-BFGS, s", "L-BFGS, steps")


def reach(work: tuple[str, int]) -> Records:
    """What both reach on the first rows of a sample model: NLL on them, processor seconds, steps."""
    stem, n = work
    pred = first_rows(stem, n)
    about = {"rows": f"{n:,} of {stem}", "entries": f"{pred.k * (pred.k + 1):,}"}
    return [about | fitted(pred) | minimised(pred)]


def against_general(found: pl.DataFrame) -> list[str]:
    """A section with a line a number of rows."""
    lines = [f"| {' | '.join(row[name] for name in COLUMNS)} |" for row in found.to_dicts()]
    return [
        "## Matrix scaling without penalties beside a general optimiser",
        "",
        "On both sides of as many rows as the matrix and its shifts have entries. NLL on the rows fitted, and seconds "
        "of processor time, all threads added up. L-BFGS is SciPy's, in float64 from the identity, until it finds "
        f'nothing more or for {STEPS:,} steps. "none" is an error that says that no optimum is in reach.',
        "",
        *head(*COLUMNS),
        *lines,
    ]


def first_rows(stem: str, n: int) -> c.Predictions:
    """The first rows of a sample model, those of val and then those of test."""
    (path,) = [each for each in ZOO if each.stem == stem]
    parts = [part(path, split) for split in ("val", "test")]
    scores = np.concatenate([each.scores for each in parts])
    labels = np.concatenate([each.labels for each in parts])
    return c.from_logits(scores[:n], labels[:n])


def fitted(pred: c.Predictions) -> dict[str, str]:
    """What our fit reaches."""
    start = time.process_time()
    try:
        found = c.MatrixScaling().fit(pred)
    except DidNotConverge:
        return {"NLL": "none", "s": f"{time.process_time() - start:.2f}", "steps": ""}
    seconds = time.process_time() - start
    nll = c.nll(found.apply(pred))
    return {"NLL": f"{nll:.6g}", "s": f"{seconds:.2f}", "steps": str(found.rule.certificate.steps)}


def minimised(pred: c.Predictions) -> dict[str, str]:
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
    seconds = time.process_time() - start
    return {
        "L-BFGS, NLL": f"{found.fun:.6g}",
        "L-BFGS, s": f"{seconds:.2f}",
        "L-BFGS, steps": f"{found.nit:,}",
    }
