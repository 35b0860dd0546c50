"""Confidences stated in words, and what states none."""

from pathlib import Path

import numpy as np
import pytest

from calibrant import View, read, stated_confidences


@pytest.mark.parametrize(
    ("text", "p"),
    [
        ("Confidence: 85%", 0.85),
        ("The answer is 42.\nconfidence = 0.7", 0.7),
        ("Answer: B\nProbability that it is right: 90 percent", 0.9),
        ("I'm 60% sure it was 1912.", 0.6),
        ("I am 8 out of 10 confident", 0.8),
        ("Certainty (0-100%): 30%", 0.3),
        ("First I was 90% sure. On reflection, confidence: 40%", 0.4),
        ("0.25", 0.25),
        (" 7/10. ", 0.7),
        ("Confidence: 0,9", 0.9),
        ("100%", 1.0),
        ("3.58e-05", 3.58e-05),
        ("Confidence: 2E-1", 0.2),
        ("It was 1912, and 30% of them left.", None),
        ("No idea", None),
        (None, None),
    ],
)
def test_what_is_stated_last_counts(text: str | None, p: float | None) -> None:
    [found] = stated_confidences([text])
    assert np.isnan(found) if p is None else found == pytest.approx(p)


def test_a_scale_is_told_and_never_guessed() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1 \(row 1 says 'Confidence: 85'\)"):
        stated_confidences(["Confidence: 0.5", "Confidence: 85"])
    found = stated_confidences(["Confidence: 0.5", "Confidence: 85", "9/10 sure"], scale=100)
    assert found.tolist() == [0.005, 0.85, 0.9]


def test_a_column_of_texts_is_read(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text('confidence,correct\n"Rome. I am 90% sure",1\n"Confidence: 40%",0\n')
    view = read(path, event="the answer is right")
    assert isinstance(view, View)
    assert view.p.tolist() == [0.9, 0.4]
    assert view.event == "the answer is right"
    path.write_text('confidence,correct\n"Rome. I am 90% sure",1\n"no idea at all",0\n')
    with pytest.raises(ValueError, match="1 of 2 have none, the first is row 1"):
        read(path)
    kept = read(path, skip_missing=True)
    assert kept.n == 1


def test_nothing_is_stated_out_of_nothing() -> None:
    with pytest.raises(ValueError, match="row 0 says '9/0'"):
        stated_confidences(["9/0"])
    with pytest.raises(ValueError, match=r"scale must be above 0, such as 1 or 100; got 0\.0"):
        stated_confidences(["0.9"], scale=0.0)
