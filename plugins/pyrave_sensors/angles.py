"""Angles as files hold them."""

from __future__ import annotations

import math

__all__ = ["degrees"]

_ULPS = 4


def degrees(angle: float) -> float:
    """Return an angle in degrees that is read as exactly the same, if there is one."""
    near = math.degrees(angle)
    lower, upper = near, near
    for _ in range(_ULPS):
        if math.radians(lower) == angle:
            return lower
        if math.radians(upper) == angle:
            return upper
        lower, upper = math.nextafter(lower, -math.inf), math.nextafter(upper, math.inf)
    return near
