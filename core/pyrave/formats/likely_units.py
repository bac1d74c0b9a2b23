"""Detection of joint limits that are probably in a wrong unit.

Readers warn of them and take them as they are written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

_MAX_RADIANS = 4.0 * math.pi
_MAX_DEGREES = 720.0


def are_degrees(limits: Sequence[float]) -> bool:
    """Return True if limits in radians are probably in degrees.

    They are if the joint could turn more than twice either way, no limit is beyond 720,
    and all are whole or half numbers: few joints of two to 115 turns are like this.
    """
    most = max(map(abs, limits), default=0.0)
    if not _MAX_RADIANS < most <= _MAX_DEGREES:
        return False
    return all((2.0 * value).is_integer() for value in limits)


def are_radians(limits: Sequence[float]) -> bool:
    """Return True if limits in degrees are probably in radians.

    They are if they are within one turn, are not all given in tenths, and are round
    numbers of degrees: multiples of 5 if they have few decimals, whole numbers if they
    have many. The largest is 10 degrees at least.
    """
    most = max(map(abs, limits), default=0.0)
    if not math.radians(10.0) - 0.01 < most < 2.0 * math.pi + 0.01:
        return False
    if all((10.0 * value).is_integer() for value in limits):
        return False
    return all(
        abs(math.remainder(degrees, 5.0)) < 0.1
        or abs(math.remainder(degrees, 1.0)) < 0.005
        for degrees in map(math.degrees, limits)
    )
