"""Pages: they fit the terminal, need no colour, and show names as they are."""

from dataclasses import replace

import pytest

from calibrant import Predictions, Temperature, compare, from_probs, report, samples
from calibrant.contenders import Candidate, Selection
from calibrant.reporting.measure_table import OF_CLAIMS
from calibrant.reporting.ranking import rank_models
from calibrant.reporting.terminal import plain_text, ranking_page, selection_page


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


def test_groups_worst_classes_and_intervals_fit_the_terminal(
    sample: tuple[Predictions, Predictions], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("calibrant.reporting.measure_table.OF_CLAIMS", OF_CLAIMS[:2])
    pred = sample[1][:600]
    found = report(pred, by={"site": ["[north]", "south"] * 300}, intervals=True)
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 80
    for each in found.groups:
        (line,) = [line for line in lines if line.split()[:1] == [each.name]]
        assert line.split()[1:4] == [
            "300",
            f"{100 * each.claimed:.2f}",
            f"{100 * each.happened:.2f}",
        ]
        assert line.endswith(each.finding)
    start = lines.index("Classes furthest off")
    assert [line.split()[0] for line in lines[start + 2 : start + 7]] == [
        each.name for each in found.classes[:5]
    ]
    for row in found.rows:
        if row.low is not None and row.high is not None and row.unit == "%":
            assert f"{100 * row.low:.2f} to {100 * row.high:.2f}" in str(found)


def test_class_names_that_look_like_markup_are_shown_as_they_are() -> None:
    found = report(from_probs([[0.6, 0.3, 0.1]], ["[a]"], classes=["[a]", "[bold]", "[/]"]))
    assert "[bold], [/]" in " ".join(str(found).split())


def test_a_ranking_fits_the_terminal_whatever_the_names(
    sample: tuple[Predictions, Predictions], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    row = compare(*sample, {"T": Temperature()}).rows[1]
    rows = (
        replace(row, name="ensemble-temperature", fit_seconds=301.5, nll=54.1487),
        replace(row, fit_seconds=0.0),
    )
    found = replace(
        rank_models([("a", sample[1]), ("b", sample[1])]), rows=rows, fitted_on="some rows"
    )
    found = replace(
        found, scored_on="others", failures=(("x", "why"),), warnings=("this",), words="End."
    )
    lines = plain_text(ranking_page(found)).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[:2] == ["Fitted on some rows.", "Scored on others."]
    assert lines[5].split() == [
        "ensemble-temperature",
        "94.62",
        "54.1487",
        "0.0810",
        "0.89",
        "0.38",
        "0.88",
        "302",
    ]
    assert lines[6].split()[-1] == "0.88"
    assert lines[7] == "  x failed: why"
    assert lines[9:] == ["Mind: this", "", "End."]
    long = "[bold]" + "a/long/way/" * 9
    text = plain_text(ranking_page(rank_models([(long, sample[1]), ("short", sample[1])])))
    assert max(map(len, text.splitlines())) <= 80
    assert "[bold]" in text


def test_a_selection_marks_the_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    rows = (
        Candidate("T", 1.5, 0.1, -1e-9, 0.0),
        Candidate("structured-matrix", 1.5, 0.1, 0.0, 0.0),
    )
    lines = plain_text(
        selection_page(Selection(Temperature(), "T", "nll", rows, (("x", "why"),)))
    ).splitlines()
    assert lines[1].split() == ["NLL", "error", "the", "best", "error"]
    assert lines[2].split() == ["T", "1.50000", "0.10000", "0.00000", "0.00000", "chosen"]
    assert lines[3].split()[-1] == "0.00000"
    assert lines[4] == "  x failed: why"
    assert lines[6].startswith("Chose T: ")
