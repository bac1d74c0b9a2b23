"""OpenRAVE's generator of inverse kinematics, which pyrave has no need of.

Its names are there and say what to use: any arm is solved without generation.
"""

from __future__ import annotations

from typing import Any

from pyrave_openravepy.api.foundation.errors import NotSupportedError
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.refusals import add_refusals

__all__ = ["AST", "IKFastSolver"]

_INSTEAD = (
    "is not supported: pyrave solves any arm's inverse kinematics without generation; "
    "use Manipulator.FindIKSolution, databases.inversekinematics, or pyrave's "
    "Manipulator.solve_ik"
)


class AST(Guarded):
    """The trees of generated solvers."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        raise NotSupportedError(f"ikfast.AST {_INSTEAD}")


class IKFastSolver(Guarded):
    """The generator."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        raise NotSupportedError(f"ikfast.IKFastSolver {_INSTEAD}")


add_refusals("ikfast")
