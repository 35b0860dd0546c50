"""How far rounding may carry a claim over the edge of a step, where a formula is worked out elsewhere."""

from .operations import Side, Value

# In log odds: of claims that float32 logits make, and of whatever is worked out in float64.
SINGLE = 2.0**-20
DOUBLE = 2.0**-40
# Near 1 chances lie farther apart than that: some units in the last place.
_UNITS = 2.0**-51


def beyond_rounding(x: Value, slack: float, gain: Value | None, side: Side) -> Value:
    """A chance moved a little, to the side on which a step counts its own edge.

    A claim that was fitted on lies on an edge exactly, and must stay on its side where rounding moved
    it by `slack` in log odds. `gain` is as in `Operations.step`.
    """
    if gain is not None:
        slack = slack * gain + DOUBLE
    elif not slack:
        return x
    distance = x * ((1 - x) * slack + _UNITS)
    return x + distance if side == "right" else x - distance
