"""Small files that would fill the memory, or take minutes, are refused before they do."""

import gzip
import json
import zipfile
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl
import pytest
from shared_files import predictions, refusal

from calibrant import from_probs, read, write
from calibrant.inputs.unpacking import GB, check_unpacked, unpacking

N = 200_000
EVEN = np.full((N, 2), 0.5)


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """6 MB of probabilities in some kB."""
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, probs=EVEN, labels=np.zeros(N, np.int8))
    assert path.stat().st_size * 20 < EVEN.nbytes
    return path


def _gzipped(folder: Path) -> Path:
    path = folder / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"p,correct\n" + b"0.5,1\n" * N))
    return path


def _parquet(folder: Path) -> Path:
    path = folder / "bomb.parquet"
    pl.DataFrame({"p": EVEN[:, 0], "correct": np.ones(N, bool)}).write_parquet(path)
    return path


def _arrow(folder: Path) -> Path:
    path = folder / "bomb.arrow"
    frame = pl.DataFrame({"p": EVEN[:, 0], "correct": np.ones(N, bool)})
    frame.write_ipc(path, compression="zstd")
    return path


def test_what_unpacks_to_more_than_the_limit_is_refused_and_the_limit_can_be_raised(
    packed: Path, tmp_path: Path
) -> None:
    others = [make(tmp_path) for make in (_gzipped, _parquet, _arrow)]
    for path in [packed, *others]:
        with pytest.raises(ValueError, match=r"unpacks to .* GB or more, .* raise the limit"):
            read(path, max_gb=1e-4)
        assert read(path, max_gb=0.01).n == N
    assert "max_gb must be above 0" in refusal(packed, max_gb=0)


def test_a_large_file_may_unpack_to_some_times_its_size() -> None:
    check_unpacked(19 * GB, GB)
    check_unpacked(GB, 1)
    for size, of in [(21 * GB, GB), (1.1 * GB, 1000)]:
        with pytest.raises(ValueError, match="unpacks to"):
            check_unpacked(size, of)
    with unpacking(2):
        check_unpacked(1.1 * GB, 1000)


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_lists_that_lie_deep_are_refused_at_once(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"deep{suffix}"
    for depth in (40, 1000, 100_000):
        path.write_text('{"confidence": ' + "[" * depth + "]" * depth + ', "correct": 1}\n')
        start = process_time()
        assert "lists and objects may lie 32 deep" in refusal(path)
        assert process_time() - start < 5
    words = {"confidence": 0.5, "correct": 1, "text": "[" * 100 + '"\\'}
    path.write_text(json.dumps(words))
    assert read(path).n == 1


@pytest.mark.parametrize("name", ["probs", "labels", "weights", "classes"])
def test_members_that_are_no_arrays_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.npz"
    members: dict[str, Any] = {"probs": np.ones(3), "labels": np.ones(3)}
    members.pop(name, None)
    np.savez(path, **members)
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr(name, b"no array")
    assert f"array {name!r} holds Python objects, or it was damaged" in refusal(path)


@pytest.mark.parametrize("values", [[["a"], ["b"]], [b"\xff", b"test"]], ids=["lists", "bytes"])
def test_a_split_that_is_no_text_is_refused(tmp_path: Path, values: Any) -> None:  # noqa: ANN401
    path = tmp_path / "x.parquet"
    pl.DataFrame({"split": values, "p": [0.5, 0.2], "correct": [1, 0]}).write_parquet(path)
    assert "column 'split' must name the split of each row" in refusal(path)


def test_names_written_as_bytes_are_text(tmp_path: Path) -> None:
    names = np.array([b"cat", b"dog"])
    np.savez(tmp_path / "x.npz", probs=EVEN[:2], labels=names, classes=names)
    assert predictions(tmp_path / "x.npz").classes == ("cat", "dog")


def test_a_table_of_many_classes_is_read_in_time(tmp_path: Path) -> None:
    k = 5000
    write(tmp_path / "wide.csv", from_probs(np.full((2, k), 1 / k), [0, 1]))
    start = process_time()
    assert read(tmp_path / "wide.csv").n == 2
    assert process_time() - start < 2
