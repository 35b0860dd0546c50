"""calibrant show tells what a map is, and draws it."""

from pathlib import Path

import pytest
from shared_command import said, told


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("family", ["temperature", "isotonic"])
def test_show_draws_a_picture(family: str, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "fit", "classes.csv", "--family", family, "-o", "m.safetensors")
    text = said(capsys, "show", "m.safetensors")
    assert said(capsys, "show", "m.safetensors", "--picture", "m.png") == f"{text}\nWrote m.png.\n"
    assert Path("m.png").read_bytes().startswith(b"\x89PNG")
    assert said(capsys, "show", "m.safetensors", "--picture", "m.svg", "-q") == ""
    assert told(capsys, "show", "m.safetensors", "--picture", "m.pdf")["picture"] == "m.pdf"
