"""Pages of maps: they fit the terminal, tell facts and cautions, and draw what claims become."""

from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from shared_claims import claims

from calibrant import MatrixScaling, OneVsRest, Platt, Predictions, Smooth, from_probs
from calibrant.reporting.description import ToldFact, describe
from calibrant.reporting.map_page import SPREAD, fact_table, map_page
from calibrant.reporting.terminal import plain_text


@pytest.fixture
def pred() -> Predictions:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 400)
    return from_probs(rng.dirichlet([0.5, 0.5, 0.5], 400), labels, classes=["a", "b", "c"])


def test_a_map_is_drawn_as_two_marks_a_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page = map_page(describe(Smooth().fit(claims(3000, slope=0.5))))
    lines = plain_text(page).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "smooth"
    high = next(line for line in lines if line.strip().startswith("95 "))
    assert high.index("●") < high.index("○")
    low = next(line for line in lines if line.strip().startswith("5 "))
    assert low.index("○") < low.index("●")


def test_where_unicode_is_unknown_marks_are_ascii(tmp_path: Path) -> None:
    with (tmp_path / "out.txt").open("w", encoding="ascii") as file:
        Console(file=file, width=80).print(map_page(describe(Smooth().fit(claims(300)))))
    assert "o claim  * chance" in (tmp_path / "out.txt").read_text()


def test_classes_are_told_together_or_one_by_one(
    pred: Predictions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    fitted = OneVsRest(Platt()).fit(pred)
    whole = plain_text(map_page(describe(fitted)))
    assert SPREAD in whole
    assert "all classes %" in whole
    one = plain_text(map_page(describe(fitted, "b")))
    assert "; here the map of class b." in one
    assert SPREAD not in one


def test_a_caution_stands_before_the_answers(pred: Predictions) -> None:
    page = plain_text(map_page(describe(MatrixScaling().fit(pred[:11]))))
    assert "Caution: 12 numbers were fitted to 11 rows" in page
    assert "Optimum reached in" in page
    assert "claim %" not in page


def test_whole_numbers_have_no_digits_behind_the_point() -> None:
    facts = [
        ToldFact("bins", 1500.0, None, None, "counted"),
        ToldFact("slope", 0.5, 0.25, 1.0, "over classes"),
    ]
    assert plain_text(fact_table(facts)).splitlines() == [
        "  bins    1,500  counted",
        "  slope  0.5000  (0.2500 to 1) over classes",
    ]
