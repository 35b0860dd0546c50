"""Speed and precision of the canonical kernel estimate on one GPU: a table, and canonical_gpu.json in $OUT.

It needs torch, numpy and scipy alone: PYTHONPATH=src python benchmarks/training/canonical_gpu.py
"""

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import gammaln
from torch import Tensor

from calibrant.torch.kernels import canonical, canonical_error

Floats = NDArray[np.float64]

BANDWIDTHS = (1e-3, 1e-2, 1e-1)
# Rows and classes that are timed: the last has bars, of seconds forward and with gradients.
SIZES = ((10_000, 100), (100_000, 10), (50_000, 1000), (100_000, 1000))
BARS = (3.0, 12.0)
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def drawn(n: int, k: int, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Logits of rows that lean to their label, in float32 on the device."""
    random = torch.Generator(DEVICE).manual_seed(seed)
    labels = torch.randint(k, (n,), generator=random, device=DEVICE)
    logits = torch.randn(n, k, generator=random, device=DEVICE) * 1.5
    logits[torch.arange(n, device=DEVICE), labels] += 1 + torch.randn(
        n, generator=random, device=DEVICE
    )
    return logits, labels


def dense(logits: Tensor, labels: Tensor, h: float) -> Floats:
    """The estimate on the processor in float64, all pairs at once."""
    log_z = logits.cpu().double().log_softmax(1).numpy()
    alpha = np.exp(log_z) / h + 1
    kernels = np.maximum(log_z, -87.0) @ (alpha - 1).T - gammaln(alpha).sum(1)
    np.fill_diagonal(kernels, -np.inf)
    kernels = np.exp(kernels - kernels.max(1, keepdims=True))
    return (kernels / kernels.sum(1, keepdims=True)) @ np.eye(log_z.shape[1])[labels.cpu().numpy()]


def in_float32(logits: Tensor, labels: Tensor, h: float) -> Floats:
    """The same in plain float32, for what it would cost."""
    log_z = logits.log_softmax(1)
    z = log_z.exp() / h
    exponents = log_z.clamp_min(-87.0) @ z.T - (z + 1).lgamma().sum(1)
    exponents.fill_diagonal_(-torch.inf)
    return (
        (exponents.softmax(1) @ torch.nn.functional.one_hot(labels, log_z.shape[1]).float())
        .double()
        .cpu()
        .numpy()
    )


def apart(found: Floats, expected: Floats) -> float:
    """Largest relative difference, of chances above 1e-30."""
    kept = expected > 1e-30
    return float((np.abs(found - expected)[kept] / expected[kept]).max())


def slope(logits: Tensor, labels: Tensor, h: float) -> Tensor:
    """Gradient of the error."""
    given = logits.detach().requires_grad_()
    return torch.autograd.grad(canonical_error(given, labels, bandwidth=h), given)[0]


def slope_of_dense(logits: Tensor, labels: Tensor, h: float) -> Tensor:
    """The same by torch's own rules, in float64 on the processor."""
    given = logits.detach().cpu().double().requires_grad_()
    log_z = given.log_softmax(1)
    z = log_z.exp() / h
    exponents = log_z.clamp_min(-87.0) @ z.T - (z + 1).lgamma().sum(1)
    exponents = exponents.masked_fill(torch.eye(len(z), dtype=torch.bool), -torch.inf)
    means = (
        exponents.softmax(1) @ torch.nn.functional.one_hot(labels.cpu(), log_z.shape[1]).double()
    )
    return torch.autograd.grad((means - log_z.exp()).abs().sum(1).mean(), given)[0]


def precision(n: int) -> list[dict[str, float]]:
    rows = []
    for k in (3, 10, 100, 1000):
        logits, labels = drawn(n, k, seed=k)
        for h in BANDWIDTHS:
            expected = dense(logits, labels, h)
            few = logits[: n // 4], labels[: n // 4]
            right = slope_of_dense(*few, h)
            rows.append(
                {
                    "k": k,
                    "h": h,
                    "relative": apart(
                        canonical(logits.double(), labels, bandwidth=h).cpu().numpy(), expected
                    ),
                    "relative_float32": apart(in_float32(logits, labels, h), expected),
                    "gradient": float((slope(*few, h).cpu() - right).norm() / right.norm()),
                }
            )
            print("precision", rows[-1], flush=True)
    return rows


def seconds(work: Callable[[], object], rounds: int) -> float:
    """The median of some rounds, the device waited for."""
    found = []
    for _ in range(rounds):
        _wait()
        start = time.perf_counter()
        work()
        _wait()
        found.append(time.perf_counter() - start)
    return float(np.median(found))


def rates(n: int) -> dict[str, float]:
    """TFLOP/s of plain products of n by n matrices."""
    torch.backends.cuda.matmul.allow_tf32 = False
    found = {}
    for dtype in (torch.float32, torch.float64):
        a = torch.randn(n, n, dtype=dtype, device=DEVICE)
        torch.mm(a, a)
        name = str(dtype).removeprefix("torch.")
        found[name] = 2 * n**3 / seconds(partial(torch.mm, a, a), 5) / 1e12
    print("TFLOP/s of plain products", found, flush=True)
    return found


def speed(n: int, k: int) -> dict[str, float]:
    logits, labels = drawn(n, k)
    slope(logits[:4096], labels[:4096], 0.01)
    if DEVICE.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    with torch.no_grad():
        forward = seconds(lambda: canonical_error(logits, labels, bandwidth=0.01), 3)
    both = seconds(lambda: slope(logits, labels, 0.01), 2)
    # Products of n by n by k: two of them forward, and four more, one of them again, for gradients.
    product = 2 * n**2 * k / 1e12
    row = {
        "n": n,
        "k": k,
        "forward_s": forward,
        "with_gradients_s": both,
        "forward_tflops": 2 * product / forward,
        "with_gradients_tflops": 6 * product / both,
        "peak_gib": torch.cuda.max_memory_allocated() / 2**30 if DEVICE.type == "cuda" else 0.0,
    }
    print("speed", row, flush=True)
    return row


def _wait() -> None:
    if DEVICE.type == "cuda":
        torch.cuda.synchronize()


def main() -> None:
    small = "--small" in sys.argv
    name = torch.cuda.get_device_name() if DEVICE.type == "cuda" else "cpu"
    found: dict[str, object] = {"device": name, "torch": torch.__version__}
    path = Path(os.environ.get("OUT", ".")) / "canonical_gpu.json"
    for key, work in {
        "rates": lambda: rates(512 if small else 8192),
        "speed": lambda: [speed(*size) for size in (((300, 10),) if small else SIZES)],
        "precision": lambda: precision(100 if small else 2000),
    }.items():
        found[key] = work()  # type: ignore[no-untyped-call]
        path.write_text(json.dumps(found, indent=1))
    print(
        f"\n{name}, torch {torch.__version__}; bars: {BARS[0]:g} s forward, {BARS[1]:g} s with gradients"
    )
    for section in ("speed", "precision"):
        rows: list[dict[str, float]] = found[section]  # type: ignore[assignment]
        print("| " + " | ".join(rows[0]) + " |\n|" + " --- |" * len(rows[0]))
        for row in rows:
            print("| " + " | ".join(f"{value:.3g}" for value in row.values()) + " |")


if __name__ == "__main__":
    main()
