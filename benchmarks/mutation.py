"""Do the tests notice small faults? Writes docs/benchmarks/mutation.md.

First, what each test runs: COVERAGE_FILE=.mutation.coverage python -m pytest TESTS --cov=calibrant
--cov-context=test --cov-report= . Then, of each fault drawn, those tests that run its lines: in a
process of its own, that has the fault in memory alone. No file is changed.
"""

import argparse
import gc
import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from coverage import CoverageData
from machine import stamp
from mutants import Mutant, mutants, mutated
from scipy.stats import binomtest

import calibrant
from calibrant.inputs.paths import write_whole

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "mutation.md"
WORDS = Path(__file__).with_suffix(".json")  # what survivors mean, by place: looked at by hand
SRC = Path(calibrant.__file__).parent
ROOMS = ("measures", "families", "fitting")
FILES = ["inputs/views.py"]
# Processor seconds: no test is begun after the first, none goes on after the second.
ENOUGH, TOO_MUCH = 12, 60
MEMORY = 12 << 30
KILLED, SURVIVED, TIMED_OUT, NOT_RUN = "killed", "survived", "timed out", "run by no test"


class Trials:
    """Takes the place of pytest's loop: each fault is tried in a child of the process."""

    def __init__(self, faults: list[Mutant], covered: CoverageData, kept: Path) -> None:
        self.faults = faults
        self.covered = covered
        self.kept = kept
        self.failed: str | None = None

    def pytest_collection(self) -> None:
        """A failure is enough: it need not be made small."""
        from hypothesis import Phase, settings  # once pytest has prepared for it

        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("faults", settings.get_profile("calibrant"), phases=phases)
        settings.load_profile("faults")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the test that failed."""
        if report.failed:
            self.failed = report.nodeid

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every fault that was not tried before."""
        items = {item.nodeid: item for item in session.items}
        done = {tuple(each["fault"]) for each in _lines(self.kept)}
        for fault in self.faults:
            if tuple(fault) in done:
                continue
            chosen = [items[name] for name in self._tests_of(fault) if name in items]
            found = self._in_child(fault, chosen) if chosen else {"outcome": NOT_RUN}
            with self.kept.open("a") as file:
                file.write(json.dumps({"fault": fault, "of": len(chosen), **found}) + "\n")
        killers = {each["by"] for each in _lines(self.kept) if each.get("by")}
        false = self._in_child(None, [items[name] for name in sorted(killers) if name in items])
        if false["outcome"] != SURVIVED:
            raise RuntimeError(f"a test fails without a fault: {false}")
        return True

    def _tests_of(self, fault: Mutant) -> list[str]:
        """The tests that run a fault's lines, those of its own file first, else by chance."""
        contexts = self.covered.contexts_by_lineno(str(SRC / fault.path))
        lines = range(fault.first, fault.last + 1)
        names = {each.rpartition("|")[0] for line in lines for each in contexts.get(line, [])} - {
            ""
        }
        if not names:  # lines that run in threads alone: those of the whole file
            names = {each.rpartition("|")[0] for found in contexts.values() for each in found} - {
                ""
            }
        shuffled = sorted(names)
        random.Random(0).shuffle(shuffled)
        own = f"/test_{Path(fault.path).stem}.py::"
        return sorted(shuffled, key=lambda name: own not in name)

    def _in_child(self, fault: Mutant | None, items: list[pytest.Item]) -> dict[str, Any]:
        read, write = os.pipe()
        child = os.fork()
        if not child:
            os.close(read)
            self._run(fault, items, write)
        os.close(write)
        with os.fdopen(read) as pipe:
            told = pipe.read()
        os.waitpid(child, 0)
        return json.loads(told) if told else {"outcome": TIMED_OUT}

    def _run(self, fault: Mutant | None, items: list[pytest.Item], write: int) -> None:
        """The tests one by one until one fails; never returns."""
        begun = time.process_time()
        found: dict[str, Any] = {"outcome": SURVIVED}
        try:
            if fault is not None:
                resource.setrlimit(resource.RLIMIT_CPU, (TOO_MUCH, TOO_MUCH))
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                signal.alarm(10 * TOO_MUCH)
                put(fault)
            for number, item in enumerate(items, 1):
                found["ran"] = number
                item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
                if self.failed is not None:
                    found |= {"outcome": KILLED, "by": self.failed}
                    break
                if fault is not None and time.process_time() - begun > ENOUGH:
                    break
        except BaseException as error:  # a fault may break what the tests themselves need
            found |= {"outcome": KILLED, "error": repr(error)[:200]}
        found["seconds"] = round(time.process_time() - begun, 1)
        os.write(write, json.dumps(found).encode())
        os._exit(0)


def put(fault: Mutant) -> None:
    """Give the functions of the running library the code that has the fault."""
    path = SRC / fault.path
    module = compile(mutated(path.read_text(), fault.place), str(path), "exec")
    new = {(code.co_qualname, code.co_firstlineno): code for code in _codes(module)}
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == str(path):
            code = function.__code__
            function.__code__ = new[code.co_qualname, code.co_firstlineno]


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def files() -> list[str]:
    """The files that faults are drawn from."""
    found = [path for room in ROOMS for path in sorted((SRC / room).rglob("*.py"))]
    return [str(path.relative_to(SRC)) for path in found] + FILES


def page(found: list[dict[str, Any]], words: dict[str, str], asked: argparse.Namespace) -> str:
    """What was found, as the page tells it."""
    rooms = sorted({_room(each) for each in found})
    rows = [_row(room, [each for each in found if _room(each) == room]) for room in rooms]
    left = sorted((each for each in found if each["outcome"] != KILLED), key=_place)
    listed = [
        f"| {_place(each)} | `{_cell(each, 4)}` | `{_cell(each, 5)}` | "
        f"{each.get('ran', 0)} of {each['of']} | {words.get(_place(each), 'not looked at')} |"
        for each in left
    ]
    return "\n".join(
        [
            "# Do the tests notice small faults?",
            "",
            (__doc__ or "").partition("\n\n")[2].strip(),
            "",
            f"{len(found)} of {asked.population:,} faults, the {asked.n} drawn by seed {asked.seed} less those "
            "that time did not allow: an operator, a comparison or a "
            "number that is another, a value not returned, a statement left out. A fault is killed by the first test "
            f"that fails. No test is begun after {ENOUGH} s of processor time; what lives so long counts as survived. "
            "Intervals are Wilson's, 95%. What survivors mean was told by reading them, not by proof.",
            "",
            "| room | faults | killed | survived | timed out | score |",
            "|---|---|---|---|---|---|",
            _row("**all**", found),
            *rows,
            "",
            "## Survivors",
            "",
            "| place | before | after | tests tried | what it means |",
            "|---|---|---|---|---|",
            *listed,
            "",
            stamp("pytest", "hypothesis"),
            "",
        ]
    )


def _row(name: str, found: list[dict[str, Any]]) -> str:
    counts = [
        sum(each["outcome"] == outcome for each in found)
        for outcome in (KILLED, SURVIVED, TIMED_OUT)
    ]
    # A fault that never ends is noticed too.
    noticed = binomtest(counts[0] + counts[2], len(found))
    low, high = noticed.proportion_ci(method="wilson")
    score = f"{100 * noticed.statistic:.1f}% ({100 * low:.1f} to {100 * high:.1f}%)"
    return f"| {name} | {len(found)} | {counts[0]} | {counts[1]} | {counts[2]} | {score} |"


def _room(found: dict[str, Any]) -> str:
    return str(found["fault"][0]).partition("/")[0]


def _place(found: dict[str, Any]) -> str:
    return f"{found['fault'][0]}:{found['fault'][2]}"


def _cell(found: dict[str, Any], part: int) -> str:
    return str(found["fault"][part]).replace("|", "\\|").replace("\n", " ")[:60]


def main() -> None:
    """Try so many faults, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tests", nargs="+", help="folders and files of tests")
    parser.add_argument("--coverage", default=".mutation.coverage")
    parser.add_argument("--n", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kept", type=Path, default=Path("benchmarks/.mutation.json"))
    asked = parser.parse_args()
    covered = CoverageData(asked.coverage)
    covered.read()
    population = [mutant for name in files() for mutant in mutants(SRC / name, name)]
    trials = Trials(random.Random(asked.seed).sample(population, asked.n), covered, asked.kept)
    failed = pytest.main(["-q", "-p", "no:cacheprovider", *asked.tests], plugins=[trials])
    if failed:
        sys.exit(failed)
    asked.population = len(population)
    words = json.loads(WORDS.read_text()) if WORDS.exists() else {}
    write_whole(PAGE, page(_lines(asked.kept), words, asked).encode())


if __name__ == "__main__":
    main()
