"""Speed against the fastest peer for the same work, in one run; writes docs/benchmarks/speed.md.

Each round times both, one after the other, so that a slow moment of the machine falls on both alike; the ratio is the
median over rounds.
"""

import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from contests import Contest, SelfTimed, compete
from inputs import multiclass_logits, softmax
from machine import stamp
from netcal.binning import IsotonicRegression
from peers.data import vectors
from peers.match import Library
from peers.optima import dirichlet_loss
from peers.strengths import PER_ENTRY, PER_SHIFT
from probmetrics.calibrators import (
    SMSCalibrator,
    TemperatureScalingCalibrator,
    VectorScalingCalibrator,
)
from probmetrics.distributions import CategoricalLogits
from rich.progress import track
from torchmetrics.functional.classification import multiclass_calibration_error

import calibrant as c
from calibrant.fitting.blocks import CORES

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "speed.md"


def top_label_ece() -> Contest:
    logits, labels = multiclass_logits(10**6, 10)
    probs = softmax(logits)
    exact = _exact_ece(probs, labels)
    tensors = torch.from_numpy(probs), torch.from_numpy(labels)
    return Contest(
        "top-label ECE, 15 bins, 10^6 x 10 float32, with checks",
        "torchmetrics",
        lambda: c.ece(c.from_probs(probs, labels)),
        lambda: float(multiclass_calibration_error(*tensors, num_classes=10, n_bins=15, norm="l1")),
        0.6,
        lambda ours, theirs: f"off by {abs(ours - exact):.0e}, peer by {abs(theirs - exact):.0e}",
        rounds=25,
    )


def temperature(n: int, k: int, bar: float) -> Contest:
    logits, labels = multiclass_logits(n, k)
    tensors = CategoricalLogits(torch.from_numpy(logits)), torch.from_numpy(labels)
    pred = c.from_logits(logits, labels)

    def theirs() -> float:
        calibrator = TemperatureScalingCalibrator()
        calibrator.fit_torch(*tensors)
        return c.nll(c.from_logits(logits * np.float32(calibrator.invtemp_), labels))

    return Contest(
        f"temperature, {n:,} x {k}",
        "probmetrics",
        lambda: c.Temperature().fit(c.from_logits(logits, labels)),
        lambda: TemperatureScalingCalibrator().fit_torch(*tensors),
        bar,
        lambda ours, _: f"NLL {c.nll(ours.apply(pred)):.7f}, peer {theirs():.7f}",
    )


def isotonic_one_vs_rest() -> Contest:
    logits, labels = multiclass_logits(50_000, 100)
    probs = softmax(logits)
    return Contest(
        "isotonic one-vs-rest, 50,000 x 100",
        "netcal",
        lambda: c.OneVsRest(c.Isotonic()).fit(c.from_probs(probs, labels)),
        lambda: IsotonicRegression().fit(probs, labels),
        0.6,
        lambda ours, _: f"{len(ours.rule.rules)} maps",
        rounds=5,
    )


def vector_scaling(n: int, k: int, bar: float, rounds: int) -> Contest:
    logits, labels = multiclass_logits(n, k)
    tensors = CategoricalLogits(torch.from_numpy(logits)), torch.from_numpy(labels)
    pred = c.from_logits(logits, labels)

    def theirs() -> Any:  # noqa: ANN401 - a peer's object
        peer = VectorScalingCalibrator()
        peer.fit_torch(*tensors)
        return peer

    def loss(peer: Any) -> float:  # noqa: ANN401 - a peer's object
        return c.nll(
            c.from_logits(peer.predict_proba_torch(tensors[0]).get_logits().numpy(), labels)
        )

    return Contest(
        f"vector scaling, {n:,} x {k}",
        "probmetrics",
        lambda: c.VectorScaling().fit(c.from_logits(logits, labels)),
        theirs,
        bar,
        lambda ours, peer: f"NLL {c.nll(ours.apply(pred)):.7f}, peer {loss(peer):.7f}",
        rounds,
    )


def structured_matrix() -> Contest:
    logits, labels = multiclass_logits(50_000, 100)
    probs = softmax(logits)
    pred = c.from_probs(probs, labels)

    def theirs() -> Any:  # noqa: ANN401 - a peer's object
        return SMSCalibrator().fit(probs, labels)

    def loss(peer: Any) -> float:  # noqa: ANN401 - a peer's object
        return c.nll(c.from_probs(peer.predict_proba(probs), labels))

    return Contest(
        "structured matrix, 50,000 x 100",
        "probmetrics SMS",
        lambda: c.StructuredMatrix().fit(c.from_probs(probs, labels)),
        theirs,
        1.0,
        lambda ours, peer: f"NLL {c.nll(ours.apply(pred)):.7f}, peer {loss(peer):.7f}",
        rounds=5,
    )


def dirichlet() -> Contest:
    """The peer is no longer maintained and runs in an environment of its own, where it takes its own time."""
    data = vectors(5000, 10, np.float64)
    peer = Library("dirichletcal", CORES)
    with TemporaryDirectory() as folder:
        given, answer = (str(Path(folder) / name) for name in ("given.npz", "answer.npy"))
        np.savez(given, **vars(data))
        for order in (("begin", "dirichlet", given), ("time",), ("answer", answer)):
            peer.ask(*order)
        their_loss = dirichlet_loss(np.load(answer), data)
    family = c.Dirichlet(off_diagonal=PER_ENTRY * 90, intercept=PER_SHIFT * 10)

    def our_loss(ours: Any) -> float:  # noqa: ANN401 - a map of ours
        return dirichlet_loss(np.column_stack([ours.rule.matrix, ours.rule.shift]), data)

    return Contest(
        "Dirichlet-ODIR, fixed strengths, 5,000 x 10",
        "dirichletcal",
        lambda: family.fit(c.from_probs(data.probs, data.labels)),
        lambda: SelfTimed(peer.ask("time")["clock"]),
        0.1,
        lambda ours, _: f"penalised loss {our_loss(ours):.7f}, peer {their_loss:.7f}",
        rounds=5,
    )


CONTESTS = [
    top_label_ece,
    lambda: temperature(50_000, 100, 0.4),
    lambda: temperature(25_000, 1000, 0.8),
    isotonic_one_vs_rest,
    lambda: vector_scaling(50_000, 100, 0.8, rounds=7),
    lambda: vector_scaling(25_000, 1000, 0.35, rounds=3),
    structured_matrix,
    dirichlet,
]


def _exact_ece(probs: np.ndarray, labels: np.ndarray) -> float:
    p = probs.max(1).astype(np.float64)
    where = np.searchsorted(np.linspace(0, 1, 16)[1:-1], p)
    right = probs.argmax(1) == labels
    return sum(abs((right[where == k] - p[where == k]).sum()) for k in range(15)) / len(p)


def peak_memory() -> str:
    """Memory that ECE of 10^7 x 10 float32 takes beyond its input, as a share of it."""
    p = np.full((10**7, 10), 0.05, np.float32)
    p[:, 3] = 0.55
    labels = np.zeros(10**7, np.int64)
    tracemalloc.start()
    c.ece(c.from_probs(p, labels))
    share = tracemalloc.get_traced_memory()[1] / p.nbytes
    tracemalloc.stop()
    return f"Peak memory of ECE on 10^7 x 10 float32 (400 MB): its input plus {100 * share:.0f}% (bar 25%)."


def main() -> None:
    """Run every contest and write the page."""
    rows = [compete(make()) for make in track(CONTESTS, "contests")]
    head = "| work | calibrant | peer | ratio | bar | found |\n|---|---|---|---|---|---|"
    foot = stamp("scipy", "torch", "torchmetrics", "probmetrics", "netcal")
    more = "More libraries and tasks, one thread each: [peers side by side](peers.md)."
    page = "\n".join(["# Speed", "", more, "", head, *rows, "", peak_memory(), "", foot, ""])
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page)
    print(page)


if __name__ == "__main__":
    main()
