"""Pages: they fit the terminal, need no colour, and show names as they are."""

from pathlib import Path

import pytest
from rich.console import Console
from shared_claims import claims

from calibrant import Predictions, from_probs, report, samples
from calibrant.chances.smooth import Smooth
from calibrant.reporting.description import describe
from calibrant.reporting.terminal import map_page, plain


@pytest.fixture(scope="module")
def sample() -> tuple[Predictions, Predictions]:
    return samples.load("c10-resnet18")


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_reads_well_without_colour(
    sample: tuple[Predictions, Predictions], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("FORCE_COLOR", "1")
    found = report(sample[1], fit_on=sample[0])
    lines = str(found).splitlines()
    assert "\x1b" not in str(found)
    assert max(map(len, lines)) <= width
    for row in found.rows:
        assert any(row.name in line and line.endswith(row.meaning) for line in lines), row
    assert str(found).isascii()


def test_class_names_that_look_like_markup_are_shown_as_they_are() -> None:
    found = report(from_probs([[0.6, 0.3, 0.1]], ["[a]"], classes=["[a]", "[bold]", "[/]"]))
    assert "[bold], [/]" in " ".join(str(found).split())


def test_a_map_is_drawn_as_two_marks_a_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page = map_page(describe(Smooth().fit(claims(3000, slope=0.5))))
    lines = plain(page).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "Smooth()"
    high = next(line for line in lines if line.strip().startswith("95 "))
    assert high.index("●") < high.index("○")
    low = next(line for line in lines if line.strip().startswith("5 "))
    assert low.index("○") < low.index("●")


def test_where_unicode_is_unknown_marks_are_ascii(tmp_path: Path) -> None:
    with (tmp_path / "out.txt").open("w", encoding="ascii") as file:
        Console(file=file, width=80).print(map_page(describe(Smooth().fit(claims(300)))))
    assert "o claim  * chance" in (tmp_path / "out.txt").read_text()
