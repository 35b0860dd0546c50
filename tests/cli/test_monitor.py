"""calibrant monitor exits with an alarm, goes on from its state, and refits where it is asked to."""

import json
from io import BufferedReader, BytesIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from shared_command import refused, said

from calibrant import Platt, binary, load
from calibrant.cli import run
from calibrant.inputs import streams
from calibrant.monitoring import Monitor

RANDOM = np.random.default_rng(0)
P = RANDOM.random(6000).round(4)
RIGHT = RANDOM.random(6000) < P
# From the middle on claims are too high.
OFF = np.where(np.arange(6000) < 3000, RIGHT, RANDOM.random(6000) < P**3)


def written(path: Path, y: np.ndarray, rows: slice = slice(None)) -> str:
    lines = (
        json.dumps({"p": p, "y": bool(each)}) for p, each in zip(P[rows], y[rows], strict=True)
    )
    path.write_text("\n".join(lines) + "\n")
    return str(path)


COLUMNS = ("--confidence", "p", "--correct", "y")


def test_right_claims_raise_no_alarm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "monitor", written(tmp_path / "a.jsonl", RIGHT), *COLUMNS)
    assert out.startswith("No alarm in 6,000 rows")


def test_an_alarm_is_exit_code_1_and_says_refit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "a.jsonl", OFF)
    target = tmp_path / "new.safetensors"
    assert (
        run(["monitor", path, *COLUMNS, "--refit", str(target), "--json", "--family", "platt"]) == 1
    )
    found = json.loads(capsys.readouterr().out)
    assert (found["alarm"], found["advice"], found["map"]) == (True, "refit", str(target))
    monitor = Monitor()
    monitor.update(binary(P, OFF))
    assert (found["alarm_at"], found["onset"]) == (monitor.alarm_at, monitor.onset)
    fitted = load(target)
    assert fitted.family == Platt()
    np.testing.assert_array_equal(fitted(P), monitor.refit(Platt())(P))
    assert run(["monitor", path, *COLUMNS]) == 1
    assert "Refit the map." in capsys.readouterr().out


def test_the_stream_goes_on_from_its_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state"
    first = written(tmp_path / "1.jsonl", OFF, slice(0, 3000))
    second = written(tmp_path / "2.jsonl", OFF, slice(3000, 6000))
    said(capsys, "monitor", first, *COLUMNS, "--state", str(state))
    assert run(["monitor", second, *COLUMNS, "--state", str(state), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    monitor = Monitor()
    monitor.update(binary(P, OFF))
    assert found["n"] == 6000
    assert found["log_e_value"] == pytest.approx(monitor.evidence)
    assert Monitor.from_bytes(state.read_bytes()).alarm_at == monitor.alarm_at
    state.write_bytes(b"no state")
    assert "state: these bytes are not a monitor" in refused(
        capsys, "monitor", first, "--state", str(state)
    )


def test_what_is_refused_leaves_the_state_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state"
    said(capsys, "monitor", written(tmp_path / "1.jsonl", RIGHT), *COLUMNS, "--state", str(state))
    before = state.read_bytes()
    bad = tmp_path / "gap.jsonl"
    bad.write_text('{"p":0.5,"y":1}\n{"p":null,"y":1}\n')
    assert "--skip-missing" in refused(capsys, "monitor", str(bad), *COLUMNS, "--state", str(state))
    assert state.read_bytes() == before
    assert run(["monitor", str(bad), *COLUMNS, "--skip-missing"]) == 0
    assert "left out 1 of 2 rows" in capsys.readouterr().err
    bad.write_text('{"p":null,"y":1}\n{"p":null,"y":1}\n')
    assert run(["monitor", str(bad), *COLUMNS, "--skip-missing"]) == 2
    assert "no row of it could be read" in capsys.readouterr().err


def test_a_map_is_watched_and_a_family_needs_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "a.jsonl", OFF, slice(3000, 6000))
    Platt().fit(binary(P[3000:], OFF[3000:])).save(tmp_path / "map.safetensors")
    out = said(capsys, "monitor", path, *COLUMNS, "--map", str(tmp_path / "map.safetensors"))
    assert out.startswith("No alarm in 3,000 rows")
    assert "with --refit" in refused(capsys, "monitor", path, "--family", "platt")


def test_standard_input_is_left_at_the_alarm(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = Path(written(tmp_path / "a.jsonl", OFF)).read_bytes()
    monkeypatch.setattr(streams, "BYTES", 1000)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=BufferedReader(BytesIO(text))))
    assert run(["monitor", "-", *COLUMNS, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["alarm_at"] <= found["n"] < found["alarm_at"] + 100
