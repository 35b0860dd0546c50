"""calibrant show tells what a map is, and draws it."""

from pathlib import Path

import pytest
from shared_command import said, told

from calibrant import binary, write


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("family", ["temperature", "isotonic"])
def test_show_draws_a_picture(family: str, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "fit", "classes.csv", "--family", family, "-o", "m.safetensors")
    text = said(capsys, "show", "m.safetensors")
    assert said(capsys, "show", "m.safetensors", "--picture", "m.png") == f"{text}\nWrote m.png.\n"
    assert Path("m.png").read_bytes().startswith(b"\x89PNG")
    assert said(capsys, "show", "m.safetensors", "--picture", "m.svg", "-q") == ""
    assert told(capsys, "show", "m.safetensors", "--picture", "m.pdf")["picture"] == "m.pdf"


@pytest.mark.usefixtures("here")
def test_claims_of_exactly_0_and_1_are_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    write("rounded.csv", binary([0, 0.1, 0.4, 0.9, 1, 1], [0, 1, 0, 1, 1, 0]))
    fitted = said(capsys, "fit", "rounded.csv", "--family", "platt", "-o", "rounded.safetensors")
    words = "3 of the rows claim exactly 0 or 1: such claims count as rounded and are read as 0.05"
    assert words in " ".join(fitted.split())
    assert words in " ".join(said(capsys, "show", "rounded.safetensors").split())
    assert told(capsys, "show", "rounded.safetensors")["rounded"].startswith(words)
