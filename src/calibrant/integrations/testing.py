"""Limits on a model as assertions, for tests by pytest or any other runner."""

from ..inputs.views import Data
from ..reporting.limits import check_limits


def assert_calibrated(
    x: Data,
    *,
    max_error: float | None = 0.05,
    max_ece: float | None = None,
    max_ratio: float | None = None,
    max_nll: float | None = None,
    min_accuracy: float | None = None,
    strict: bool = False,
) -> None:
    """Fail where the whole 95% interval of a number lies beyond its limit, as `calibrant check`.

    The errors are of the question that a report asks first. `strict` fails wherever the interval
    passes a limit, so few rows fail too.

    >>> from calibrant import binary
    >>> rows = binary([0.9] * 200, [1] * 120 + [0] * 80)
    >>> assert_calibrated(rows, max_error=None, max_ece=0.05)
    Traceback (most recent call last):
    AssertionError: FAIL  ECE 30.00 points (23.16 to 36.79), at most 5.00
    """
    given = {
        "error": max_error,
        "ece": max_ece,
        "ratio": max_ratio,
        "nll": max_nll,
        "accuracy": min_accuracy,
    }
    limits = {name: limit for name, limit in given.items() if limit is not None}
    found = check_limits(x, limits, strict=strict)
    if not found.is_passed:
        raise AssertionError(str(found))
