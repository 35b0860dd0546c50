"""calibrant demo shows the sample, what would mend it, and commands that work."""

from pathlib import Path

import pytest
from shared_command import VERDICT, is_page, said

from calibrant.cli import demo


def test_demo_shows_the_sample_the_mending_and_commands_that_work(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The sample of ten classes says the same in a tenth of the time.
    monkeypatch.setattr(demo, "SAMPLE", "c10-resnet18")
    (here / "report.html").write_text("mine")
    out = said(capsys, "demo")
    assert VERDICT in out
    assert "temperature" in out
    assert "\x1b" not in out
    assert "Wrote report-2.html: open it in a browser" in out
    assert (here / "report.html").read_text() == "mine"
    assert is_page(here / "report-2.html")
    commands = [line.split()[1:] for line in out.splitlines() if line.startswith("  calibrant ")]
    assert [command[0] for command in commands] == ["report", "fit", "apply", "report", "report"]
    for command in commands[:-1]:
        said(capsys, *command)
    assert (here / "mended.npz").exists()
