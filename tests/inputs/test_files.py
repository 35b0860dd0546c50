"""Files: what is written is read back, names decide, and every failure is one line with a way out."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_files import predictions, refusal, text

from calibrant import Predictions, View, binary, from_logits, from_probs, read, write
from calibrant.inputs.columns import ColumnNames
from calibrant.inputs.files import WRITERS, read_contents

SUFFIXES = list(WRITERS)
RNG = np.random.default_rng(0)
PROBS = RNG.dirichlet([1.0, 1.0, 1.0], 40)
PLACES = RNG.integers(0, 3, 40)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "classes",
    [
        None,
        ("cat", "dog", "owl"),
        (7, 3, 5),
        ("true", "false", "1"),
        ("1", "2", "other"),
        ("a b", 'c"d', "e,f"),
    ],
    ids=str,
)
def test_predictions_come_back_as_they_were_written(
    tmp_path: Path, suffix: str, classes: Any  # noqa: ANN401
) -> None:
    labels = PLACES if classes is None else np.array(classes, object)[PLACES]
    pred = from_probs(PROBS, labels, classes=classes, weights=RNG.integers(0, 4, 40))
    write(tmp_path / f"x{suffix}", pred)
    back = predictions(tmp_path / f"x{suffix}")
    assert np.array_equal(back.probs, pred.probs)
    assert np.array_equal(back.labels, pred.labels)
    assert back.classes == pred.classes
    assert back.weights is not None
    assert pred.weights is not None
    assert np.array_equal(back.weights, pred.weights)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_narrow_floats_and_logits_come_back_as_probabilities(
    tmp_path: Path, suffix: str, kind: type
) -> None:
    pred = from_logits(np.log(PROBS).astype(kind), PLACES)
    write(tmp_path / f"x{suffix}", pred)
    back = predictions(tmp_path / f"x{suffix}")
    assert back.kind == "probs"
    assert np.allclose(back.probs, pred.probs, atol=1e-7)
    assert back.weights is None


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("weights", [None, np.arange(40.0)], ids=["plain", "weighted"])
def test_a_view_comes_back_as_it_was_written(tmp_path: Path, suffix: str, weights: Any) -> None:  # noqa: ANN401
    view = binary(PROBS[:, 0], PLACES == 0, weights=weights)
    write(tmp_path / f"x{suffix}", view)
    back = read(tmp_path / f"x{suffix}")
    assert isinstance(back, View)
    assert np.array_equal(back.p, view.p)
    assert np.array_equal(back.y, view.y)
    assert (None if back.w is None else back.w.tolist()) == (
        None if weights is None else weights.tolist()
    )


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
        ValueError, match=r"must end in \.npz, \.csv, \.parquet, .* \.jsonl, not '\.xls'"
    ):
        write(tmp_path / "x.xls", pred)
    with pytest.raises(ValueError, match="there is no folder"):
        write(tmp_path / "nowhere" / "x.csv", pred)
    mixed = from_probs(
        PROBS, np.array(["a", 1, True], object)[PLACES * 0], classes=["a", 1.5, None]
    )
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


@pytest.mark.parametrize("target", ["out.csv", "out.parquet", "out.jsonl", "out.npz"])
@pytest.mark.parametrize("labelled", [True, False])
def test_a_table_keeps_its_other_columns_when_it_is_written_again(
    tmp_path: Path, target: str, *, labelled: bool
) -> None:
    lines = ["id,target,logit_a,logit_b,note", "7,a,1,0,x", "8,b,0,2,y"]
    path = text(
        tmp_path,
        "x.csv",
        *(lines if labelled else [re.sub(r"^([^,]*),[^,]*", r"\1", each) for each in lines]),
    )
    source = read_contents(path, ColumnNames(), None, "test", needs_outcomes=False)
    assert source.has_outcomes == labelled
    assert isinstance(source.x, Predictions)
    write(
        tmp_path / target,
        from_probs(source.x.probs, source.x.labels, classes=["a", "b"]),
        source=source,
    )
    back = read_contents(tmp_path / target, ColumnNames(), None, "test", needs_outcomes=False)
    assert isinstance(back.x, Predictions)
    assert np.allclose(back.x.probs, source.x.probs)
    assert (back.has_outcomes, back.x.classes) == (labelled, ("a", "b"))
    assert not labelled or back.x.labels.tolist() == [0, 1]
    if back.table is not None:
        assert back.table.columns == [
            "id",
            *(["target"] if labelled else []),
            "note",
            "prob_a",
            "prob_b",
        ]
        assert back.table["id"].to_list() == [7, 8]


def test_a_confidence_is_written_again_under_its_own_name(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "id,score,hit,times", "7,0.9,1,2", "8,0.4,0,1")
    source = read_contents(path, ColumnNames(weight="times"), None, "test")
    assert isinstance(source.x, View)
    write(
        tmp_path / "out.jsonl",
        binary(source.x.p / 2, source.x.y, weights=source.x.w),
        source=source,
    )
    first = (tmp_path / "out.jsonl").read_text().splitlines()[0]
    assert first == '{"id":7,"score":0.45,"hit":1,"times":2}'
    bare = text(tmp_path, "y.csv", "score", "0.9", "0.4")
    source = read_contents(bare, ColumnNames(), None, "test", needs_outcomes=False)
    assert not source.has_outcomes
    for target in ("out.csv", "out.npz"):
        write(tmp_path / target, source.x, source=source)
        assert "found no column of whether each claim was right" in refusal(tmp_path / target)


def test_probabilities_are_written_again_under_their_own_names(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "id,t,ham,spam,prob_ham,prob_spam", "7,ham,0.9,0.1,0.5,0.5")
    source = read_contents(path, ColumnNames(label="t", probs="ham,spam"), None, "test")
    mended = from_probs([[0.75, 0.25]], [0], classes=["ham", "spam"])
    write(tmp_path / "out.csv", mended, source=source)
    assert (tmp_path / "out.csv").read_text() == "id,t,ham,spam\n7,ham,0.75,0.25\n"
    source = read_contents(
        text(tmp_path, "y.csv", "t,p_ham,p_spam", "ham,0.9,0.1"),
        ColumnNames(label="t"),
        None,
        "test",
    )
    write(tmp_path / "out.csv", mended, source=source)
    assert (tmp_path / "out.csv").read_text() == "t,p_ham,p_spam\nham,0.75,0.25\n"


def test_vectors_that_speak_against_the_new_ones_are_left_out(tmp_path: Path) -> None:
    path = text(
        tmp_path,
        "x.jsonl",
        '{"label": 1, "probs": [0.4, 0.6], "logits": [1.0, 2.0], "meta": {"id": 7}}',
    )
    source = read_contents(path, ColumnNames(logits="logits"), None, "test")
    write(tmp_path / "out.parquet", source.x, source=source)
    pred = predictions(tmp_path / "out.parquet")
    assert isinstance(source.x, Predictions)
    assert np.allclose(pred.probs, source.x.probs)
    with pytest.raises(ValueError, match=r"this table cannot be a \.csv .* write another format"):
        write(tmp_path / "out.csv", source.x, source=source)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.csv", "", "the file is empty"),
        ("x.csv", "label,p_0,p_1\n", "the file has no rows"),
        (
            "x.txt",
            "hello",
            "a file to read must end in .npz, .npy, .csv, .parquet, .arrow, .feather, .jsonl, not '.txt'",
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
            "column 'p_0' must have a value in every row (row 1 has none)",
        ),
        (
            "x.csv",
            "label,p_0,p_1\n0,1,0\n,0,1\n",
            "column 'label' must have a value in every row (row 1 has none)",
        ),
        (
            "x.csv",
            "label,p_0,p_1\n0,.5,.5\n1,NA,1\n",
            "column 'p_0' must hold numbers (row 1 is 'NA')",
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
        ("x.jsonl", '{"label":0,"probs":[1,0]}\n{"label":0,"probs":[1,null]}', "(row 1 has none)"),
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


def test_a_wrong_name_is_answered_with_the_likely_one(tmp_path: Path) -> None:
    path = text(tmp_path, "preds.csv", "label,p_0,p_1", "0,1,0")
    assert (
        "there is no column 'lable'; did you mean 'label'? the columns are label, p_0, p_1"
        in refusal(path, label="lable")
    )
    assert "did you mean 'label'" in refusal(path, probs=["labels", "p_1"])
    assert "there is no column 'weight'" in refusal(path, weight="weight")
    assert "there are both" in refusal(path, probs="p_", logits="p_")
    assert f"there is no such file; did you mean {path}?" in refusal(tmp_path / "pred.csv")
    (tmp_path / "empty").mkdir()
    assert "this is a folder, and no file in it ends in" in refusal(tmp_path / "empty")
    wide = text(tmp_path, "wide.csv", ",".join(f"c{i}" for i in range(30)), ",".join("0" * 30))
    assert "c11 and 18 more" in refusal(wide)


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
    code = (
        "import sys, calibrant.files, calibrant.cli, calibrant; sys.exit('polars' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
