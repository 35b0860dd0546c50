"""What was found is told as a page, as JSON, or not at all."""

import sys

import pytest
from shared_command import refused, said
from shared_terminal import Terminal

from calibrant.cli import run


@pytest.mark.usefixtures("here")
def test_quiet_leaves_out_words_where_a_file_is_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert said(capsys, "fit", "classes.csv", "-o", "m.safetensors", "--quiet") == ""
    assert said(capsys, "apply", "m.safetensors", "classes.csv", "-o", "out.csv", "-q") == ""
    quietly = said(capsys, "report", "classes.csv", "-q").replace(" -q", "").split()
    assert quietly == said(capsys, "report", "classes.csv").split()
    assert "did you mean" in refused(capsys, "report", "clases.csv", "-q")
    for quiet in ([], ["-q"]):
        screen = Terminal()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", screen)
            assert run(["compare", "both.npz", "--families", "platt", *quiet]) == 0
        assert (screen.getvalue() == "") == bool(quiet)
