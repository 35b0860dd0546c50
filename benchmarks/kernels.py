"""Kernel errors: agreement with dense sums, speed and memory; writes docs/benchmarks/kernels.md.

The peer, ece-kde, is no package; timed is its formula as it computes it, in dense torch: a table of rows by rows for
each of 20 bandwidths. With --all, 50,000 vectors of 1000 classes are measured too, which takes minutes.
"""

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from inputs import multiclass_logits
from machine import stamp
from numpy.typing import NDArray
from rich.progress import track
from scipy.special import expit

from calibrant import binary, canonical, from_logits, from_probs, kde_bandwidth
from calibrant.fitting.bandwidths import BANDWIDTHS
from calibrant.inputs.paths import write_whole
from calibrant.measures.kde import kde_error

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "kernels.md"
Chances = NDArray[np.float64]
WIDTHS: list[float] = BANDWIDTHS.tolist()
ROUNDS = 5


def log_kernels(z: torch.Tensor, h: float) -> torch.Tensor:
    """Logs of Dirichlet kernels about the columns at the rows, the diagonal left out."""
    alpha = z / h + 1
    log_beta = torch.lgamma(alpha).sum(1) - torch.lgamma(alpha.sum(1))
    logs = torch.log(z).clamp(min=-87) @ (alpha - 1).T - log_beta
    return logs.fill_diagonal_(-torch.inf)


def dense_error(z: torch.Tensor, y: torch.Tensor, h: float) -> float:
    """The norm-1 error of whole vectors."""
    share = torch.softmax(log_kernels(z, h), 1) @ torch.nn.functional.one_hot(y, z.shape[1]).to(
        z.dtype
    )
    return float((share - z).abs().sum(1).mean())


def dense_bandwidth(z: torch.Tensor) -> float:
    """The likeliest of all bandwidths for vectors, each by those that differ from it."""
    equal = (z[:, None] == z[None]).all(2)

    def log_likelihood(h: float) -> float:
        logs = log_kernels(z, h).masked_fill(equal, -torch.inf)
        return float(torch.logsumexp(logs, 1).sum())

    widths = [*np.logspace(-8, -5, 12)[:-1].tolist(), *WIDTHS]
    return widths[int(np.argmax([log_likelihood(h) for h in widths]))]


def peer_error(p: torch.Tensor, y: torch.Tensor) -> float:
    """The norm-1 error of one chance by whole tables of kernels, entry by entry, with the likeliest bandwidth."""
    out = torch.diag(torch.full((len(p),), torch.finfo(p.dtype).min, dtype=p.dtype))

    def table(h: float) -> torch.Tensor:
        up, down = p / h, (1 - p) / h
        log_beta = torch.lgamma(up + 1) + torch.lgamma(down + 1) - torch.lgamma(up + down + 2)
        return up * torch.log(p)[:, None] + down * torch.log(1 - p)[:, None] - log_beta + out

    likelihood = [float(torch.logsumexp(table(h), 1).sum()) for h in WIDTHS]
    logs = table(WIDTHS[int(np.argmax(likelihood))])
    share = torch.exp(torch.logsumexp(logs[:, y], 1) - torch.logsumexp(logs, 1))
    return float((share - p).abs().mean())


CLAIMS: dict[str, Callable[[int, np.random.Generator], Chances]] = {
    "uniform": lambda n, random: random.random(n),
    "piled up at 0 and 1, both among them": lambda n, random: np.append(
        random.beta(0.05, 0.05, n - 40), [0, 1] * 20
    ),
    "near 1, as a network's": lambda n, random: 1 / (1 + np.exp(-random.normal(4, 4, n))),
    "of two digits": lambda n, random: random.random(n).round(2),
}


def agreement_of_one_chance() -> Iterator[str]:
    """A line for each kind of claims: how far errors lie from dense ones, and which bandwidth both choose."""
    for name, make in CLAIMS.items():
        random = np.random.default_rng(0)
        p = make(2000, random)
        y = random.random(2000) < p**1.5
        view = binary(p, y)
        # Exact 0 and 1 as they are read.
        z = torch.from_numpy(expit(np.stack([-view.log_odds, view.log_odds], axis=1)))
        labels = torch.from_numpy(y.astype(np.int64))
        off = max(abs(kde_error(view, bandwidth=h) - dense_error(z, labels, h) / 2) for h in WIDTHS)
        chosen = kde_bandwidth(view).value
        yield f"| one chance, {name}, 2,000 rows | 1e-5 .. 1 | {off:.0e} | {chosen:.3g} | {dense_bandwidth(z):.3g} |"


def agreement_of_vectors() -> Iterator[str]:
    """A line for each number of classes: how far errors lie from dense ones, relative to them."""
    for k in (3, 10, 100, 1000):
        random = np.random.default_rng(k)
        p, y = random.dirichlet(np.full(k, 0.3), 1000), random.integers(0, k, 1000)
        pred, z, labels = from_probs(p, y), torch.from_numpy(p), torch.from_numpy(y)
        dense = {h: dense_error(z, labels, h) for h in (1e-3, 1e-2, 0.1)}
        off = max(
            abs(kde_error(canonical(pred), bandwidth=h) / error - 1) for h, error in dense.items()
        )
        yield f"| whole vectors of {k}, 1,000 rows | 1e-3 .. 0.1 | {off:.0e}, relative | | |"


def contest() -> str:
    """One chance with the bandwidth chosen, beside the dense formula in torch's own float32; both in turn."""
    random = np.random.default_rng(0)
    p = random.random(3000)
    y = random.random(3000) < p**1.5
    claims, happened = torch.from_numpy(p).float(), torch.from_numpy(y)
    times = []
    for _ in range(ROUNDS + 1):
        _, ours, ours_cpu = _timed(lambda: kde_error(binary(p, y)))
        _, theirs, theirs_cpu = _timed(lambda: peer_error(claims, happened))
        times.append((ours, theirs, ours_cpu, theirs_cpu))
    ours, theirs, ours_cpu, theirs_cpu = np.median(times[1:], axis=0)
    cells = (
        f"{1e3 * ours:.0f} ms",
        f"{1e3 * theirs:.0f} ms",
        f"{ours / theirs:.3f}",
        f"{ours_cpu / theirs_cpu:.3f}",
    )
    return "| one chance, 3,000 rows, bandwidth chosen | " + " | ".join(cells) + " | 0.05 |"


@dataclass(frozen=True)
class Job:
    """An error to measure, in a process of its own, and the seconds and the memory it may take."""

    n: int
    k: int
    bandwidth: float | None
    seconds: str
    memory: str

    def line(self) -> str:
        """The line that its process gives."""
        with ProcessPoolExecutor(1, get_context("spawn")) as alone:
            value, wall, cpu, peak = alone.submit(self.run).result()
        chosen = "bandwidth chosen" if self.bandwidth is None else f"bandwidth {self.bandwidth}"
        what = f"{self.n:,} vectors of {self.k}" if self.k > 2 else f"one chance, {self.n:,} rows"
        cells = (
            f"{value:.4f}",
            f"{wall:.1f} s",
            f"{cpu:.1f} s",
            self.seconds,
            f"{peak:,} MB",
            self.memory,
        )
        return f"| {what}, {chosen} | " + " | ".join(cells) + " |"

    def run(self) -> tuple[float, float, float, int]:
        """The error, seconds, seconds of all cores together, and the most megabytes the process ever held."""
        if self.k == 2:
            random = np.random.default_rng(0)
            p = random.random(self.n)
            y = random.random(self.n) < p**1.5
            value, wall, cpu = _timed(lambda: kde_error(binary(p, y), bandwidth=self.bandwidth))
        else:
            logits, labels = multiclass_logits(self.n, self.k)
            value, wall, cpu = _timed(
                lambda: kde_error(canonical(from_logits(logits, labels)), bandwidth=self.bandwidth)
            )
        return value, wall, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


JOBS = [Job(10**6, 2, None, "2 s", ""), Job(10_000, 100, 0.01, "4 s", "1,000 MB")]
LONG = [Job(50_000, 1000, 0.01, "", "4,000 MB")]


def _timed(work: Callable[[], float]) -> tuple[float, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    value = work()
    return value, time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Measure all and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--all", action="store_true", help="50,000 vectors of 1000 classes too: minutes"
    )
    jobs = JOBS + (LONG if parser.parse_args().all else [])
    page = [
        "# Kernel errors",
        "",
        "Norm-1 errors held against dense sums in float64, row by row.",
        "",
        "| claims | bandwidths | largest distance | bandwidth chosen | by dense sums |\n|---|---|---|---|---|",
        *track(agreement_of_one_chance(), "one chance", len(CLAIMS)),
        *agreement_of_vectors(),
        "",
        "Beside the formula of ece-kde in dense torch, float32; ratios of wall and of processor time are medians of "
        f"{ROUNDS} rounds that time both in turn.",
        "",
        "| work | calibrant | dense torch | ratio | of processor | bar |\n" + "|---" * 6 + "|",
        contest(),
        "",
        "Each in a process of its own, whose memory is told whole.",
        "",
        "| work | error | wall | processor | bar | memory | bar |\n|---|---|---|---|---|---|---|",
        *(job.line() for job in track(jobs, "alone")),
        "",
        stamp("scipy", "torch"),
        "",
    ]
    write_whole(PAGE, "\n".join(page).encode())
    print("\n".join(page))


if __name__ == "__main__":
    main()
