"""Files: splits are parts of a file, and every failure is one line with a way out."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_files import refusal, text

from calibrant import View, from_probs, read, write

RNG = np.random.default_rng(0)
PROBS = RNG.dirichlet([1.0, 1.0, 1.0], 40)
PLACES = RNG.integers(0, 3, 40)


def test_writing_leaves_the_old_file_when_it_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = text(tmp_path, "x.csv", "old")

    def interrupted(*_: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(path, from_probs(PROBS, PLACES))
    assert path.read_text() == "old\n"
    assert [each.name for each in tmp_path.iterdir()] == ["x.csv"]


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    pred = from_probs(PROBS, PLACES)
    with pytest.raises(
        ValueError, match=r"must end in \.npz, \.csv, .* \.jsonl, \.json, not '\.xls'"
    ):
        write(tmp_path / "x.xls", pred)
    with pytest.raises(ValueError, match="there is no folder"):
        write(tmp_path / "nowhere" / "x.csv", pred)
    mixed = from_probs(PROBS, np.array(["a", 1, True], object)[PLACES * 0], classes=["a", 1.5, 2])
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match="this is a folder; name a file to write"):
        write(tmp_path / "folder.csv", pred)
    assert "this is a folder, and no file in it ends in .npz, .npy" in refusal(
        tmp_path / "folder.csv"
    )
    with pytest.raises(
        ValueError, match=r"all whole numbers or all text.* with classes=\[str\(name\)"
    ):
        write(tmp_path / "x.csv", mixed)


def test_splits_of_an_npz_are_prefixes(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    logits = np.log(PROBS)
    np.savez(
        path, val_logits=logits[:10], val_labels=PLACES[:10], test_logits=logits, test_labels=PLACES
    )
    sizes = [read(path).n, read(path, split="val").n, read(path, default_split="val").n]
    assert sizes == [40, 10, 10]
    assert "there is no split 'train'; the file has the splits test, val" in refusal(
        path, split="train"
    )
    np.savez(
        path,
        val_logits=logits[:10],
        val_labels=PLACES[:10],
        train_logits=logits,
        train_labels=PLACES,
    )
    assert "choose one with split" in refusal(path)
    np.savez(path, val_logits=logits[:10], val_labels=PLACES[:10])
    assert read(path).n == 10
    np.savez(path, logits=logits, labels=PLACES, weights=np.ones(40))
    assert read(path).total == 40
    assert "the file has no splits: leave split out" in refusal(path, split="val")
    np.savez(path, test_conf=[0.9, 0.4], test_pred=[3, 1], test_labels=[3, 2])
    view = read(path)
    assert isinstance(view, View)
    assert view.y.tolist() == [True, False]


def test_splits_of_a_table_are_values_of_its_column_split(tmp_path: Path) -> None:
    path = text(
        tmp_path, "x.csv", "split,label,p_0,p_1", "val,0,1,0", "test,1,0,1", "test,1,0.5,0.5"
    )
    assert [read(path).n, read(path, split="val").n] == [2, 1]
    assert "the file has the splits test, val" in refusal(path, split="dev")
    path = text(
        tmp_path, "x.csv", "SPLIT,label,p_0,p_1", "Val,0,1,0", "Test,1,0,1", "Test,1,0.5,0.5"
    )
    assert [read(path).n, read(path, split="VAL").n] == [2, 1]


def test_upper_and_lower_case_are_one_in_an_npz(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    logits = np.log(PROBS)
    np.savez(
        path, VAL_Logits=logits[:10], VAL_Labels=PLACES[:10], Test_Logits=logits, Test_Labels=PLACES
    )
    assert [read(path).n, read(path, split="val").n] == [40, 10]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.csv", "", "the file is empty"),
        ("x.csv", "label,p_0,p_1\n", "the file has no rows"),
        (
            "x.txt",
            "hello",
            "a file to read must end in .npz, .npy, .csv, .tsv, .parquet, .arrow, .feather, .jsonl, .json, .eval, "
            "not '.txt'",
        ),
        ("x.npz", "hello", "the file is not an npz, or it was damaged"),
        ("x.parquet", "hello", "the file is not what its suffix says, or it was damaged"),
        ("x.jsonl", "hello", "the file is not what its suffix says, or it was damaged"),
        ("x.csv", "a,b\n1,2,3\n", "the file is not what its suffix says, or it was damaged"),
        ("x.csv", "a,b\n1,2\n", "found no column of probabilities, logits or confidences"),
        (
            "x.csv",
            "p_0,p_1\n0,1\n",
            "found no column of labels: name it with label; the columns are p_0, p_1",
        ),
        (
            "x.csv",
            "p\n0.5\n",
            "found no column of whether each claim was right: name it with correct or label",
        ),
        (
            "x.csv",
            "label,p_0,p_1\n0,1,0\n1,,1\n",
            "column 'p_0' must have a value in every row (1 of 2 have none, the first is row 1)",
        ),
        (
            "x.csv",
            "label,p_0,p_1\n0,1,0\n,0,1\n",
            "column 'label' must have a value in every row (1 of 2 have none, the first is row 1)",
        ),
        (
            "x.csv",
            "label,p_0,p_1\n0,.5,.5\n1,NA,1\n",
            "column 'p_0' must have a value in every row (1 of 2 have none, the first is row 1)",
        ),
        (
            "x.csv",
            "p,correct\n.5,maybe\n",
            "must hold 0 and 1, true and false or yes and no (row 0 is 'maybe')",
        ),
        ("x.csv", "p,correct\n.5,2\n", "y must be 0 or 1"),
        ("x.csv", "label,probs\n0,[1 x]\n", "column 'probs' must hold numbers (row 0 is '[1 x]')"),
        (
            "x.csv",
            'label,probs\n0,"[1,0]"\n0,[1]\n',
            "as many numbers in every row (row 0 has 2, row 1 has 1)",
        ),
        (
            "x.jsonl",
            '{"label":0,"probs":[1,0]}\n{"label":0,"probs":[1]}',
            "(row 0 has 2, row 1 has 1)",
        ),
        (
            "x.jsonl",
            '{"label":0,"probs":[1,0]}\n{"label":0,"probs":[1,null]}',
            "(1 of 2 have none, the first is row 1)",
        ),
        ("x.jsonl", '{"label":"a","probs":[1,0]}', "name them with classes"),
        ("x.jsonl", '{"label":0,"probs":[1,0],"logits":[1,0]}', "there are both probs and logits"),
        (
            "x.csv",
            "label,p_a,p_b\nc,1,0\n",
            "labels must be among the classes ('a', 'b') (row 0 is 'c')",
        ),
    ],
)
def test_a_bad_file_is_refused_in_one_line(
    tmp_path: Path, name: str, content: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert said in refusal(path)


def test_python_objects_are_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, labels=np.array([{}, None], object), probs=np.eye(2))
    assert "array 'labels' holds Python objects, or it was damaged" in refusal(path)
    with path.open("wb") as file:
        np.save(file, np.eye(2))
    assert "one array without a name" in refusal(path)


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".jsonl"])
@settings(max_examples=60, deadline=None)
@given(place=st.floats(0, 0.999), flip=st.integers(1, 255), cut=st.booleans())
def test_a_damaged_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, place: float, flip: int, *, cut: bool
) -> None:
    path = tmp_path_factory.mktemp("damaged") / f"x{suffix}"
    write(path, from_probs(PROBS, PLACES))
    content = bytearray(path.read_bytes())
    at = int(place * len(content))
    content[at] ^= flip
    path.write_bytes(content[:at] if cut else content)
    try:
        read(path)
    except ValueError as error:
        assert "\n" not in str(error)  # noqa: PT017 - to be read is as good


def test_importing_calibrant_and_its_files_loads_no_polars() -> None:
    imports = "import sys, calibrant.inputs.files, calibrant.cli, calibrant"
    code = f"{imports}; sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_archives_are_read_one_at_a_time(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        np.savez(tmp_path / name, probs=PROBS, labels=PLACES)
    assert "there are 2 archives, and one is read at a time; name one of them" in refusal(tmp_path)
