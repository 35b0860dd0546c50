"""What a calibration term adds to a training step of ResNet-18 on one GPU: a table, and overhead.json in $OUT.

It needs torch and torchvision alone: PYTHONPATH=src python benchmarks/training/overhead.py
Steps with and without the term take turns, timed by CUDA events while the queue is never waited for; --compiled adds
turns of a compiled term.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from statistics import mean, median
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.profiler import ProfilerActivity, profile

from calibrant.torch import losses
from calibrant.torch.losses import KDECalibration, Loss
from calibrant.torch.losses.kde import Asks

LAM = 0.1
# A graph is the whole step, launched at once: what is left then is the card's own time.
SETTINGS = (
    ("tf32", "bf16", "tf32, graph", "bf16, graph")
    if torch.cuda.is_available()
    else ("tf32", "bf16")
)
BATCHES = (128, 256, 512)
# View, classes and the bar at batches of 256 and 512.
TERMS: tuple[tuple[Asks, int, float | None], ...] = (
    ("canonical", 10, 0.03),
    ("classwise", 10, 0.03),
    ("top_label", 10, 0.03),
    ("canonical", 100, 0.05),
)
TURNS = 60
# Seconds after which nothing more is begun: what was found until then is kept.
ENOUGH = 220
CUDA = torch.cuda.is_available()
DEVICE = torch.device("cuda" if CUDA else "cpu")
Term = Callable[[Tensor, Tensor], Tensor]


def network(k: int) -> nn.Module:
    """ResNet-18 for images of 32 by 32: a small stem, no pooling after it."""
    from torchvision.models import resnet18  # type: ignore[import-not-found, unused-ignore]

    net = resnet18(num_classes=k)
    net.conv1 = nn.Conv2d(3, 64, 3, 1, 1, bias=False)
    net.maxpool = nn.Identity()
    made: nn.Module = net.to(DEVICE, memory_format=torch.channels_last)
    return made


class Clock:
    """Times of steps, asked for only at the end."""

    def __init__(self) -> None:
        self.marks: list[tuple[Any, Any]] = []

    def time(self, step: Callable[[], None]) -> None:
        """Do a step between two marks."""
        start = self._mark()
        step()
        self.marks.append((start, self._mark()))

    def milliseconds(self) -> list[float]:
        """Of each step; waits for the device."""
        if not CUDA:
            return [1e3 * (stop - start) for start, stop in self.marks]
        torch.cuda.synchronize()
        return [start.elapsed_time(stop) for start, stop in self.marks]

    def _mark(self) -> Any:  # noqa: ANN401 - an event or a time
        if not CUDA:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call, unused-ignore]
        event.record()
        return event


def steps(batch: int, k: int, setting: str) -> Callable[[Term | None], None]:
    """A training step, with a term or without."""
    net = network(k)
    optimiser = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
    images = [
        torch.randn(batch, 3, 32, 32, device=DEVICE).to(
            memory_format=torch.channels_last
        )  # fresh data each turn
        for _ in range(4)
    ]
    labels = [torch.randint(k, (batch,), device=DEVICE) for _ in images]
    turn = iter(_round(len(images)))

    def step(term: Term | None) -> None:
        at = next(turn)
        optimiser.zero_grad()
        with (
            torch.autocast(DEVICE.type, torch.bfloat16)
            if setting.startswith("bf16")
            else nullcontext()
        ):
            logits = net(images[at])
            loss = cross_entropy(logits, labels[at])
            if term is not None:
                loss = loss + LAM * term(logits, labels[at])
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()

    return captured(step) if setting.endswith("graph") else step


def captured(step: Callable[[Term | None], None]) -> Callable[[Term | None], None]:
    """The same step as a CUDA graph, captured once for each term."""
    graphs: dict[Term | None, Any] = {}

    def replay(term: Term | None) -> None:
        if term not in graphs:
            side = torch.cuda.Stream()  # type: ignore[no-untyped-call, unused-ignore]
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(4):
                    step(term)
            torch.cuda.current_stream().wait_stream(side)
            graphs[term] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graphs[term]):
                step(term)
        graphs[term].replay()

    return replay


def compare(
    batch: int, k: int, setting: str, terms: dict[str, Term | None]
) -> dict[str, dict[str, float]]:
    """Median and mean milliseconds of a step with each term, all taking turns, and shares of the plain step's."""
    step = steps(batch, k, setting)
    clocks = {name: Clock() for name in terms}
    for round_ in range(TURNS + 8):
        # Back and forth, so that whatever drifts is shared; the first rounds only warm up.
        for name in terms if round_ % 2 else reversed(terms):
            if round_ < 8:
                step(terms[name])
            else:
                clocks[name].time(lambda name=name: step(terms[name]))  # type: ignore[misc]
    times = {name: clock.milliseconds() for name, clock in clocks.items()}
    plain = times["cross-entropy"]
    return {
        name: {
            "median_ms": median(found),
            "mean_ms": mean(found),
            "overhead": median(found) / median(plain) - 1,
            "paired_ms": median(one - other for one, other in zip(found, plain, strict=True)),
        }
        for name, found in times.items()
    }


def kernels(batch: int, k: int, term: Term) -> dict[str, float]:
    """Launches of the term forward and backward, and what it takes alone."""
    logits = torch.randn(batch, k, device=DEVICE, requires_grad=True)
    labels = torch.randint(k, (batch,), device=DEVICE)

    def once() -> None:
        torch.autograd.grad(term(logits, labels), logits)

    for _ in range(5):
        once()
    with profile(
        activities=[ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if CUDA else [])]
    ) as seen:
        once()
    on_device = [event for event in seen.events() or [] if event.device_type.name == "CUDA"]
    clock = Clock()
    for _ in range(50):
        clock.time(once)
    return {
        "launches": len(on_device),
        "device_us": sum(event.device_time for event in on_device),
        "alone_us": 1e3 * median(clock.milliseconds()),
    }


def same_as_on_the_cpu() -> dict[str, float]:
    """Largest relative difference of each loss and of its gradients between the two, and that bad rows are named."""
    random = torch.Generator().manual_seed(0)
    found = {}
    for name in losses.__all__:
        kind = getattr(losses, name)
        if kind is Loss:
            continue
        k = 2 if name == "KDEMeanSquared" else 10
        logits, labels = (
            3 * torch.randn(64, k, generator=random),
            torch.randint(k, (64,), generator=random),
        )
        parts = []
        for device in (torch.device("cpu"), DEVICE):
            given = logits.to(device).requires_grad_()
            value = kind()(given, labels.to(device))
            parts.append((value.detach().cpu(), torch.autograd.grad(value, given)[0].cpu()))
        found[name] = max(
            float((one - other).norm() / one.norm()) for one, other in zip(*parts, strict=True)
        )
    try:
        losses.Focal()(
            logits.to(DEVICE).index_fill(0, torch.tensor([3], device=DEVICE), torch.nan),
            labels.to(DEVICE),
        )
        print("a row of nan was NOT refused")
    except ValueError as error:
        print("refused:", error)
    return found


def main() -> None:
    started = time.monotonic()
    small = "--small" in sys.argv
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = True
    name = torch.cuda.get_device_name() if CUDA else "cpu"
    found: dict[str, Any] = {
        "device": name,
        "torch": torch.__version__,
        "cpu_and_device_differ": same_as_on_the_cpu(),
    }
    print(found, flush=True)
    path = Path(os.environ.get("OUT", ".")) / "overhead.json"
    rows: list[dict[str, Any]] = []
    for batch, setting, k in _studies(small=small):
        if time.monotonic() - started > ENOUGH:
            print("time is up; left out:", batch, setting, k)
            continue
        made: dict[str, Term] = {
            view: KDECalibration(view) for view, classes, _ in TERMS if classes == k
        }
        if "--compiled" in sys.argv and "graph" not in setting:
            made["canonical, compiled"] = torch.compile(KDECalibration())
        # The plain step a second time tells how much of a difference is noise.
        times = compare(
            batch, k, setting, {"cross-entropy": None, "cross-entropy again": None, **made}
        )
        for term, numbers in times.items():
            alone = kernels(batch, k, made[term]) if term in made else {}
            rows.append(
                {"batch": batch, "k": k, "setting": setting, "term": term, **numbers, **alone}
            )
            print(rows[-1], flush=True)
        path.write_text(json.dumps(found | {"rows": rows}, indent=1))
    print(f"\n{name}, torch {torch.__version__}: a step of ResNet-18, median of {TURNS}")
    print("| batch | classes | setting | term | ms | added | launches | bar |\n|" + " --- |" * 8)
    bars = {(view, k): bar for view, k, bar in TERMS}
    for row in sorted(rows, key=lambda row: (row["k"], row["term"], row["setting"], row["batch"])):
        bar = bars.get((row["term"], row["k"])) if row["batch"] > 128 else None
        shown = f"{row['median_ms']:.2f} | {row['overhead']:+.2%} | {row.get('launches', '')} | {bar or ''}"
        print(f"| {row['batch']} | {row['k']} | {row['setting']} | {row['term']} | {shown} |")


def _studies(*, small: bool) -> list[tuple[int, str, int]]:
    """The settings with bars first."""
    batches = (16,) if small else sorted(BATCHES, key=lambda batch: batch == 128)
    return [(batch, setting, k) for batch in batches for setting in SETTINGS for k in (10, 100)]


def _round(n: int) -> Iterator[int]:
    while True:
        yield from range(n)


if __name__ == "__main__":
    main()
