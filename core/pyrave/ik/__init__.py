"""Goals, options, results and paths of inverse kinematics.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.ik.goal_residuals import residuals, residuals_of
    from pyrave.ik.parameterization import (
        IkParameterization,
        IkParameterizationType,
        IkTypeLike,
    )
    from pyrave.ik.path import (
        IkPath,
        IkPathEnd,
    )
    from pyrave.ik.results import (
        IkAction,
        IkBatch,
        IkFilterOptions,
        IkNearest,
        IkRejection,
        IkResult,
        IkReturn,
    )

__all__ = [
    "IkAction",
    "IkBatch",
    "IkFilterOptions",
    "IkNearest",
    "IkParameterization",
    "IkParameterizationType",
    "IkPath",
    "IkPathEnd",
    "IkRejection",
    "IkResult",
    "IkReturn",
    "IkTypeLike",
    "residuals",
    "residuals_of",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "goal_residuals": "residuals residuals_of",
        "parameterization": "IkParameterization IkParameterizationType IkTypeLike",
        "path": "IkPath IkPathEnd",
        "results": "IkAction IkBatch IkFilterOptions IkNearest IkRejection IkResult "
        "IkReturn",
    },
)
