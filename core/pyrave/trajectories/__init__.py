"""Configuration specifications; interpolation and files of trajectories.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.trajectories.grab_groups import GrabRule, grab_rules
    from pyrave.trajectories.specification import (
        ConfigurationSpecification,
        convert_data,
    )

__all__ = [
    "ConfigurationSpecification",
    "GrabRule",
    "convert_data",
    "grab_rules",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "grab_groups": "GrabRule grab_rules",
        "specification": "ConfigurationSpecification convert_data",
    },
)
