"""Paths: one file, those in a folder, or those that match a pattern; and where one can write."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from calibrant.inputs.paths import content, files_at, writable, write_whole


def test_a_path_names_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("part-2.csv", "part-1.csv", "other.csv", "_SUCCESS", "._part-1.csv", "notes.txt"):
        (tmp_path / name).write_text("x")
    (tmp_path / "part-3.csv").mkdir()

    def names(path: Path) -> list[str]:
        return [each.name for each in files_at(path)]

    assert names(tmp_path / "other.csv") == ["other.csv"]
    assert names(tmp_path / "part-*.csv") == ["part-1.csv", "part-2.csv"]
    assert names(tmp_path / "part-?.*") == ["part-1.csv", "part-2.csv"]
    assert names(tmp_path) == ["other.csv", "part-1.csv", "part-2.csv"]
    assert names(tmp_path.parent / f"{tmp_path.name}*" / "other.csv") == ["other.csv"]
    with pytest.raises(ValueError, match=r"no file that ends in \.npz.* matches this pattern"):
        files_at(tmp_path / "*.txt")
    (tmp_path / "odd[1].csv").write_text("x")
    assert names(tmp_path / "odd[1].csv") == ["odd[1].csv"]


def test_a_pattern_is_of_this_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("x")
    assert files_at(Path("*.csv")) == [Path("a.csv")]


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "predictions.csv").write_text("")
    with pytest.raises(ValueError, match=r"no such file; did you mean .*predictions\.csv\?"):
        files_at(tmp_path / "prediction.cvs")
    with pytest.raises(ValueError, match=r"no such file$"):
        files_at(tmp_path / "nothing.csv")
    (tmp_path / "x.pkl").write_text("x")
    with pytest.raises(
        ValueError, match=r"must end in \.npz, .*, not '\.pkl'; save it as one of them"
    ):
        files_at(tmp_path / "x.pkl")
    with pytest.raises(ValueError, match="the file is empty"):
        content(tmp_path / "predictions.csv")


def test_what_cannot_be_written_to_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert writable(tmp_path / "X.HTML", [".html"]) == tmp_path / "X.HTML"
    for path, said in (
        (tmp_path / "x.txt", r"must end in \.html, not '\.txt'"),
        (
            tmp_path / "nowhere" / "x.html",
            "there is no folder .*nowhere to write into; make it first",
        ),
        (tmp_path / "folder.html", "this is a folder; name a file to write"),
    ):
        (tmp_path / "folder.html").mkdir(exist_ok=True)
        with pytest.raises(ValueError, match=said):
            writable(path, [".html"])
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ValueError, match="cannot be written to; name a file elsewhere"):
        writable(tmp_path / "x.html", [".html"])


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "file"
    write_whole(target, b"old")
    with pytest.raises(TypeError):
        write_whole(target, "not bytes")  # type: ignore[arg-type]
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_what_cannot_be_written_is_named_as_it_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no folder .*nowhere; make it first"):
        write_whole(tmp_path / "nowhere" / "file", b"x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r"folder'$"):
        write_whole(tmp_path / "folder", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_threads_that_write_one_path_leave_no_half(tmp_path: Path) -> None:
    target = tmp_path / "map"
    contents = [bytes([place]) * 50_000 for place in range(4)]
    write_whole(target, contents[0])
    seen = set()

    def write(content: bytes) -> None:
        for _ in range(100):
            write_whole(target, content)
            seen.add(target.read_bytes())

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, contents))
    assert seen <= set(contents)
    assert [path.name for path in tmp_path.iterdir()] == ["map"]


def test_a_link_stays_and_a_file_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "store" / "map"
    target.parent.mkdir()
    target.write_bytes(b"old")
    target.chmod(0o640)
    link = tmp_path / "map"
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640
