"""Files of any size are summed up as they are read at once, or it is said which part is bad."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from shared_parts import N, assert_same, files, table, write_groups

import calibrant
from calibrant.inputs.predictions import Predictions
from calibrant.scale import Sketch, parquet, rows, scan_parquet

FRAME = table()


def whole(path: Path) -> Sketch:
    return Sketch().update(calibrant.read(path))


def test_parts_give_what_the_whole_gives(tmp_path: Path) -> None:
    paths = files(tmp_path, FRAME)
    expected = whole(tmp_path)
    assert_same(scan_parquet(paths), expected)
    assert_same(scan_parquet(tmp_path / "part-*.parquet"), expected)
    assert_same(scan_parquet(str(tmp_path)), expected)


def test_large_row_groups_are_read_in_slices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files(tmp_path, FRAME, 1, N)
    expected = whole(tmp_path)
    monkeypatch.setattr(parquet, "MOST_BYTES", 10_000)
    assert_same(scan_parquet(tmp_path), expected)


def test_rows_of_one_value_are_as_large_as_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column of one value takes no place in a file: a tiny one must not fill the memory."""
    path = tmp_path / "bomb.parquet"
    n = 300_000
    frame = pl.DataFrame({"confidence": [0.75] * n, "correct": [True] * n})
    frame.write_parquet(path)
    assert path.stat().st_size < 16 * n / 1000
    with pytest.raises(ValueError, match=r"bomb.parquet: the file unpacks to 0.0048 GB .*max_gb"):
        scan_parquet(path, max_gb=0.004)
    heights = []
    read = parquet._slice

    def remembered(*given: Any) -> pl.DataFrame:  # noqa: ANN401 - as it takes them
        part = read(*given)
        heights.append(len(part))
        return part

    monkeypatch.setattr(parquet, "MOST_BYTES", 1_000_000)
    monkeypatch.setattr(parquet, "_slice", remembered)
    found = scan_parquet(path)
    assert found.n == sum(heights) == n
    assert max(heights) <= 1_000_000 / 16


def test_columns_and_splits_are_named_as_in_read(tmp_path: Path) -> None:
    path = tmp_path / "some.parquet"
    FRAME.rename({"label": "truth is", "site": "split"}).write_parquet(path)
    found = scan_parquet(path, label="truth is", split="north", views=("top_label",))
    read = calibrant.read(path, label="truth is", split="north")
    assert isinstance(read, Predictions)
    assert_same(found, Sketch(views=("top_label",)).update(read))


def test_one_chance_a_row(tmp_path: Path) -> None:
    frame = pl.DataFrame({"confidence": FRAME["prob_cat"], "correct": FRAME["label"] == "cat"})
    files(tmp_path, frame)
    read = calibrant.read(tmp_path)
    assert scan_parquet(tmp_path).view().total == N
    assert calibrant.ks_error(scan_parquet(tmp_path).view()) == pytest.approx(
        calibrant.ks_error(read), abs=1e-5
    )


def spoilt(how: str, path: Path) -> None:
    """The last of three files, made bad in one way."""
    frame = pl.read_parquet(path)
    if how == "truncated":
        path.write_bytes(path.read_bytes()[:-100])
        return
    if how == "damaged":
        content = bytearray(path.read_bytes())
        content[4:2000] = bytes(1996)
        path.write_bytes(bytes(content))
        return
    bad = {
        "nan": pl.when(pl.col("id") == 2500).then(np.nan).otherwise("prob_cat").alias("prob_cat"),
        "gap": pl.when(pl.col("id") == 2500).then(None).otherwise("label").alias("label"),
        "unknown": pl.when(pl.col("id") == 2500)
        .then(pl.lit("cow"))
        .otherwise("label")
        .alias("label"),
        "type": pl.col("prob_cat").cast(pl.String) + "?",
    }
    frame = frame.drop("prob_emu") if how == "lacking" else frame.with_columns(bad[how])
    write_groups(frame, path)


BAD = {
    "nan": (r"part-2\.parquet, row group 1: column .* have none", 400),
    "gap": (r"part-2\.parquet, row group 1: column 'label' must have a value", 400),
    "unknown": (r"part-2\.parquet, row group 1: labels must be among the classes", 400),
    "lacking": (r"part-2\.parquet, row group \d: .*no column 'prob_emu'", 1000),
    "type": (r"part-2\.parquet, row group \d: ", 1000),
    "damaged": (r"part-2\.parquet, row group 0: ", 400),
    "truncated": (r"part-2\.parquet: it does not end as Parquet files do", 1000),
}


@pytest.mark.parametrize("how", BAD)
def test_a_bad_part_is_named_or_left_out(how: str, tmp_path: Path) -> None:
    message, lost = BAD[how]
    paths = files(tmp_path, FRAME)
    spoilt(how, paths[2])
    with pytest.raises(ValueError, match=message):
        scan_parquet(paths)
    found = scan_parquet(paths, skip_bad=True)
    assert found.n == N - lost
    assert found.skipped.parts == {400: 1, 1000: 1 if how == "truncated" else 3}[lost]
    assert message.split(":")[0].replace("\\", "")[:14] in found.skipped.reasons[0]
    again = Sketch.from_bytes(found.to_bytes())
    assert again.skipped == found.skipped
    assert Sketch().merge(found).merge(found).skipped.parts == 2 * found.skipped.parts


def test_parts_without_rows_count_for_nothing(tmp_path: Path) -> None:
    paths = files(tmp_path, FRAME, 2)
    FRAME.head(0).write_parquet(tmp_path / "part-9.parquet")
    assert scan_parquet([*paths, tmp_path / "part-9.parquet"]).n == N
    with pytest.raises(ValueError, match="no part has a row that can be read"):
        scan_parquet(tmp_path / "part-9.parquet")


def test_what_is_no_parquet_is_refused(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "some.csv")
    with pytest.raises(ValueError, match=r"some\.csv: only \.parquet files are streamed"):
        scan_parquet(tmp_path / "some.csv")
    with pytest.raises(ValueError, match="no such file"):
        scan_parquet(tmp_path / "none.parquet")
    with pytest.raises(ValueError, match="got int"):
        rows(3)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1PAR1PAR1")
    with pytest.raises(ValueError, match=r"bad\.parquet"):
        scan_parquet(tmp_path / "bad.parquet")
