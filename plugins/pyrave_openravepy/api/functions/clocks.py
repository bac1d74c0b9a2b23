"""Times of the computer's clock."""

from __future__ import annotations

import time

from pyrave_openravepy.api.foundation.guard import guarded

__all__ = ["GetMicroTime", "GetMilliTime", "GetNanoTime"]


@guarded
def GetMilliTime() -> int:
    """Return the time since 1970, milliseconds."""
    return time.time_ns() // 1_000_000


@guarded
def GetMicroTime() -> int:
    """Return the time since 1970, microseconds."""
    return time.time_ns() // 1000


@guarded
def GetNanoTime() -> int:
    """Return the time since 1970, nanoseconds."""
    return time.time_ns()
