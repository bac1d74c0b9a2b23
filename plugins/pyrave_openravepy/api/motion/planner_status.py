"""Answers of planners, and their progress."""

from __future__ import annotations

from typing import Any

from pyrave_openravepy.api.enums import PlannerStatusCode
from pyrave_openravepy.api.foundation.guard import Guarded

__all__ = ["PlannerProgress", "PlannerStatus"]

_OUTCOME = 3


class PlannerStatus(Guarded):
    """Outcome of a planner; true if there is a solution.

    It compares with codes and integers: with one of the four outcomes by that, with
    any other number by the causes of failure, too.

    Attributes
    ----------
    statusCode
        The outcome, and in higher bits what it failed of.
    description
        What happened, in words.
    errorOrigin
        Which planner said so.
    report, jointValues, ikparam
        Of the configuration that was in the way, None where the planner names none.
    """

    # OpenRAVE 0.9 had these here
    Failed = PlannerStatusCode.Failed
    HasSolution = PlannerStatusCode.HasSolution
    Interrupted = PlannerStatusCode.Interrupted
    InterruptedWithSolution = PlannerStatusCode.InterruptedWithSolution

    def __init__(self, statusCode: Any = PlannerStatusCode.Failed) -> None:
        self.statusCode: Any = PlannerStatusCode(int(statusCode))
        self.description = ""
        self.errorOrigin = ""
        self.report: Any = None
        self.jointValues: Any = None
        self.ikparam: Any = None

    @classmethod
    def _of(cls, native: Any, origin: str) -> PlannerStatus:
        made = cls(int(native.code))
        made.description, made.errorOrigin = native.description, origin
        return made

    def GetStatusCode(self) -> int:
        return int(self.statusCode)

    def __bool__(self) -> bool:
        return bool(int(self) & PlannerStatusCode.HasSolution)

    def __int__(self) -> int:
        return int(self.statusCode)

    def __index__(self) -> int:
        return int(self.statusCode)

    def __and__(self, other: Any) -> int:
        return int(self) & int(other)

    __rand__ = __and__

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, int | PlannerStatus):
            return NotImplemented
        code = int(other)
        return code == (int(self) if code > _OUTCOME else int(self) & _OUTCOME)

    def __hash__(self) -> int:
        return hash(int(self) & _OUTCOME)

    def __repr__(self) -> str:
        said = f": {self.description}" if self.description else ""
        return f"<PlannerStatus {int(self.statusCode):#x}{said}>"


class PlannerProgress(Guarded):
    """Progress of a planner, which callbacks are given.

    Attributes
    ----------
    _iteration
        The number of the iteration.
    """

    def __init__(self, iteration: int = 0) -> None:
        self._iteration = iteration
