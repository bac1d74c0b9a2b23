"""Functions of planning: paths in time, and whether they keep what limits them.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.planning.parametrization import TimedPath, time_optimal
    from pyrave.planning.retiming import Violation, retime, verify

__all__ = ["TimedPath", "Violation", "retime", "time_optimal", "verify"]

__getattr__, __dir__ = exports(
    __name__,
    {
        "parametrization": "TimedPath time_optimal",
        "retiming": "Violation retime verify",
    },
)
