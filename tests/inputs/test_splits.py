"""Splits: the one wanted, or the only one, or the default; upper and lower case are one."""

import pytest

from calibrant.inputs.splits import picking


@pytest.mark.parametrize(
    ("wanted", "present", "chosen"),
    [
        (None, [], None),
        (None, ["val"], "val"),
        (None, ["Test", "val"], "Test"),
        ("VAL", ["Test", "val"], "val"),
    ],
)
def test_one_is_picked(wanted: str | None, present: list[str], chosen: str | None) -> None:
    assert picking(wanted, "test", "split")(present) == chosen


def test_what_is_not_there_is_refused_with_the_way_out() -> None:
    with pytest.raises(
        ValueError, match=r"no split 'dev'; the file has the splits a, b: choose one with --split$"
    ):
        picking("dev", "test", "--split")(["a", "b"])
    with pytest.raises(
        ValueError, match=r"no split 'test'; the file has the splits a, b: choose one with split$"
    ):
        picking(None, "test", "split")(["a", "b"])
    with pytest.raises(ValueError, match=r"the file has no splits: leave split out$"):
        picking("dev", "test", "split")([])
    with pytest.raises(ValueError, match=r"the file has no splits: name other rows$"):
        picking("dev", "test", "split", "name other rows")([])
