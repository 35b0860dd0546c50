"""Saved maps: what the file says, and every way it can be wrong."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import calibrant
from calibrant import Isotonic, Map, OneVsRest, Temperature, binary, from_logits, load
from calibrant.deploy.store import _sealed

R = np.random.default_rng(0)
FITTED = OneVsRest(Isotonic()).fit(
    from_logits(R.normal(0, 2, (60, 3)), R.integers(0, 3, 60), classes=["a", "b", "c"])
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    FITTED.save(tmp_path / "map.safetensors")
    return tmp_path / "map.safetensors"


def test_the_header_says_family_hyperparameters_version_and_seal(path: Path) -> None:
    with safe_open(path, "numpy") as file:
        words = file.metadata()
    told = json.loads(words["map"])
    assert told["family"] == {
        "is": "OneVsRest",
        "family": {"is": "Isotonic", "interpolate": True, "centred": False},
    }
    assert told["classes"] == ["a", "b", "c"]
    assert json.loads(words["calibrant"]) == {"format": 1, "version": calibrant.__version__}
    assert len(words["sha256"]) == 64


def test_certificates_are_kept(tmp_path: Path) -> None:
    fitted = Temperature().fit(from_logits(R.normal(0, 2, (60, 3)), R.integers(0, 3, 60)))
    fitted.save(tmp_path / "t")
    assert load(tmp_path / "t").rule.certificate == fitted.rule.certificate


def test_every_flipped_byte_is_refused(path: Path) -> None:
    content = path.read_bytes()
    for at in range(len(content)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :])
        with pytest.raises(ValueError, match=r"map\.safetensors"):
            load(path)


def test_a_cut_file_is_refused(path: Path) -> None:
    content = path.read_bytes()
    for length in (0, 5, 100, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match=r"not a map saved by calibrant|was cut or changed"):
            load(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    save_file({"weights": np.ones(3)}, tmp_path / "foreign.safetensors")
    (tmp_path / "text").write_text("hello")
    for name in ("foreign.safetensors", "text"):
        with pytest.raises(ValueError, match="is not a map saved by calibrant"):
            load(tmp_path / name)
    with pytest.raises(ValueError, match="there is no such file"):
        load(tmp_path / "nothing")
    with pytest.raises(ValueError, match="there is no such file"):
        load(tmp_path)


def _forge(path: Path, old: str, new: str) -> None:
    """Change words in the header and seal it again, as a later version or an attacker would."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    for key in ("map", "calibrant"):
        header["__metadata__"][key] = header["__metadata__"][key].replace(old, new)
    header["__metadata__"]["sha256"] = "0" * 64
    raw = json.dumps(header).encode()
    raw += b" " * (-len(raw) % 8)
    path.write_bytes(_sealed(len(raw).to_bytes(8, "little") + raw + content[8 + length :]))


def test_a_later_format_says_to_upgrade(path: Path) -> None:
    _forge(path, '"format": 1', '"format": 2')
    with pytest.raises(ValueError, match=r"has format 2 of calibrant .*: upgrade calibrant"):
        load(path)


@pytest.mark.parametrize("name", ["Popen", "read", "Predictions", "NewFamily"])
def test_nothing_but_families_and_rules_is_ever_called(path: Path, name: str) -> None:
    _forge(path, '"is": "Isotonic"', f'"is": "{name}"')
    with pytest.raises(ValueError, match=f"no map that calibrant .* knows: it is made of '{name}'"):
        load(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [('"interpolate": true', '"sideways": true'), ('"is": "array"', '"is": "ChanceMap"')],
)
def test_a_map_that_does_not_fit_together_is_refused(path: Path, old: str, new: str) -> None:
    _forge(path, old, new)
    with pytest.raises(ValueError, match=r"map\.safetensors"):
        load(path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no folder .*nowhere; make it first"):
        Isotonic().fit(binary([0.2, 0.8], [0, 1])).save(tmp_path / "nowhere" / "map")


def test_others_may_read_what_was_written(path: Path) -> None:
    (path.parent / "plain").write_text("")
    assert path.stat().st_mode == (path.parent / "plain").stat().st_mode


def test_loaded_maps_are_maps(path: Path) -> None:
    assert isinstance(load(path), Map)
    assert isinstance(load(str(path)), Map)
