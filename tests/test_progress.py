"""A bar is seen on a terminal, and nowhere else."""

import sys

import pytest
from shared_terminal import Terminal

from calibrant.progress import progress, quiet


def test_a_bar_on_a_terminal_and_silence_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for screen in (None, Terminal()):
        if screen is not None:
            monkeypatch.setattr(sys, "stderr", screen)
        with progress("counting sheep", 2) as advance:
            advance()
            advance()
        if screen is None:
            assert capsys.readouterr() == ("", "")
        else:
            assert "counting sheep" in screen.getvalue()


def test_nothing_is_seen_where_it_is_to_be_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with quiet(), progress("counting sheep", 1) as advance:
        advance()
    assert screen.getvalue() == ""
    with progress("counting sheep", 1) as advance:
        advance()
    assert "counting sheep" in screen.getvalue()
