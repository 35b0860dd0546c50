"""Speed of this checkout against another one: every row of speed.md and one_chance_speed.md that is ours.

    python benchmarks/versions.py PATH_OF_OTHER_SRC [ROUNDS [PART_OF_A_NAME]]

Two processes hold the same inputs, one for each version, and are timed in turn, so that a slow moment of the
machine falls on both alike; a ratio is the median over rounds of this time over the other's.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
Work = Callable[[], object]


def works() -> dict[str, Work]:
    """What is timed, by name; inputs are made once."""
    from inputs import binary_chances, multiclass_logits, softmax

    import calibrant as c

    hundred = multiclass_logits(50_000, 100)
    thousand = multiclass_logits(25_000, 1000)
    ten = multiclass_logits(10**6, 10)
    few = multiclass_logits(5_000, 10)
    ten_probs = softmax(ten[0])
    hundred_probs = softmax(hundred[0])
    few_probs = softmax(few[0])
    chances = {n: binary_chances(n) for n in (10**4, 50_000, 10**5, 10**6)}

    def one_chance(family: c.Family, n: int) -> Work:
        return lambda: family.fit(c.binary(*chances[n]))

    fixed = c.Dirichlet(off_diagonal=1.0, intercept=1.0)
    each = c.OneVsRest(c.Isotonic())
    return {
        "top-label ECE, 10^6 x 10": lambda: c.ece(c.from_probs(ten_probs, ten[1])),
        "temperature, 50,000 x 100": lambda: c.Temperature().fit(c.from_logits(*hundred)),
        "temperature, 25,000 x 1000": lambda: c.Temperature().fit(c.from_logits(*thousand)),
        "isotonic one-vs-rest, 50,000 x 100": lambda: each.fit(
            c.from_probs(hundred_probs, hundred[1])
        ),
        "vector scaling, 50,000 x 100": lambda: c.VectorScaling().fit(c.from_logits(*hundred)),
        "vector scaling, 25,000 x 1000": lambda: c.VectorScaling().fit(c.from_logits(*thousand)),
        "structured matrix, 50,000 x 100": lambda: c.StructuredMatrix().fit(
            c.from_probs(hundred_probs, hundred[1])
        ),
        "Dirichlet, fixed strengths, 5,000 x 10": lambda: fixed.fit(
            c.from_probs(few_probs, few[1])
        ),
        "BBQ, 50,000": one_chance(c.BBQ(), 50_000),
        "Beta, 100,000": one_chance(c.Beta(), 10**5),
        "Spline, 100,000": one_chance(c.Spline(), 10**5),
        "Smooth, 10,000": one_chance(c.Smooth(), 10**4),
        "Smooth, 100,000": one_chance(c.Smooth(), 10**5),
        "Smooth, 1,000,000": one_chance(c.Smooth(), 10**6),
        "Venn-Abers, 100,000": one_chance(c.VennAbers(), 10**5),
        "smooth ECE, 1,000,000": lambda: c.smece(c.binary(*chances[10**6])),
    }


def serve() -> None:
    """Time the work that each line names, until there are no more lines."""
    known = works()
    print(*known, sep="\t", flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        known[line.rstrip("\n")]()
        print(time.perf_counter() - start, flush=True)


def started(source: str) -> "subprocess.Popen[str]":
    """A process that serves one version."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([source, str(HERE)])}
    command = [sys.executable, __file__, "--serve"]
    return subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def seconds(server: "subprocess.Popen[str]", name: str) -> float:
    """How long a version takes for some work."""
    assert server.stdin
    assert server.stdout
    print(name, file=server.stdin, flush=True)
    return float(server.stdout.readline())


def main() -> None:
    """Print a table, the slowest first."""
    if "--serve" in sys.argv:
        serve()
        return
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    both = [started(str(HERE.parent / "src")), started(sys.argv[1])]
    names, _ = (server.stdout.readline().split("\t") for server in both if server.stdout)
    rows = []
    part = sys.argv[3] if len(sys.argv) > 3 else ""
    for name in (each.strip() for each in names if part in each):
        for server in both:
            seconds(server, name)
        pairs = np.array([[seconds(server, name) for server in both] for _ in range(rounds)])
        ratio = float(np.median(pairs[:, 0] / pairs[:, 1]))
        ours, theirs = 1e3 * np.median(pairs, axis=0)
        rows.append((ratio, f"| {name} | {ours:.1f} ms | {theirs:.1f} ms | {ratio:.2f} |"))
        print(rows[-1][1], file=sys.stderr, flush=True)
    print("| work | this | other | ratio |\n|---|---|---|---|")
    print(*(row for _, row in sorted(rows, reverse=True)), sep="\n")


if __name__ == "__main__":
    main()
