"""A report in a notebook: its words, its tables and its diagram."""

from calibrant import binary, report


def test_a_report_shows_words_and_picture() -> None:
    found = report(binary([0.9] * 100 + [0.2] * 100, [1] * 60 + [0] * 40 + [0] * 80 + [1] * 20))
    shown = found._repr_html_()
    assert "Do not take these probabilities at face value" in shown
    assert "<svg" in shown
    assert len(shown) < 300_000
    assert "<script" not in shown
