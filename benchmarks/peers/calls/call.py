"""How a library is asked: what it is given, the work that is timed, and the answer in numbers."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

Data = SimpleNamespace


def _as_it_is(data: Data) -> Data:
    return data


def _found(result: Any, _given: Any) -> Any:  # noqa: ANN401 - objects of any library
    return result


class Call(NamedTuple):
    """`prepare` brings the data into the library's own form and `answer` reads the result; neither is timed."""

    work: Callable[[Any], Any]
    answer: Callable[[Any, Any], Any] = _found
    prepare: Callable[[Data], Any] = _as_it_is
