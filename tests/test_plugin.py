"""A family of another package, really installed: one file, and everything works for it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
PLUGIN = HERE / "plugin"
LAWS = """
from lawful import assert_lawful
from calibrant.families.names import family_of
assert_lawful(family_of("intercept(prior=2.0)"))
"""
EXPORTS = """
import sys
import numpy as np
import calibrant as c
from calibrant.families.names import family_of

folder = sys.argv[1]
fitted = c.load(f"{folder}/map.safetensors")
p = np.append(np.random.default_rng(0).random(200), [0, 1, 0.5])
q = fitted(p)
z = np.random.default_rng(1).normal(0, 2, (90, 3))
whole = family_of("one-vs-rest(intercept)").fit(c.from_logits(z, z.argmax(1)))

import duckdb
import pyarrow
claims = pyarrow.table({"p": p})
found = duckdb.sql(f"SELECT {fitted.to_sql('p')} FROM claims").fetchnumpy()
assert np.abs(next(iter(found.values())) - q).max() < 1e-12

import onnxruntime
for each, name, x in ((fitted, "p", p), (whole, "logits", z)):
    each.to_onnx(f"{folder}/map.onnx", dtype="float64")
    session = onnxruntime.InferenceSession(f"{folder}/map.onnx")
    assert np.abs(session.run(None, {name: x})[0] - each(x)).max() < 1e-12

import torch
from calibrant.torch.modules import to_module
for module, each, x in ((to_module(fitted, input="probs"), fitted, p), (to_module(whole), whole, z)):
    assert np.abs(module(torch.from_numpy(x)).numpy() - each(x)).max() < 1e-12
whole.save(f"{folder}/whole.safetensors")
assert np.array_equal(c.load(f"{folder}/whole.safetensors")(z), whole(z))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the package is installed, by pip, beside all others."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--target", str(folder)]
    subprocess.run([*pip, *options, str(PLUGIN)], check=True, cwd=folder)
    path = os.pathsep.join([str(folder), str(HERE / "support")])
    return {**os.environ, "PYTHONPATH": path}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A file of claims that are too high."""
    random = np.random.default_rng(0)
    p = random.random(300)
    y = random.random(300) < p**2
    lines = [f"{each:.6f},{int(happened)}" for each, happened in zip(p, y, strict=True)]
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(["confidence,correct", *lines]))
    return file


def _run(program: list[str], environment: dict[str, str], folder: Path) -> str:
    found = subprocess.run(
        [sys.executable, *program],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def _command(arguments: str, environment: dict[str, str], folder: Path) -> str:
    main = "import sys; from calibrant.cli import main; main()"
    return _run(["-c", main, *arguments.split()], environment, folder)


def test_a_family_of_another_package_is_one_short_file() -> None:
    lines = (PLUGIN / "calibrant_intercept.py").read_text().splitlines()
    assert len(lines) <= 45


@pytest.mark.usefixtures("rows")
def test_the_command_fits_shows_and_applies_it(installed: dict[str, str], tmp_path: Path) -> None:
    fit = "fit rows.csv --family intercept(prior=2) -o map.safetensors"
    assert "intercept(prior=2.0)" in _command(fit, installed, tmp_path)
    shown = json.loads(_command("show map.safetensors --json", installed, tmp_path))
    assert shown["facts"][0]["name"] == "intercept"
    assert shown["facts"][0]["value"] < 0
    _command("apply map.safetensors rows.csv -o mended.csv", installed, tmp_path)
    _command("fit rows.csv --family intercept -o map.sql", installed, tmp_path)
    assert "exp(" in (tmp_path / "map.sql").read_text()


@pytest.mark.usefixtures("rows")
def test_it_is_deployed_like_any_other(installed: dict[str, str], tmp_path: Path) -> None:
    for extra in ("torch", "onnxruntime", "duckdb", "pyarrow"):
        pytest.importorskip(extra, reason="an extra")
    _command("fit rows.csv --family intercept -o map.safetensors", installed, tmp_path)
    _run(["-W", "error", "-c", EXPORTS, str(tmp_path)], installed, tmp_path)


def test_it_keeps_the_laws(installed: dict[str, str], tmp_path: Path) -> None:
    _run(["-W", "error", "-c", LAWS], installed, tmp_path)


@pytest.mark.usefixtures("rows")
def test_a_map_of_a_package_that_is_absent_says_so(
    installed: dict[str, str], tmp_path: Path
) -> None:
    _command("fit rows.csv --family intercept -o map.safetensors", installed, tmp_path)
    found = subprocess.run(
        [sys.executable, "-c", "import calibrant; calibrant.load('map.safetensors')"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (
        "'family:intercept', which no installed package declares" in found.stderr.splitlines()[-1]
    )
