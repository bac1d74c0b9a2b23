"""Configuration specifications; interpolation and files of trajectories.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.trajectories.specification import (
        ConfigurationSpecification,
        convert_data,
    )

__all__ = [
    "ConfigurationSpecification",
    "convert_data",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "specification": "ConfigurationSpecification convert_data",
    },
)
