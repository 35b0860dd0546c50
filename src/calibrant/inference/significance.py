"""What a test of calibration finds."""

from typing import NamedTuple


class Significance(NamedTuple):
    """How far the outcomes are from the claims, and how often right claims would be as far."""

    statistic: float
    p_value: float
