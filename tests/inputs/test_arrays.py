"""Arrays by name: an archive, a folder of arrays and one array beside others give the same."""

from pathlib import Path

import numpy as np
import pytest
from shared_files import predictions, refusal

from calibrant import View, read

RNG = np.random.default_rng(0)
PROBS = RNG.dirichlet([1.0, 1.0, 1.0], 30)
LABELS = RNG.integers(0, 3, 30)


def saved(folder: Path, **arrays: object) -> Path:
    folder.mkdir(exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", np.asarray(array))
    return folder


def test_a_folder_of_arrays_is_an_archive(tmp_path: Path) -> None:
    names, weights = np.array(["a", "b", "c"]), np.arange(30)
    for labels in (LABELS, names[LABELS]):
        folder = saved(tmp_path / "x", probs=PROBS, labels=labels, classes=names, weights=weights)
        np.savez(tmp_path / "x.npz", probs=PROBS, labels=labels, classes=names, weights=weights)
        for path in (folder, tmp_path / "x.npz", folder / "probs.npy", folder / "*.npy"):
            pred = predictions(path)
            assert np.array_equal(pred.probs, PROBS)
            assert np.array_equal(pred.labels, LABELS)
            assert (pred.classes, pred.total) == (("a", "b", "c"), weights.sum())


def test_the_name_of_an_array_finds_its_labels(tmp_path: Path) -> None:
    logits = np.log(PROBS)
    folder = saved(
        tmp_path,
        val_logits=logits[:9],
        val_labels=LABELS[:9],
        test_logits=logits,
        test_labels=LABELS,
        vit_labels=LABELS,
    )
    saved(tmp_path, **{"vit_log_probs": logits, "resnet-probs": PROBS, "resnet-labels": LABELS})
    assert [predictions(folder / f"{name}_logits.npy").n for name in ("val", "test")] == [9, 30]
    assert predictions(folder / "vit_log_probs.npy").kind == "logits"
    assert predictions(folder / "resnet-probs.npy").kind == "probs"
    pred = predictions(folder / "val_logits.npy", label="test_labels", logits="test_logits")
    assert pred.n == 30
    assert "the file has no splits: leave split out" in refusal(
        folder / "val_logits.npy", split="test"
    )
    assert [read(folder, split=part, logits=f"{part}_logits").n for part in ("val", "test")] == [
        9,
        30,
    ]


def test_arrays_are_named_by_their_files_in_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims, truth = (
        saved(tmp_path / "claims", x=PROBS, z=np.log(PROBS), probs=PROBS),
        saved(tmp_path / "truth", y=LABELS),
    )
    assert predictions(claims / "probs.npy", label=str(truth / "y.npy")).n == 30
    assert predictions(claims / "x.npy", probs="x.npy", label=str(truth / "y.npy")).n == 30
    assert predictions(claims, logits="z", label=str(truth / "y.npy")).kind == "logits"
    monkeypatch.chdir(truth)
    assert predictions(claims / "probs.npy", label="y.npy").n == 30
    assert "there is no file" in refusal(claims / "probs.npy", label="absent.npy")
    assert "there is no column 'absent'" in refusal(claims / "probs.npy", label="absent")


def test_a_confidence_beside_its_outcomes_is_a_view(tmp_path: Path) -> None:
    folder = saved(
        tmp_path,
        run1_confidence=[0.9, 0.4],
        run1_correct=[1, 0],
        run2_confidence=[0.1],
        run2_correct=[1],
    )
    view = read(folder / "run1_confidence.npy")
    assert isinstance(view, View)
    assert (view.p.tolist(), view.y.tolist()) == ([0.9, 0.4], [True, False])


def test_what_an_array_is_must_be_told(tmp_path: Path) -> None:
    saved(tmp_path, mystery=PROBS, labels=LABELS, several_probs=PROBS)
    assert "its name does not tell what it holds" in refusal(tmp_path / "mystery.npy")
    assert predictions(tmp_path / "mystery.npy", probs="mystery").kind == "probs"
    (tmp_path / "bad_probs.npy").write_text("hello")
    assert "bad_probs.npy is no .npy, or holds Python objects, or it was damaged" in refusal(
        tmp_path / "bad_probs.npy"
    )


def test_python_objects_in_an_array_are_never_unpickled(tmp_path: Path) -> None:
    saved(tmp_path, labels=LABELS)
    np.save(tmp_path / "probs.npy", np.array([{}], object), allow_pickle=True)
    assert "holds Python objects" in refusal(tmp_path / "probs.npy")
