"""Saved maps: what the file says, and every way it can be wrong."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import calibrant
from calibrant import (
    Isotonic,
    Map,
    OneVsRest,
    Platt,
    Ranked,
    Temperature,
    binary,
    from_logits,
    load,
)
from calibrant.deploy.store import _sealed

R = np.random.default_rng(0)
LOGITS = R.normal(0, 2, (60, 3))
LABELS = R.integers(0, 3, 60)
FITTED = OneVsRest(Isotonic()).fit(from_logits(LOGITS, LABELS, classes=["a", "b", "c"]))
Words = dict[str, Any]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    FITTED.save(tmp_path / "map.safetensors")
    return tmp_path / "map.safetensors"


@pytest.fixture
def platt(tmp_path: Path) -> Path:
    Platt().fit(binary([0.2, 0.9], [0, 1])).save(tmp_path / "platt.safetensors")
    return tmp_path / "platt.safetensors"


def test_the_header_says_family_hyperparameters_version_and_seal(path: Path) -> None:
    with safe_open(path, "numpy") as file:
        words = file.metadata()
    told = json.loads(words["map"])
    assert told["family"] == {
        "is": "family:one-vs-rest",
        "family": {"is": "family:isotonic", "interpolate": True, "centred": False},
    }
    assert told["rule"]["is"] == "rule:each-class"
    assert told["classes"] == ["a", "b", "c"]
    assert json.loads(words["calibrant"]) == {"format": 2, "version": calibrant.__version__}
    assert len(words["sha256"]) == 64


def test_certificates_are_kept(tmp_path: Path) -> None:
    fitted = Temperature().fit(from_logits(LOGITS, LABELS))
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


def _with_header(path: Path, change: Callable[[Words], None]) -> None:
    """Change a file's header and seal it again, as a later version or an attacker would."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header["__metadata__"]["sha256"] = "0" * 64
    change(header)
    raw = json.dumps(header).encode()
    raw += b" " * (-len(raw) % 8)
    path.write_bytes(_sealed(len(raw).to_bytes(8, "little") + raw + content[8 + length :]))


def _forge(path: Path, old: str, new: str) -> None:
    """Replace words of the map, or of what made it, and seal the file again."""

    def change(header: Words) -> None:
        words = header["__metadata__"]
        for key in ("map", "calibrant"):
            words[key] = words[key].replace(old, new)

    _with_header(path, change)


def _refusal(path: Path) -> str:
    """Why a file is refused: one line, which names it."""
    with pytest.raises(ValueError, match=r"\.safetensors") as refused:
        load(path)
    told = str(refused.value)
    assert "\n" not in told
    return told


def test_formats_are_told_apart(path: Path) -> None:
    _forge(path, '"format": 2', '"format": 3')
    later = f"has format 3 of calibrant {calibrant.__version__}, and calibrant"
    assert later in _refusal(path)
    assert "reads up to format 2: upgrade calibrant" in _refusal(path)
    _forge(path, '"format": 3', '"format": 1')
    assert "has format 1, of a version that was never released" in _refusal(path)
    assert "fit the map and save it again" in _refusal(path)


@pytest.mark.parametrize(
    "words", ['"format": "two"', '"format": null', '"form": 2', '"format": 2.5']
)
def test_a_format_that_is_none_is_refused(path: Path, words: str) -> None:
    _forge(path, '"format": 2', words)
    assert "does not say what format it has" in _refusal(path)


@pytest.mark.parametrize("name", ["Popen", "read", "Predictions", "NewFamily"])
def test_nothing_but_families_and_rules_is_ever_called(path: Path, name: str) -> None:
    for room in ("family:", "rule:", ""):
        FITTED.save(path)
        _forge(path, '"is": "family:isotonic"', f'"is": "{room}{name}"')
        assert f"knows: it is made of '{room}{name}', which no installed package" in _refusal(path)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"interpolate": true', '"sideways": true', "family:isotonic has no field sideways"),
        ('"is": "array"', '"is": "chance-map"', "chance-map lacks its field family"),
        ('"is": "array"', '"is": ["array"]', "it is made of"),
        ('"is": "array"', '"was": "array"', "it is made of None"),
        ('"kind": "logits"', '"kind": "scores"', "kind of vector-map cannot be 'scores'"),
        ('"classes": ["a", "b", "c"]', '"classes": 3', "classes of vector-map cannot be 3"),
        ('"is": "vector-map"', '"is": "chance-map"', "chance-map has no field kind"),
    ],
)
def test_a_map_that_does_not_fit_together_is_refused(
    path: Path, old: str, new: str, why: str
) -> None:
    _forge(path, old, new)
    assert why in _refusal(path)


def _slope(path: Path) -> str:
    """The slope of a saved sigmoid, as it stands in the file."""
    with safe_open(path, "numpy") as file:
        told = json.loads(file.metadata()["map"])
    return f'"slope": {told["rule"]["slope"]!r}'


@pytest.mark.parametrize(
    ("number", "why"),
    [
        ('"slope": 1', "slope of rule:sigmoid cannot be 1"),
        ('"slope": true', "slope of rule:sigmoid cannot be True"),
        ('"slope": NaN', "slope of rule:sigmoid cannot be nan"),
        ('"slope": "1.0"', "slope of rule:sigmoid cannot be '1.0'"),
        ('"slope": [1.0]', "slope of rule:sigmoid cannot be (1.0,)"),
        ('"slope": {"is": "array"}', "the numbers of rule.slope are missing"),
        ('"steep": 1.0', "rule:sigmoid has no field steep"),
        ('"certificate": null', "rule:sigmoid lacks its field slope"),
        (f'"slope": {"[" * 100_000}', "knows: "),
        (f'"slope": {"[" * 5000}{"]" * 5000}', "knows: "),
    ],
)
def test_fields_of_a_rule_must_be_numbers_where_it_has_numbers(
    platt: Path, number: str, why: str
) -> None:
    _forge(platt, _slope(platt), number)
    assert why in _refusal(platt)


def test_what_a_map_was_fitted_on_must_be_a_number_too(platt: Path) -> None:
    _forge(platt, '"total": 2.0', '"total": NaN')
    assert "total of chance-map cannot be nan" in _refusal(platt)


def _with_arrays(path: Path, change: Callable[[np.ndarray], np.ndarray]) -> None:
    """Change a file's arrays and seal it again."""
    with safe_open(path, "numpy") as file:
        words = {**file.metadata(), "sha256": "0" * 64}
    arrays = load_file(path)
    changed = {name: change(array) for name, array in arrays.items()}
    save_file(changed, path, words)
    path.write_bytes(_sealed(path.read_bytes()))


def test_arrays_must_hold_numbers(path: Path) -> None:
    _with_arrays(path, np.zeros_like)
    assert isinstance(load(path), Map)
    _with_arrays(path, lambda x: x.astype(np.int64))
    assert "x of rule:points cannot be array" in _refusal(path)
    FITTED.save(path)
    _with_arrays(path, lambda x: x * np.nan)
    assert "x of rule:points cannot be array" in _refusal(path)


def test_arrays_that_lie_elsewhere_are_refused(path: Path) -> None:
    def change(header: Words) -> None:
        for name in header:
            if name != "__metadata__":
                header[name]["data_offsets"] = [0, 8]

    _with_header(path, change)
    assert "its arrays cannot be read" in _refusal(path)


@pytest.mark.parametrize("seal", [5, None, "", "0", ["0" * 64], {"sha256": 5}])
def test_a_seal_that_is_none_is_refused(path: Path, seal: object) -> None:
    def change(header: Words) -> None:
        header["__metadata__"]["sha256"] = seal

    _with_header(path, change)
    assert "not a map saved by calibrant" in _refusal(path) or "was cut" in _refusal(path)


@pytest.mark.parametrize("change", [lambda x: x[:-1], lambda x: x[None]])
def test_arrays_that_do_not_fit_together_are_refused(
    path: Path, change: Callable[[np.ndarray], np.ndarray]
) -> None:
    _with_arrays(path, lambda x: change(x) if x.min() == 0 else x)
    assert "whose numbers do not fit together" in _refusal(path)


def test_families_within_families_are_saved(tmp_path: Path) -> None:
    pred = from_logits(LOGITS, LABELS)
    fitted = Ranked(Platt(), ranks=2, keep_order=False).fit(pred)
    fitted.save(tmp_path / "map")
    again = load(tmp_path / "map")
    assert again.family == fitted.family
    np.testing.assert_array_equal(again(pred), fitted(pred))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no folder .*nowhere; make it first"):
        Isotonic().fit(binary([0.2, 0.8], [0, 1])).save(tmp_path / "nowhere" / "map")


def test_others_may_read_what_was_written(path: Path) -> None:
    (path.parent / "plain").write_text("")
    assert path.stat().st_mode == (path.parent / "plain").stat().st_mode


def test_loaded_maps_are_maps(path: Path) -> None:
    assert isinstance(load(path), Map)
    assert isinstance(load(str(path)), Map)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_maps_of_few_and_of_many_classes_are_loaded(k: int, tmp_path: Path) -> None:
    p = np.random.default_rng(0).dirichlet(np.ones(k), 50)
    fitted = calibrant.Temperature().fit(calibrant.from_probs(p, np.arange(50) % k))
    fitted.save(tmp_path / "map.safetensors")
    assert np.array_equal(calibrant.load(tmp_path / "map.safetensors")(p), fitted(p))
