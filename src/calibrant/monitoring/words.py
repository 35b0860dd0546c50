"""What a monitor has seen, in words."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .monitor import Monitor


def found(monitor: "Monitor") -> dict[str, Any]:
    """What a monitor has seen, as json holds it; shares are those since the onset."""
    claimed, happened = monitor.shares()
    return {
        "alarm": monitor.alarm,
        "advice": "refit" if monitor.alarm else "keep",
        "n": monitor.n,
        "alpha": monitor.alpha,
        "log_e_value": monitor.evidence,
        "p_value": monitor.p_value,
        "alarm_at": monitor.alarm_at,
        "onset": monitor.onset,
        "event": monitor.event,
        "claimed": claimed,
        "happened": happened,
    }


def told(monitor: "Monitor") -> str:
    """A sentence or three: whether claims hold, since when not, and what to do."""
    if not monitor.n:
        return "No rows yet."
    if not monitor.alarm:
        return f"No alarm in {monitor.n:,} rows: {_strength(monitor)}."
    seen = found(monitor)
    where = (
        f"at row {monitor.alarm_at:,}" if monitor.alarm_at is not None else "of all parts together"
    )
    return (
        f"Alarm {where}: claims no longer hold. Since about row {seen['onset']:,} it is claimed "
        f"{100 * seen['claimed']:.1f}% of the time that {seen['event']}, and so it is "
        f"{100 * seen['happened']:.1f}% of the time; {_strength(monitor)}. Refit the map."
    )


def _strength(monitor: "Monitor") -> str:
    """How strong the evidence was at its highest."""
    if monitor.p_value >= 1:
        return "no evidence against the claims"
    least = monitor.p_value
    p = f"p = {least:.2g}" if least > 1e-12 else "p < 1e-12"
    times = np.exp(min(monitor.highest, 700))
    size = f"{times:,.3g}" if times < 1e12 else "more than 1e12"
    return f"outcomes were up to {size} times likelier under maps of their past ({p} at any time)"
