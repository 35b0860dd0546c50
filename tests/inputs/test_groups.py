"""Groups by name: whatever a column holds, the same value is the same group."""

import numpy as np
import pytest

from calibrant.inputs.groups import grouped


@pytest.mark.parametrize(
    ("values", "names", "place"),
    [
        ([3, 1, 3], ("1", "3"), [1, 0, 1]),
        ([3.0, 1.5, np.nan], ("1.5", "3", "missing"), [1, 0, 2]),
        (["b", "a", None], ("a", "b", "missing"), [1, 0, 2]),
        ([True, False, True], ("False", "True"), [1, 0, 1]),
        (np.array([3, "3", 3.0], object), ("3",), [0, 0, 0]),
    ],
    ids=repr,
)
def test_names_and_places(values: object, names: tuple[str, ...], place: list[int]) -> None:
    found = grouped(values, 3)  # type: ignore[arg-type]
    assert found.names == names
    assert found.place.tolist() == place
    assert [rows.tolist() for rows in found.rows()] == [
        np.flatnonzero(np.array(place) == each).tolist() for each in range(len(names))
    ]


def test_what_is_no_column_is_refused() -> None:
    with pytest.raises(ValueError, match=r"groups must have one value for each of the 3 rows"):
        grouped(["a"], 3)
    lists = np.empty(2, object)
    lists[:] = [[1], [2]]
    with pytest.raises(ValueError, match="holds lists; name another column"):
        grouped(lists, 2)
