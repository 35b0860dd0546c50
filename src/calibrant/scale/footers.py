"""What the footer of a Parquet file says of its row groups: how many rows and bytes each has.

Polars does not tell them. The footer is a struct in Thrift's compact protocol; of its fields this
reads the few that it wants and steps over the others.
"""

from pathlib import Path
from typing import Any, NamedTuple

MAGIC = b"PAR1"
_ENDING = 8  # the footer's length, then the magic
_ROWS, _GROUPS = 3, 4  # fields of the file
_GROUP_BYTES, _GROUP_ROWS = 2, 3  # fields of a row group
_BINARY, _LIST, _SET, _MAP, _STRUCT = 8, 9, 10, 11, 12
_TRUE, _FALSE, _BYTE, _DOUBLE = 1, 2, 3, 7


class RowGroup(NamedTuple):
    """A row group: its number, its first row, its rows, and its bytes once uncompressed."""

    number: int
    first: int
    rows: int
    bytes: int


def row_groups(path: Path) -> list[RowGroup]:
    """The row groups of a file, in their order."""
    try:
        found = _Reader(_footer(path)).struct()
        groups = []
        first = 0
        for number, each in enumerate(found.get(_GROUPS, [])):
            rows = each[_GROUP_ROWS]
            groups.append(RowGroup(number, first, rows, each[_GROUP_BYTES]))
            first += rows
    except (IndexError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{path}: its footer is damaged; write the file again") from error
    return groups


def _footer(path: Path) -> bytes:
    size = path.stat().st_size
    if size < len(MAGIC) + _ENDING:
        raise ValueError(f"{path}: this is no whole Parquet file; write it again")
    with path.open("rb") as file:
        file.seek(size - _ENDING)
        ending = file.read()
        length = int.from_bytes(ending[:4], "little")
        if ending[4:] != MAGIC or length > size - _ENDING:
            raise ValueError(
                f"{path}: it does not end as Parquet files do, so it was cut short or is "
                "of another kind; write it again"
            )
        file.seek(size - _ENDING - length)
        return file.read(length)


class _Reader:
    """Values of Thrift's compact protocol, one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def struct(self) -> dict[int, Any]:
        """Values by the number of their field."""
        found: dict[int, Any] = {}
        field = 0
        while True:
            head = self._byte()
            if not head:
                return found
            step = head >> 4
            field = field + step if step else self._integer()
            found[field] = self._value(head & 15)

    def _value(self, kind: int) -> Any:  # noqa: ANN401 - of any type
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _BYTE:
            return self._byte()
        if kind == _DOUBLE:
            return self._skip(8)
        if kind == _BINARY:
            return self._skip(self._varint())
        if kind in (_LIST, _SET):
            return self._list()
        if kind == _MAP:
            return self._map()
        return self.struct() if kind == _STRUCT else self._integer()

    def _list(self) -> list[Any]:
        head = self._byte()
        count = head >> 4
        if count == 15:
            count = self._varint()
        kind = head & 15
        if kind in (_TRUE, _FALSE):  # in a list, each has a byte of its own
            kind = _BYTE
        return [self._value(kind) for _ in range(count)]

    def _map(self) -> None:
        count = self._varint()
        kinds = self._byte() if count else 0
        for _ in range(count):
            self._value(kinds >> 4)
            self._value(kinds & 15)

    def _byte(self) -> int:
        at = self._at
        self._at = at + 1
        return self._content[at]

    def _varint(self) -> int:
        found = shift = 0
        while True:
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7

    def _integer(self) -> int:
        zigzag = self._varint()
        return (zigzag >> 1) ^ -(zigzag & 1)

    def _skip(self, count: int) -> None:
        self._at += count
