"""Many hostile cases in a row: `make fuzz`, or python tests/support/campaign.py calls --cases 10000 --seed 7.

It prints what they came to, and ends with 1 if anything is outside the contract.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hostile_calls import Call, calls
from hostile_cases import Tally, bound_memory
from hostile_commands import command_calls
from hostile_files import file_calls
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

KINDS: dict[str, Callable[[Path], SearchStrategy[Call]]] = {
    "calls": lambda _: calls(),
    "files": file_calls,
    "commands": command_calls,
}
# Commands take a hundred times as long as calls.
SHARES = {"calls": 0.6, "files": 0.39, "commands": 0.01}


def campaign(kind: str, cases: int, number: int, folder: Path) -> Tally:
    """So many cases of a kind, drawn by a seed."""
    tally = Tally()

    @seed(number)
    @settings(
        max_examples=cases,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(KINDS[kind](folder))
    def run(call: Call) -> None:
        tally.put(*call)

    whole: Any = run
    whole()
    return tally


def main() -> int:
    """Run what the command line asks for, within bounds of memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), help=", ".join(KINDS))
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    bound_memory()
    is_sound = True
    for kind in asked.kinds:
        cases = asked.cases if len(asked.kinds) == 1 else round(SHARES[kind] * asked.cases)
        with TemporaryDirectory() as folder:
            tally = campaign(kind, cases, asked.seed, Path(folder))
        sys.stdout.write(f"{kind}, seed {asked.seed}:\n{tally.told()}\n\n")
        sys.stdout.flush()
        is_sound &= not tally.outside
    return 0 if is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
