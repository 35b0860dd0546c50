"""Habits of other libraries, met with the call that does it here."""

from collections.abc import Callable, Mapping, Sized
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

from .predictions import Predictions
from .views import Canonical, View

Asking = TypeVar("Asking", bound=Callable[..., Any])

ONE = ("binary(p, y)", "from_probs(probs, labels)")
IN_ONE = "claims and outcomes are one argument"
_NO_COLUMNS = (str, Mapping, Predictions, View, Canonical)


def takes_one(ask: Asking) -> Asking:
    """Of claims and outcomes as one argument; where they come apart, the right call is shown.

    >>> from calibrant import ece
    >>> ece([0, 1], [0.2, 0.9])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: claims and outcomes are one argument: ece(binary(p, y)), or ...
    """

    @wraps(ask)
    def asked(*args: object, **settings: object) -> object:
        places = [place for place, each in enumerate(args) if is_column(each)]
        if len(places) > 1:
            calls = (_call(ask, places[0], each) for each in ONE)
            raise ValueError(f"{IN_ONE}: {', or '.join(calls)}")
        return ask(*args, **settings)

    return cast(Asking, asked)


def is_column(x: object) -> bool:
    """Whether a value is an array or a list, such as claims or outcomes alone."""
    return isinstance(x, Sized) and not isinstance(x, _NO_COLUMNS)


def _call(ask: Callable[..., object], place: int, one: str) -> str:
    """The call with claims and outcomes where the first of them stood."""
    before = list(signature(ask).parameters)[:place]
    return f"{ask.__name__}({', '.join([*before, one])})"
