"""How a number is shown: in percent or points of a hundredth, in nats, or plain."""

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


def shown_finely(fraction: float) -> str:
    """A fraction in hundredths, with a digit more than others: of one class of many it is small."""
    return f"{100 * fraction:.3f}"
