"""calibrant check prints a line for each limit and tells a pipeline by its exit code."""

import json
from pathlib import Path

import pytest
from shared_command import refused

from calibrant.cli import run

FEW = "calibrant.reporting.confidence.DRAWS"


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FEW, 100)


@pytest.mark.usefixtures("here")
def test_the_exit_code_says_whether_limits_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "classes.csv", "--max-ece", "0.5", "--min-accuracy", "0.3"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in out] == ["pass", "pass"]
    assert run(["check", "classes.csv", "--max-ks-error", "0.01", "--max-nll", "9"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in out] == ["FAIL", "pass"]
    assert "at most 1.00" in out[0]
    assert run(["check", "classes.csv", "--max-error", "0.01", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["passed"], found["limits"][0]["outcome"]) == (False, "fail")


@pytest.mark.usefixtures("here")
def test_what_the_data_leave_open_fails_strictly(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "chances.jsonl", "--max-ece", "0.01", "--json"])
    (found,) = json.loads(capsys.readouterr().out)["limits"]
    inside = str((found["low"] + found["high"]) / 2)
    assert run(["check", "chances.jsonl", "--max-ece", inside]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in out] == ["open", "open"]
    assert "more rows would tell" in out[1]
    assert run(["check", "chances.jsonl", "--max-ece", inside, "--strict"]) == 1
    assert capsys.readouterr().out.startswith("FAIL")


@pytest.mark.usefixtures("here")
def test_limits_stand_in_a_file_too(capsys: pytest.CaptureFixture[str]) -> None:
    Path("limits.toml").write_text("max-nll = 9\nmax_ece = 0.0001  # too little\nstrict = true\n")
    assert run(["check", "classes.csv", "--limits", "limits.toml", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["strict"]
    assert [each["name"] for each in found["limits"]] == ["nll", "ece"]
    options = ["--limits", "limits.toml", "--max-ece", "0.9"]
    assert run(["check", "classes.csv", *options]) == 0


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("max-eec = 1", "did you mean max-ece? the limits are max-error, max-ece"),
        ("max-ece: 0.1", "a file of limits has lines such as max-error = 0.02 (Expected"),
        ("max-ece = 2", "max-ece is a fraction, such as 0.02 for 2 points; got 2"),
        ("max-ece = '2'", "max-ece must be a number above 0, got '2'"),
        ("max-nll = -1", "max-nll must be a number above 0, got -1"),
        ("max_ratio = 0.5", "max_ratio is how many times too high or too low, at least 1"),
        ("strict = 1", "there is no limit 'strict'"),
        ("", "name a limit, as --max-error 0.02, or a file of limits"),
        ("strict = true", "name a limit"),
    ],
)
def test_limits_that_cannot_be_meant_are_refused(
    lines: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("limits.toml").write_text(lines)
    assert reason in refused(capsys, "check", "classes.csv", "--limits", "limits.toml")


@pytest.mark.usefixtures("here")
def test_bad_input_is_no_broken_limit(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no such file" in refused(capsys, "check", "absent.csv", "--max-error", "0.1")
    assert "name a limit" in refused(capsys, "check", "classes.csv")
    assert "a fraction" in refused(capsys, "check", "classes.csv", "--max-error", "2")
    assert "accuracy is of classes" in refused(
        capsys, "check", "chances.jsonl", "--min-accuracy", "0.9"
    )
    assert "absent.toml" in refused(capsys, "check", "classes.csv", "--limits", "absent.toml")
