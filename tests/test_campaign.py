"""A small part of the campaign of `make fuzz`, the same each time; and what it counts as what."""

from pathlib import Path

import numpy as np
import pytest
from campaign import campaign
from hostile_cases import Tally

from calibrant import binary, ece


@pytest.mark.parametrize(("kind", "cases"), [("calls", 150), ("files", 300)])
def test_hostile_cases_give_results_or_documented_errors(
    tmp_path: Path, kind: str, cases: int
) -> None:
    tally = campaign(kind, cases, 20, tmp_path)
    assert not tally.outside, tally.told()
    assert tally.counts.total() >= cases / 2
    assert min(tally.counts["refused"], tally.counts["result"]) > 0


def _raises_plainly() -> None:
    np.zeros(3).reshape(2, 2)


def test_what_is_outside_the_contract_is_told() -> None:
    view = binary([0.5, 0.2], [1, 0])
    tally = Tally()
    tally.put("fine", lambda: ece(view))
    tally.put("refused", lambda: ece(view, 0))
    assert not tally.outside
    tally.put("nan", lambda: {"deep": [np.array([np.nan])]})
    tally.put("trace", lambda: [][1])
    tally.put("numpy's own words", _raises_plainly)
    tally.put("warning", lambda: np.log(np.zeros(1)))
    assert tally.counts == {
        "result": 1,
        "refused": 1,
        "nan": 1,
        "IndexError": 1,
        "ValueError": 1,
        "RuntimeWarning": 1,
    }
    assert len(tally.outside) == 4
