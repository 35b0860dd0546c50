"""How a number is shown: in percent or points of a hundredth, in nats, or plain."""

from math import floor, log10
from typing import Literal

Unit = Literal["%", "points", "nats", ""]


def shown(value: float | None, unit: Unit) -> str:
    """A value, kept as a fraction, as people read it.

    >>> shown(0.0475, "points"), shown(0.3, "nats"), shown(None, "")
    ('4.75', '0.3000', 'undefined')
    """
    if value is None:
        return "undefined"
    if unit in ("%", "points"):
        return f"{100 * value:.2f}"
    return f"{value:.4f}"


def shown_briefly(value: float | None, unit: Unit) -> str:
    """The same at a first look: a ratio to a thousandth."""
    return f"{value:.3f}" if value is not None and unit == "" else shown(value, unit)


def shown_finely(fraction: float) -> str:
    """A fraction in hundredths, with a digit more than others: of one class of many it is small."""
    return f"{100 * fraction:.3f}"


def signed(fraction: float) -> str:
    """A fraction in hundredths with its sign, of which nothing has none.

    >>> signed(0.0123), signed(-0.00001)
    ('+1.23', '0.00')
    """
    words = f"{100 * fraction:+.2f}"
    return words.removeprefix("+").removeprefix("-") if float(words) == 0 else words


def percent(fraction: float) -> str:
    """A fraction in hundredths, with two digits of what it is off 0 or 1, up to a millionth.

    >>> percent(0.3), percent(0.00014), percent(0.9999), percent(1 - 1e-9), percent(1)
    ('30.00', '0.014', '99.990', '>99.9999', '100.00')
    """
    least = 100 * min(fraction, 1 - fraction)
    if not 0 < least < 0.1:
        return f"{100 * fraction:.2f}"
    if least < 1e-4:
        return "<0.0001" if fraction < 0.5 else ">99.9999"
    digits = min(1 - floor(log10(least) + 1e-9), 4)
    return f"{100 * fraction:.{digits}f}"
